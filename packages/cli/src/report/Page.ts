/**
 * A review as one HTML file: nothing is fetched, no script runs, and nothing in it came from the policy but text. (issue 5
 * item 6)
 *
 * The policy of the page itself forbids everything except this style sheet, which is named by its hash, so even markup
 * that slipped in could neither run nor load nor look like part of the page.
 */
import { createHash } from "node:crypto"
import { weakenedBy } from "@memory-bridge/core/lab/Activation"
import { assumption } from "@memory-bridge/core/lab/Difference"
import type { PolicyFinding } from "@memory-bridge/core/lab/Findings"
import { originWords } from "../operator/ActivePolicy.ts"
import { hindranceWords, type Reviewed } from "../screen/ReviewText.ts"
import { version } from "../Version.ts"
import { cards, type Sides } from "./Changes.ts"
import { type Html, html, nothing, trusted } from "./Html.ts"
import { simulationPart } from "./Matrix.ts"
import { always, legend, policyPart } from "./PolicyWords.ts"
import { style } from "./Style.ts"
import { counted, findingWords } from "./Words.ts"

const styleHash = createHash("sha256").update(style, "utf8").digest("base64")

/** In one piece, since the hash is of every character between the tags. */
const sheet = trusted(`<style>${style}</style>`)

const contentPolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'`

interface Part {
  readonly id: string
  readonly title: string
  readonly body: Html
}

const part = ({ body, id, title }: Part): Html =>
  html`<section id="${id}" aria-labelledby="${`${id}-title`}">
    <h2 id="${`${id}-title`}">${title}</h2>
    ${body}
  </section> `

const leadOf = ({ review }: Reviewed): string => {
  const weaker = weakenedBy(review)
  const { strengthened } = review.difference.counts
  const stricter = strengthened === 0 ? "" : ` ${counted(strengthened, "class", "classes")} would be refused more.`
  return weaker === 0
    ? `Nothing would be refused less than before.${stricter}`
    : `${counted(weaker, "class", "classes")} of calls would be refused less than before.${stricter}`
}

const tallyCell = (count: number, label: string, kind: string): Html =>
  html`<div class="${kind}">
    <dt>${label}</dt>
    <dd>${count}</dd>
  </div>`

const tally = ({ review: { difference } }: Reviewed): Html => {
  const { equal, linked, strengthened, weakened } = difference.counts
  return html`<dl class="tally">
    ${tallyCell(weakened, "weakened", weakened > 0 ? "bad" : "plain")}
    ${tallyCell(linked, "weakened if a path is a link", linked > 0 ? "bad" : "plain")}
    ${tallyCell(strengthened, "strengthened", "plain")} ${tallyCell(equal, "the same", "plain")}
  </dl>`
}

const facts = ({ active, proposed, review }: Reviewed): Html =>
  html`<dl class="facts">
    <dt>${active.origin === "file" ? "Compared" : "Active"}</dt>
    <dd><bdi>${originWords(active)}</bdi><br /><code>${review.active.fingerprint}</code></dd>
    <dt>Proposed</dt>
    <dd><bdi>${proposed}</bdi><br /><code>${review.proposed.fingerprint}</code></dd>
  </dl>`

const finding = ({ by, code, rule, subject }: PolicyFinding): Html =>
  html`<li class="card">
    <div class="card-head">
      <h3>${subject === "" ? html`Default action` : html`<code>${subject}</code>`}</h3>
      <span class="quiet mono">${code}</span>
    </div>
    <dl class="facts">
      ${
        rule === null
          ? nothing
          : html`<dt>Rule</dt>
              <dd><code>${rule}</code>${by === null ? nothing : html`, see <code>${by}</code>`}</dd>`
      }
      <dt>Meaning</dt>
      <dd>${findingWords[code].meaning}</dd>
      <dt>Cure</dt>
      <dd>${findingWords[code].cure}</dd>
    </dl>
  </li> `

const findingsBody = (findings: ReadonlyArray<PolicyFinding>): Html =>
  findings.length === 0
    ? html`<p>Nothing stands out in the proposed policy.</p>`
    : html`<ul class="cards">
        ${findings.map(finding)}
      </ul>`

const activateBody = ({ activation }: Reviewed): Html => {
  if (!activation.can) return html`<p>${hindranceWords[activation.why]}</p>`
  return html`<p>This puts exactly the reviewed policy in force, and is refused if either policy has changed since.</p>
    <pre class="command"><code class="example">${activation.command}</code></pre>`
}

const partsOf = (reviewed: Reviewed, sides: Sides): ReadonlyArray<Part> => {
  const { review, skipped } = reviewed
  const { counts, linked, strengthened, weakened } = review.difference
  return [
    {
      id: "weakened",
      title: "What opens",
      body: html`<p>
          ${
            counts.weakened === 0
              ? "By name, no call is refused less than before."
              : "These calls are refused less than before, the most open first."
          }
        </p>
        ${cards("weaker", weakened, sides)}`
    },
    ...(counts.linked === 0
      ? []
      : [
          {
            id: "linked",
            title: "What opens behind a link",
            body: html`<p>These are real only where the protected path is a link, or lies behind one. ${assumption}</p>
              ${cards("weaker", linked, sides)}`
          }
        ]),
    {
      id: "strengthened",
      title: "What closes",
      body: html`<p>
          ${
            counts.strengthened === 0
              ? "No call is refused more than before."
              : "These calls are refused more than before, the strictest first."
          }
        </p>
        ${cards("stricter", strengthened, sides)}`
    },
    { id: "findings", title: "Findings", body: findingsBody(review.findings) },
    { id: "simulation", title: "Simulated calls", body: simulationPart(review, sides, skipped) },
    {
      id: "policy",
      title: "The proposed policy",
      body: html`${legend}
        <br />
        ${policyPart(review.proposed.settings)} ${always}
        <details>
          <summary>The policy it is compared with</summary>
          ${policyPart(review.active.settings)}
        </details>`
    },
    { id: "activate", title: "Activate it", body: activateBody(reviewed) }
  ]
}

/** `time`: milliseconds since 1970. */
export const page = (reviewed: Reviewed, time: number): string => {
  const { review } = reviewed
  const parts = partsOf(reviewed, { before: review.active.settings, after: review.proposed.settings })
  const made = new Date(time).toISOString()
  return `<!doctype html>
${
  html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content="${contentPolicy}" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="referrer" content="no-referrer" />
      <meta name="color-scheme" content="light dark" />
      <title>Policy review - Hermes Guardian</title>
      ${sheet}
    </head>
    <body>
      <a class="skip" href="#main">Skip to the review</a>
      <div class="sheet">
        <header>
          <p class="eyebrow">Memory Bridge, Hermes Guardian</p>
          <h1>Policy review</h1>
          <p class="lead">${leadOf(reviewed)}</p>
          ${tally(reviewed)} ${facts(reviewed)}
          <nav aria-label="Parts of the review">
            <ul>
              ${parts.map(({ id, title }) => html`<li><a href="${`#${id}`}">${title}</a></li>`)}
            </ul>
          </nav>
        </header>
        <main id="main" tabindex="-1">${parts.map(part)}</main>
        <footer>
          <p>${assumption}</p>
          <p>
            Made by memory-bridge ${version} on
            <time datetime="${made}">${made.slice(0, 16).replace("T", " ")} UTC</time>. Recorded calls are shown by tool
            and kind, never with their arguments.
          </p>
        </footer>
      </div>
    </body>
  </html> `.markup
}`
}
