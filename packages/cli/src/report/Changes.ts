/** Every group of classes that changed, as a card: what, where, decided by which rule before and after, an example. */
import type { Action, Decision } from "@memory-bridge/core/guard/Decision"
import type { Change } from "@memory-bridge/core/lab/Difference"
import type { SettingsForm } from "@memory-bridge/core/lab/Fingerprint"
import { type Html, html, nothing } from "./Html.ts"
import { counted, morePositions, positionWords, reasonWords, shapeWords, toolWords, writtenRule } from "./Words.ts"

export const verdict = (action: Action): Html => html`<span class="${`verdict ${action}`}">${action}</span>`

export const turn = (before: Action, after: Action): Html =>
  html`<p class="turn">
    ${verdict(before)} <span aria-hidden="true">→</span><span class="unseen">becomes</span> ${verdict(after)}
  </p>`

/** The rule where there is one, else the reason: for the cell of a table. */
export const inShort = ({ reason, rule }: Decision, settings: SettingsForm): Html =>
  rule === null
    ? html`${reasonWords(reason)}`
    : html`<code>${rule}</code> <code>${writtenRule(rule, settings).subject}</code>`

/** The reason, and the rule in the operator's own words. */
export const because = ({ reason, rule }: Decision, settings: SettingsForm): Html => {
  if (rule === null) return html`${reasonWords(reason)}`
  const { subject, why } = writtenRule(rule, settings)
  const note = why === "" ? nothing : html`, because “<bdi>${why}</bdi>”`
  return html`${reasonWords(reason)}: <code>${rule}</code> <code>${subject}</code>${note}`
}

export interface Sides {
  readonly before: SettingsForm
  readonly after: SettingsForm
}

const places = (change: Change): Html => {
  const more = morePositions(change)
  const words = [...change.positions.map(positionWords), ...(more === "" ? [] : [more])]
  if (words.length === 0) return nothing
  return html`<dt>Where</dt>
    <dd>
      <ul class="places">
        ${words.map((text) => html`<li><bdi>${text}</bdi></li>`)}
      </ul>
    </dd>`
}

const card =
  (kind: "weaker" | "stricter", { after, before }: Sides) =>
  (change: Change): Html => {
    const { classes, example, shapes, tool } = change
    const name = tool === null ? html`${toolWords(tool)}` : html`<code>${toolWords(tool)}</code>`
    return html`<li class="${`card ${kind}`}">
      <div class="card-head">
        <h3>${name}</h3>
        ${turn(change.before.action, change.after.action)}
      </div>
      <dl class="facts">
        <dt>Calls</dt>
        <dd>
          ${shapes.map(shapeWords).join(", ")} <span class="quiet">(${counted(classes, "class", "classes")})</span>
        </dd>
        ${places(change)}
        <dt>Before</dt>
        <dd>${because(change.before, before)}</dd>
        <dt>Proposed</dt>
        <dd>${because(change.after, after)}</dd>
        <dt>Example</dt>
        <dd><code class="example">${JSON.stringify({ tool: example.tool, args: example.args })}</code></dd>
      </dl>
    </li> `
  }

export const cards = (kind: "weaker" | "stricter", changes: ReadonlyArray<Change>, sides: Sides): Html =>
  changes.length === 0
    ? nothing
    : html`<ol class="cards">
        ${changes.map(card(kind, sides))}
      </ol>`
