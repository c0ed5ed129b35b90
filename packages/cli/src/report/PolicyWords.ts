/** A policy in words and tables, as somebody reads it who never saw its syntax. */
import type { Action } from "@memory-bridge/core/guard/Decision"
import type { SettingsForm } from "@memory-bridge/core/lab/Fingerprint"
import { verdict } from "./Changes.ts"
import { type Html, html } from "./Html.ts"
import { actionWords } from "./Words.ts"

const why = (text: string): Html =>
  text === "" ? html`<span class="quiet">no reason given</span>` : html`<bdi>${text}</bdi>`

const row = (subject: string, action: string, reason: string): Html =>
  html`<tr>
    <th scope="row"><code>${subject}</code></th>
    <td>${verdict(action as Action)}</td>
    <td>${why(reason)}</td>
  </tr> `

const table = (caption: string, subject: string, rows: ReadonlyArray<Html>, none: string): Html =>
  rows.length === 0
    ? html`<p>${none}</p>`
    : html`<table>
        <caption>
          ${caption}
        </caption>
        <thead>
          <tr>
            <th scope="col">${subject}</th>
            <th scope="col" class="narrow">Verdict</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table> `

export const policyPart = ({ default_action: byDefault, protected_paths: paths, rules }: SettingsForm): Html =>
  html` <p>
      A tool that no rule names ${actionWords[byDefault as Action]} (${verdict(byDefault)}). Of all rules that match a
      call the strongest counts: block before approve, approve before allow.
    </p>
    ${table(
      "Tools, by exact name",
      "Tool",
      rules.map(({ action, tool, why: reason }) => row(tool ?? "", action ?? "block", reason ?? "")),
      "No rule names a tool."
    )}
    ${table(
      "Protected paths: each with all below it and what it lies in, for reading and writing alike",
      "Path",
      paths.map(({ action, path, why: reason }) => row(path ?? "", action ?? "block", reason ?? "")),
      "No path is protected."
    )}`

/** What no policy can change. */
export const always: Html = html`<p>
  Whatever a policy says, the guard blocks its own files, its record, the Hermes home, and calls of the tools it
  inspects that it cannot read with certainty.
</p>`

export const legend: Html = html`<dl class="facts">
  ${(["allow", "approve", "block"] as const).map(
    (action) =>
      html`<dt>${verdict(action)}</dt>
        <dd>The call ${actionWords[action]}.</dd>`
  )}
</dl>`
