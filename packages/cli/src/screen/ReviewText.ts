/**
 * A review for the operator at a terminal: what opens first, with an example of each, then the rest, and what to type.
 * (issue 5 item 3; cases/guard.md section 5 "Review")
 */
import { isStronger } from "@memory-bridge/core/guard/Decision"
import { weakenedBy } from "@memory-bridge/core/lab/Activation"
import type { Change } from "@memory-bridge/core/lab/Difference"
import { assumption } from "@memory-bridge/core/lab/Difference"
import type { PolicyFinding } from "@memory-bridge/core/lab/Findings"
import type { SettingsForm } from "@memory-bridge/core/lab/Fingerprint"
import type { ComparedCall, Review } from "@memory-bridge/core/lab/Review"
import { sources } from "@memory-bridge/core/lab/Simulation"
import { type FoundPolicy, originWords } from "../operator/ActivePolicy.ts"
import { show } from "../operator/Quote.ts"
import {
  counted,
  decidedBy,
  findingWords,
  morePositions,
  positionWords,
  shapeWords,
  sourceWords,
  toolWords
} from "../report/Words.ts"
import type { Look } from "./Results.ts"
import { hanging, painted } from "./SimulationText.ts"
import { wrap } from "./Wrap.ts"

/** `not_active`: compared with another policy than the active one; `same`: nothing would change. */
export type Hindrance = "not_active" | "same"

export const hindranceWords: Readonly<Record<Hindrance, string>> = {
  not_active: "Not compared with the active policy: before an activation, review without --policy.",
  same: "Both policies mean the same, so there is nothing to activate."
}

/** A review and what is known of how it came about. */
export interface Reviewed {
  readonly review: Review
  readonly active: FoundPolicy
  /** The proposal's file. */
  readonly proposed: string
  /** Recorded calls that the host never ran. */
  readonly skipped: number
  readonly activation:
    | { readonly can: true; readonly command: string }
    | { readonly can: false; readonly why: Hindrance }
}

interface Sides {
  readonly before: SettingsForm
  readonly after: SettingsForm
}

export const exampleText = ({ example: { args, tool } }: Change): string => JSON.stringify({ tool, args })

const changeText = (change: Change, number: number, { after, before }: Sides, { paint, width }: Look) => {
  const { positions, shapes, tool } = change
  const row = (label: string, text: string): ReadonlyArray<string> =>
    hanging(`   ${label.padEnd(9)}`, show(text), width)
  const where = [...positions.map(positionWords), morePositions(change)].filter((text) => text !== "")
  return [
    ...hanging(`${number}. `, show(toolWords(tool)), width).map(paint.strong),
    `   ${painted(change.before.action, paint)(change.before.action)} -> ${painted(change.after.action, paint)(change.after.action)}`,
    ...row("calls", shapes.map(shapeWords).join("; ")),
    ...(where.length === 0 ? [] : row("where", where.join("; "))),
    ...row("was", decidedBy(change.before, before)),
    ...row("becomes", decidedBy(change.after, after)),
    ...row("example", exampleText(change)),
    ...row("classes", String(change.classes)),
    ""
  ]
}

const changesText = (changes: ReadonlyArray<Change>, first: number, sides: Sides, look: Look): ReadonlyArray<string> =>
  changes.flatMap((change, index) => changeText(change, first + index, sides, look))

const findingText = ({ by, code, rule, subject }: PolicyFinding, { paint, width }: Look): ReadonlyArray<string> => {
  const about = [code, ...(rule === null ? [] : [rule]), show(subject), ...(by === null ? [] : [`(see ${by})`])]
  return [
    ...hanging("- ", about.filter((text) => text !== "").join(" "), width).map(paint.strong),
    ...hanging("  ", findingWords[code].meaning, width),
    ...hanging("  cure  ", findingWords[code].cure, width)
  ]
}

const isChanged = ({ after, before }: ComparedCall): boolean => after.action !== before.action

