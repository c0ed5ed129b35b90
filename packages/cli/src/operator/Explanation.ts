/**
 * A refusal as the operator reads it: which component, which rule, what to do. (design.md section 1, "People")
 *
 * The counterpart of core's `publicError`: there all detail is dropped, here all of it is kept. This text goes to the
 * operator's standard error and nowhere else.
 */
import type { NoteRefused, RootRefused, ScanRefused } from "@memory-bridge/core/notes/Notes"
import type { InvalidRequest } from "@memory-bridge/core/notes/Request"
import type { PolicyRefused } from "@memory-bridge/core/policy/PolicyStore"
import type { Root } from "@memory-bridge/core/policy/Roots"
import { type ExitCode, exitCodes } from "../Exit.ts"
import { type Component, type Cure, cureFor, cureForScan } from "./Cure.ts"
import type { Place } from "./Locate.ts"
import { rootName } from "./PolicySettings.ts"
import { show } from "./Quote.ts"
import { cureBelow } from "./RootCure.ts"

/** What can stop a request of the operator, who needs no identification and is never a cron job or subagent. */
export type OperatorRefusal = InvalidRequest | PolicyRefused | RootRefused | ScanRefused | NoteRefused

/** What is known of the request when it is refused. */
export interface Circumstances {
  /** Absolute path of the policy file, or "" where there is none. */
  readonly policyPath: string
  /** The root that it is about, or `undefined` where there is none. */
  readonly root: Root | undefined
  /** For a refused read: what its rule speaks of. */
  readonly place?: Place
  /** For an id that names no note of any root: what ids begin with. */
  readonly prefixes?: ReadonlyArray<string>
}

export interface Explanation {
  readonly headline: string
  /** Label and text, in order. */
  readonly details: ReadonlyArray<readonly [label: string, text: string]>
  readonly exitCode: Exclude<ExitCode, 0>
}

const detailsOf = (component: Component, rule: string, { cure, meaning }: Cure): Explanation["details"] => [
  ["component", show(component.path)],
  ["rule", `${rule}: it ${meaning}`],
  ["cure", cure]
]

const aboutComponent = (headline: string, component: Component, rule: string): Explanation => ({
  headline,
  details: detailsOf(component, rule, cureFor(rule, component)),
  exitCode: exitCodes.refused
})

/** The one cure for a defect of the text. */
export const policyCure = (key: string): string =>
  key === ""
    ? "correct the file"
    : /(?:^|\.)trust\.groups\[\d+\]$/.test(key)
      ? `give the group by its id, a number, in ${show(key)}; this prints it: getent group NAME`
      : `correct ${show(key)} in the file`

const policyExplanation = (refusal: PolicyRefused, policyPath: string): Explanation => {
  const part = refusal.component === policyPath ? "policy" : "directory"
  switch (refusal.reason) {
    case "policy_path_untrusted":
      return aboutComponent("The policy is refused.", { path: refusal.component, part }, refusal.rule)
    case "policy_unreadable":
      return aboutComponent("The policy cannot be read.", { path: refusal.component, part }, refusal.rule)
    case "policy_invalid":
      return {
        headline: "The policy is not valid.",
        details: [
          ["component", show(refusal.component)],
          ...(refusal.key === "" ? [] : [["key", show(refusal.key)] as const]),
          ["rule", `policy_invalid: ${show(refusal.rule)}`],
          ["cure", policyCure(refusal.key)]
        ],
        exitCode: exitCodes.refused
      }
  }
}

const noteExplanation = (rule: string, place: Place, root: Root | undefined): Explanation => {
  const { cure, meaning } = root === undefined ? cureFor(rule, place) : cureBelow(root, rule, place)
  const why = place.pattern === undefined ? meaning : `${meaning}, ${show(place.pattern)}`
  return {
    headline: "The document is not there or may not be read.",
    details: detailsOf(place, rule, { meaning: why, cure }),
    exitCode: exitCodes.notFound
  }
}

/** A read answers it as a note that no pattern allows. */
const nowhere = (id: string, prefixes: ReadonlyArray<string>): Explanation => ({
  headline: "The document is not there or may not be read.",
  details: [
    ["component", show(id)],
    ["rule", "no_allow: it names no note of any root"],
    ["cure", `begin the id with the name of a root: ${prefixes.join(", ")}`]
  ],
  exitCode: exitCodes.notFound
})

/** Which of several roots it is. */
const rootDetail = (root: Root | undefined): Explanation["details"] =>
  root === undefined || root.prefix === "" ? [] : [["root", `${rootName(root)}, ${show(root.root)}`]]

export const explain = (
  refusal: OperatorRefusal,
  { place, policyPath, prefixes, root }: Circumstances
): Explanation => {
  const path = root?.root ?? ""
  switch (refusal._tag) {
    case "InvalidRequest":
      return { headline: "The request is not valid.", details: [["hint", refusal.hint]], exitCode: exitCodes.invalid }
    case "PolicyRefused":
      return policyExplanation(refusal, policyPath)
    case "RootRefused": {
      const component = { path: refusal.component, part: "directory" } as const
      const about = aboutComponent("The memory root is refused.", component, refusal.rule)
      return { ...about, details: [...rootDetail(root), ...about.details] }
    }
    case "ScanRefused":
      return {
        headline: "The memory root cannot be searched.",
        details: [
          ...rootDetail(root),
          ...detailsOf({ path, part: "directory" }, refusal.reason, cureForScan(refusal.reason, path))
        ],
        exitCode: exitCodes.refused
      }
    case "NoteRefused":
      return prefixes === undefined
        ? noteExplanation(refusal.rule, place ?? { path, part: "note" }, root)
        : nowhere(place?.path ?? "", prefixes)
  }
}

/** The text for standard error. Not wrapped: a cure must be copied in one piece. */
export const explanationText = ({ details, headline }: Explanation): string => {
  const width = Math.max(...details.map(([label]) => label.length))
  return [
    `memory-bridge: ${headline}`,
    ...details.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`),
    ""
  ].join("\n")
}
