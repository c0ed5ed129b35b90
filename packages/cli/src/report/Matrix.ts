/** The simulated calls as tables: how many of which kind, the scenarios one by one, and what else changed. */
import { type Action, actions } from "@memory-bridge/core/guard/Decision"
import type { ComparedCall, Review } from "@memory-bridge/core/lab/Review"
import { type Source, sources } from "@memory-bridge/core/lab/Simulation"
import { inShort, type Sides, verdict } from "./Changes.ts"
import { type Html, html, nothing } from "./Html.ts"
import { counted, sourceWords } from "./Words.ts"

type Simulation = Review["simulation"]

const totalOf = (simulation: Simulation, source: Source): number =>
  actions.reduce((sum, action) => sum + simulation.after.bySource[source][action], 0)

const numbers = (simulation: Simulation, source: Source): Html => {
  const [was, is] = [simulation.before.bySource[source], simulation.after.bySource[source]]
  const cell = (action: Action): Html =>
    html`<td class="number">
      ${was[action] === is[action] ? html`${is[action]}` : html`${was[action]} → ${is[action]}`}
    </td>`
  return html`<tr>
    <th scope="row">${sourceWords[source]}</th>
    ${actions.map(cell)}
  </tr> `
}

const summary = (simulation: Simulation): Html => {
  const present = sources.filter((source) => totalOf(simulation, source) > 0)
  return html`<table>
    <caption>
      Calls by verdict; where the number changes, before → after
    </caption>
    <thead>
      <tr>
        <th scope="col" class="narrow">Calls</th>
        ${actions.map((action) => html`<th scope="col">${action}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${present.map((source) => numbers(simulation, source))}
    </tbody>
  </table> `
}

const isChanged = ({ after, before }: ComparedCall): boolean => before.action !== after.action

const row =
  ({ after, before }: Sides) =>
  (call: ComparedCall): Html =>
    html`<tr${isChanged(call) ? html` class="changed"` : nothing}>
<th scope="row">${call.label}<span class="by"><code>${call.tool}</code> ${call.shape}</span></th>
<td>${verdict(call.before.action)}<span class="by">${inShort(call.before, before)}</span></td>
<td>${verdict(call.after.action)}<span class="by">${inShort(call.after, after)}</span></td>
</tr>
`

const matrix = (caption: string, calls: ReadonlyArray<ComparedCall>, sides: Sides): Html =>
  html`<table class="matrix">
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        <th scope="col">Call</th>
        <th scope="col" class="verdict-column">Before</th>
        <th scope="col" class="verdict-column">Proposed</th>
      </tr>
    </thead>
    <tbody>
      ${calls.map(row(sides))}
    </tbody>
  </table> `

export const simulationPart = ({ simulation }: Review, sides: Sides, skipped: number): Html => {
  const scenarios = simulation.calls.filter(({ source }) => source === "scenario")
  const others = simulation.calls.filter(({ source }) => source !== "scenario")
  const changedOthers = simulation.weakened + simulation.strengthened - scenarios.filter(isChanged).length
  const more =
    changedOthers > others.length
      ? html`<p>${counted(changedOthers - others.length, "more call")} changed, not listed here.</p>`
      : nothing
  return html`${summary(simulation)}
  ${skipped === 0 ? nothing : html`<p>${counted(skipped, "recorded call")} left out: arguments that are no object.</p>`}
  ${matrix("Scenarios: calls that agents, models and attackers are known for. A call that changed is bold.", scenarios, sides)}
  ${
    others.length === 0
      ? nothing
      : html`<details>
          <summary>${counted(others.length, "more call that changed", "more calls that changed")}</summary>
          ${matrix("Calls near a rule, and recorded calls without their arguments", others, sides)}
        </details>`
  }
  ${more}`
}
