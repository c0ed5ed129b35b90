/**
 * What the lab found, in the operator's words: for the terminal and for the page. (issue 5 item 3)
 *
 * Tables with a row for every code; a new code without a row does not type-check.
 */
import type { Action, Decision, EvaluationReason, Reason, RuleReference } from "@memory-bridge/core/guard/Decision"
import { parentOf } from "@memory-bridge/core/guard/LiteralPath"
import type { Shape } from "@memory-bridge/core/lab/Classes"
import type { Change } from "@memory-bridge/core/lab/Difference"
import type { FindingCode } from "@memory-bridge/core/lab/Findings"
import type { SettingsForm } from "@memory-bridge/core/lab/Fingerprint"
import type { Position } from "@memory-bridge/core/lab/Positions"
import type { Source } from "@memory-bridge/core/lab/Simulation"

export const counted = (count: number, one: string, many: string = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

const reasons: Readonly<Record<EvaluationReason, string>> = {
  tool_rule: "a rule for the tool",
  protected_path: "a protected path",
  default_action: "the default action, since no rule names the tool",
  self_protection: "the guard's own files, which no policy opens",
  arguments_unsupported: "arguments that cannot be checked",
  command_unsupported: "a command that cannot be checked",
  path_unresolved: "a path that the system would not resolve",
  root_unresolved: "a protected path that the system would not resolve",
  hard_link: "a file with a second name",
  special_file: "neither file nor directory"
}

/** A simulation has no other reasons; one that it has after all is shown as its code. */
export const reasonWords = (reason: Reason): string =>
  Object.hasOwn(reasons, reason) ? reasons[reason as EvaluationReason] : reason

export const actionWords: Readonly<Record<Action, string>> = {
  allow: "runs without a question",
  approve: "runs only after a person said yes",
  block: "does not run"
}

/** A rule as the operator wrote it. */
export interface Written {
  readonly rule: RuleReference
  /** Tool or path. */
  readonly subject: string
  readonly why: string
}

export const writtenRule = (rule: RuleReference, { protected_paths: paths, rules }: SettingsForm): Written => {
  const index = Number(rule.slice(rule.indexOf(":") + 1))
  const found = rule.startsWith("tool:") ? rules[index] : paths[index]
  return { rule, subject: found?.["tool" as never] ?? found?.["path" as never] ?? "", why: found?.why ?? "" }
}

/** "block by tool:2 terminal" */
export const decidedBy = ({ action, reason, rule }: Decision, settings: SettingsForm): string => {
  if (rule === null) return `${action} by ${reason}`
  const { subject, why } = writtenRule(rule, settings)
  return `${action} by ${reason} ${rule} ${subject}${why === "" ? "" : `, because: ${why}`}`
}

export const toolWords = (tool: string | null): string => tool ?? "any other tool"

const shapes: Readonly<Record<Shape, string>> = {
  "name alone": "every call",
  "unsupported arguments": "arguments that cannot be checked",
  "unsupported command": "a command that cannot be checked",
  "no path": "a command without a path",
  path: "a path",
  cat: "cat",
  touch: "touch",
  mkdir: "mkdir",
  rm: "rm",
  "rm -r": "rm -r",
  "cp from": "cp from there",
  "cp to": "cp to there",
  "mv from": "mv from there",
  "mv to": "mv to there",
  workdir: "a command that stands there"
}

export const shapeWords = (shape: Shape): string => shapes[shape]

export const positionWords = ({ path, root, where }: Position): string => {
  switch (where) {
    case "at":
      return `${root} itself`
    case "below":
      return `below ${root}`
    case "above":
      return `${path}, which holds ${root}`
    case "unrelated":
      return "everywhere else"
    case "linked":
      return `${root} by another name: ${path}, if it is a link to ${parentOf(path)}`
  }
}

/** Positions that are not listed, or "". */
export const morePositions = ({ positionCount, positions }: Change): string =>
  positionCount > positions.length ? `and ${positionCount - positions.length} more` : ""

export const sourceWords: Readonly<Record<Source, string>> = {
  scenario: "Scenarios",
  neighbour: "Calls near rules",
  recorded: "Recorded calls"
}

export interface FindingWords {
  readonly meaning: string
  readonly cure: string
}

export const findingWords: Readonly<Record<FindingCode, FindingWords>> = {
  default_allows: {
    meaning: "Every tool that no rule names may run.",
    cure: "Set default_action to block or approve, and allow tools by name."
  },
  allowed_unseen: {
    meaning: "The tool may run whatever its arguments are: the guard does not look at them.",
    cure: "Make its rule approve or block, unless every call of it is harmless."
  },
  always_allowed: {
    meaning: "Whatever the guard can check of this tool, it allows.",
    cure: "Protect the paths that it should not reach, or make its rule approve."
  },
  always_blocked: {
    meaning: "No call of this tool is ever let through.",
    cure: "Leave it, if that is meant; else weaken the rule that blocks it."
  },
  duplicate_tool: {
    meaning: "An earlier rule names the same tool. The strongest of them counts.",
    cure: "Keep one of them."
  },
  duplicate_root: {
    meaning: "An earlier entry names the same path. The strongest of them counts.",
    cure: "Keep one of them."
  },
  covered_root: {
    meaning: "The path lies in another protected path that is as strong. It adds something only if it is a link.",
    cure: "Leave it out, unless it is a link or may become one."
  },
  unreachable_rule: {
    meaning: "The rule never gives a verdict: something as strong or stronger always does.",
    cure: "Leave it out, or weaken what is stronger."
  },
  never_hit: {
    meaning: "The rule took part in none of the recorded calls.",
    cure: "Ask whether it is still needed. A rule against what must not happen is best never hit."
  }
}