const isWeaker = ({ after, before }: ComparedCall): boolean => isStronger(before.action, after.action)

const weakerFirst = (calls: ReadonlyArray<ComparedCall>): ReadonlyArray<ComparedCall> => {
  return [...calls.filter(isWeaker), ...calls.filter((call) => !isWeaker(call))]
}

/** Changed calls that are named; the JSON form has more. */
const shownCalls = 12

const simulationText = (
  { review: { simulation }, skipped }: Reviewed,
  { paint, width }: Look
): ReadonlyArray<string> => {
  const changed = weakerFirst(simulation.calls.filter(isChanged))
  const more = simulation.weakened + simulation.strengthened - Math.min(changed.length, shownCalls)
  return [
    paint.strong("Simulated calls"),
    ...sources.flatMap((source) => {
      const [was, is] = [simulation.before.bySource[source], simulation.after.bySource[source]]
      if (was.allow + was.approve + was.block === 0) return []
      const parts = (["allow", "approve", "block"] as const).map(
        (action) => `${action} ${was[action]} -> ${is[action]}`
      )
      return hanging("  ", `${sourceWords[source]}: ${parts.join(", ")}`, width)
    }),
    ...(skipped === 0
      ? []
      : hanging("  ", `${counted(skipped, "recorded call")} left out: arguments that are no object.`, width)),
    ...hanging("  ", `${simulation.weakened} weakened, ${simulation.strengthened} strengthened.`, width),
    ...changed
      .slice(0, shownCalls)
      .flatMap(({ after, before, label, tool }) =>
        hanging("  ", `${before.action} -> ${after.action}: ${show(label)} [${tool}]`, width)
      ),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ""
  ]
}

const endText = ({ activation, review }: Reviewed, width: number | undefined): ReadonlyArray<string> => {
  // Not wrapped: a command must be copied in one piece.
  if (activation.can) {
    const count = weakenedBy(review)
    return [
      ...wrap(`To put exactly this in force, confirming ${count} weakened in all:`, width),
      `  ${activation.command}`
    ]
  }
  return wrap(hindranceWords[activation.why], width)
}

export const reviewText = (reviewed: Reviewed, look: Look): string => {
  const { active, proposed, review } = reviewed
  const { counts, linked, strengthened, weakened } = review.difference
  const { paint, width } = look
  const sides: Sides = { before: review.active.settings, after: review.proposed.settings }
  const named = (label: string, words: string, fingerprint: string): ReadonlyArray<string> => [
    ...hanging(`${label.padEnd(10)}`, words, width),
    ...hanging(" ".repeat(10), fingerprint, width)
  ]
  const title = (text: string, count: number): ReadonlyArray<string> =>
    wrap(`${text}: ${count === 0 ? "nothing" : counted(count, "class", "classes")}`, width)
  const findings = review.findings
  return [
    ...named(active.origin === "file" ? "compared" : "active", originWords(active), review.active.fingerprint),
    ...named("proposed", show(proposed), review.proposed.fingerprint),
    "",
    ...title("Weakened, refused less than before", counts.weakened).map(counts.weakened > 0 ? paint.bad : paint.good),
    ...changesText(weakened, 1, sides, look),
    ...(counts.linked === 0
      ? []
      : [
          ...title("Weakened where a protected path is a link", counts.linked).map(paint.bad),
          ...changesText(linked, weakened.length + 1, sides, look)
        ]),
    ...title("Strengthened, refused more than before", counts.strengthened).map(paint.strong),
    ...changesText(strengthened, weakened.length + linked.length + 1, sides, look),
    ...wrap(`The same under both: ${counted(counts.equal, "class", "classes")}.`, width),
    ...wrap(assumption, width),
    "",
    paint.strong(`Findings on the proposed policy: ${findings.length === 0 ? "none" : findings.length}`),
    ...findings.flatMap((finding) => findingText(finding, look)),
    "",
    ...simulationText(reviewed, look),
    ...endText(reviewed, width),
    ""
  ].join("\n")
}
