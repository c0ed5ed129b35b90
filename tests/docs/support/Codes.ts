/**
 * Every closed set of reason codes that an operator can meet, by its heading in docs/troubleshooting.md.
 *
 * What is a list in the code is that list. What is only a type is written out here and held against it by the type check,
 * in both directions. The Python side has no types: its codes are collected from where they are raised and logged.
 */
import { RunRefused } from "@memory-bridge/core/identity/Admission"
import { IdentityRefused } from "@memory-bridge/core/identity/Caller"
import { auditFaults } from "@memory-bridge/core/guard/AuditLog"
import { type AuditProblem, cureOf as auditCure } from "@memory-bridge/core/guard/AuditReport"
import { evaluationReasons, failureReasons as guardFailures } from "@memory-bridge/core/guard/Decision"
import type { RootDefect } from "@memory-bridge/core/guard/LiteralPath"
import type { CommandDefect } from "@memory-bridge/core/guard/Terminal"
import type { WalkFault } from "@memory-bridge/core/guard/Walk"
import type { OperatorReason } from "@memory-bridge/core/host/OperatorReason"
import type { PublicCode } from "@memory-bridge/core/host/PublicAnswer"
import { activationReasons, refused as activationRefused } from "@memory-bridge/core/lab/ActivationPlace"
import { findingCodes } from "@memory-bridge/core/lab/Findings"
import { proposalCures, proposalReasons } from "@memory-bridge/core/lab/ProposalGate"
import type { RecordingRule } from "@memory-bridge/core/lab/Recorded"
import { ScanRefused } from "@memory-bridge/core/notes/Notes"
import type { PatternDefect } from "@memory-bridge/core/policy/Pattern"
import { PolicyRefused } from "@memory-bridge/core/policy/PolicyStore"
import type { TextDefect } from "@memory-bridge/core/policy/StrictJson"
import type { CaptureRefusal } from "@memory-bridge/core/recall/Capture"
import type { ConnectionDefect } from "@memory-bridge/core/recall/Connection"
import type { DiscoveryDefect } from "@memory-bridge/core/recall/Discovery"
import type { EndpointDefect } from "@memory-bridge/core/recall/Endpoint"
import { failureReasons as recallFailures } from "@memory-bridge/core/recall/Failure"
import type { Mode } from "@memory-bridge/core/recall/Mode"
import type { ToolError } from "@memory-bridge/core/recall/ToolAnswer"
import { fileFaults } from "@memory-bridge/core/recall/TrustedFile"
import type { Restriction } from "@memory-bridge/platform-linux/Landlock"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { editReasons } from "memory-bridge/config/YamlSource"
import { cureOf as connectCure } from "memory-bridge/connect/Cure"
import { connectReasons, refusal as connectRefusal } from "memory-bridge/connect/Refused"
import { activationCure } from "memory-bridge/operator/ActivationCure"
import {
  type Component,
  componentRules,
  cureFor,
  cureForScan,
  type NameRule,
  nameRules,
  scanRules
} from "memory-bridge/operator/Cure"
import type { Skip } from "memory-bridge/operator/doctor/Survey"
import { findingWords } from "memory-bridge/report/Words"
import { top } from "./Pages.ts"

/** All of a union, which only the type checker knows. */
const allOf = <A extends string>(codes: Readonly<Record<A, true>>): ReadonlyArray<A> => Object.keys(codes) as Array<A>

interface Words {
  readonly meaning?: string
  readonly cure: string
}

export interface Codes {
  readonly heading: string
  readonly codes: ReadonlyArray<string>
  /** What the program itself says of a code, where it does. */
  readonly words?: (code: string) => Words | undefined
}

/** Reasons that carry no list: one error, one code. */
const single = ["invalid_request", "not_found_or_denied", "root_untrusted"] satisfies Array<OperatorReason["reason"]>

const noteOnly = new Set(["not_file", "hard_link", "too_large", "changed", "not_utf8", "binary"])
const componentFor = (rule: string): Component => ({ part: noteOnly.has(rule) ? "note" : "directory", path: "PATH" })

const patternDefects = allOf<PatternDefect>({
  empty: true,
  too_long: true,
  too_deep: true,
  absolute: true,
  empty_segment: true,
  dot_segment: true,
  unsupported_character: true,
  partial_globstar: true,
  too_many_globstars: true
})
const textDefects = allOf<TextDefect["rule"]>({ not_json: true, duplicate_key: true, too_deep: true })

const moreSkips = allOf<Exclude<Skip, NameRule | (typeof componentRules)[number]>>({
  id_too_long: true,
  unlistable: true
})

const rootDefects = allOf<RootDefect>({
  relative: true,
  too_long: true,
  control_character: true,
  empty_segment: true,
  dot_segment: true,
  tilde: true,
  special_file_system: true,
  parent_segment: true,
  trailing_slash: true,
  pattern_character: true
})
const commandDefects = allOf<CommandDefect>({
  empty: true,
  too_long: true,
  character: true,
  spacing: true,
  quote: true,
  command: true,
  option: true,
  operand_count: true,
  operand: true
})
const walkFaults = allOf<WalkFault>({
  not_permitted: true,
  name_too_long: true,
  not_utf8: true,
  io: true,
  link_loop: true,
  not_directory: true,
  special_file_system: true,
  above_missing: true
})

const auditProblems = allOf<AuditProblem["problem"]>({
  ...(Object.fromEntries(auditFaults.map((fault) => [fault, true])) as Record<(typeof auditFaults)[number], true>),
  missing: true,
  unreadable: true,
  not_text: true,
  not_record: true,
  torn: true,
  chain_broken: true,
  chain_interrupted: true,
  repeated_id: true
})

const modeReasons = allOf<Extract<Mode, { readonly reason: string }>["reason"]>({
  setting_invalid: true,
  connection_missing: true,
  connection_refused: true,
  connection_invalid: true,
  not_configured: true,
  notes_off: true
})

const landlock = allOf<Extract<Restriction, { readonly kind: "not_in_force" }>["reason"]>({
  unsupported: true,
  disabled: true,
  refused: true
})

const captureRefusals = allOf<CaptureRefusal>({ nothing_left: true, private_key: true, too_long: true })

const publicCodes = allOf<PublicCode>({ invalid_request: true, unavailable: true, not_found_or_denied: true })
const toolErrors = allOf<ToolError>({ invalid_request: true, unavailable: true, not_offered: true, not_stored: true })

const endpointDefects = allOf<EndpointDefect>({
  scheme: true,
  userinfo: true,
  not_origin: true,
  host: true,
  port: true,
  plain_http: true
})
const textsOfFiles = allOf<ConnectionDefect | DiscoveryDefect>({
  not_json: true,
  duplicate_key: true,
  wrong_form: true,
  not_loopback: true
})

const recordingRules = allOf<RecordingRule>({
  too_long: true,
  line_too_long: true,
  too_many: true,
  not_json: true,
  duplicate_key: true,
  too_deep: true,
  not_call: true
})

const sourcesBelow = (folder: string, ending: string): string =>
  readdirSync(join(top, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n")

const found = (text: string, ...forms: ReadonlyArray<RegExp>): ReadonlyArray<string> =>
  forms.flatMap((form) => Array.from(text.matchAll(form), ([, code = ""]) => code))

const python = sourcesBelow("packages/hermes-plugin/python", ".py")
const pythonCodes = found(
  python,
  /(?:Refused|SidecarDied|DeadlinePassed)\("([a-z_]+)"\)/gu,
  /\bcode=([a-z_]+)/gu,
  /\brefusal = "([a-z_]+)"/gu,
  /"error": "([a-z_]+)"/gu,
  /"error": "[a-z_]+" if .* else "([a-z_]+)"/gu
)

/** Details that a fence bears without holding, as the code writes them. */
const fenceDetails = found(
  sourcesBelow("packages/hermes-plugin/src", ".ts"),
  /holds: false, detail: "([a-z_]+)"/gu,
  /refusing\("([a-z_]+)"\)/gu
)

/** Doctor's findings that are not "ok", each where it is made; a code that is put together ends in REASON here. */
const doctor = sourcesBelow("packages/cli/src/operator/doctor", ".ts")
const doctorCodes = [
  ...found(
    doctor,
    /\b(?:info|warning|error|finding|unasked)\(\s*"([a-z_]+)"/gu,
    /\bwarning\(\s*\w+ \? "([a-z_]+)"/gu,
    /\bwarning\(\s*\w+ \? "[a-z_]+" : "([a-z_]+)"/gu
  ),
  ...Array.from(
    doctor.matchAll(/\b(?:info|warning|error|make)\(\s*`([a-z]+_)\$\{[^}]+\}((?:_[a-z]+)?)`/gu),
    ([, before = "", after = ""]) => `${before}REASON${after}`
  ),
  ...found(doctor, /\basked\("[^"]*", "([a-z]+)"/gu).map((source) => `${source}_REASON`)
]

export const everyCode: ReadonlyArray<Codes> = [
  { heading: "Findings of doctor", codes: doctorCodes },
  { heading: "From the two memory tools", codes: publicCodes },
  { heading: "From the tools of recall", codes: toolErrors },
  {
    heading: "Log of memory-bridge: why a call was refused",
    codes: [
      ...single,
      ...IdentityRefused.fields.reason.literals,
      ...PolicyRefused.fields.reason.literals,
      ...RunRefused.fields.reason.literals,
      ...ScanRefused.fields.reason.literals
    ]
  },
  {
    heading: "A component of a path breaks a rule",
    codes: componentRules,
    words: (code) => cureFor(code, componentFor(code))
  },
  {
    heading: "A note is left out by its name",
    codes: [...nameRules, ...moreSkips],
    words: (code) => (moreSkips.some((skip) => skip === code) ? undefined : cureFor(code, componentFor(code)))
  },
  {
    heading: "A search as a whole is refused",
    codes: scanRules,
    words: (code) => cureForScan(code as (typeof scanRules)[number], "PATH")
  },
  { heading: "A policy file is invalid", codes: [...patternDefects, ...textDefects] },
  { heading: "The plugin could not ask its sidecar", codes: pythonCodes },
  { heading: "The sidecar names its fences at the start", codes: [...fenceDetails, ...landlock] },
  { heading: "The guard's decision", codes: [...evaluationReasons, ...guardFailures] },
  { heading: "Details of what cannot be checked", codes: [...rootDefects, ...commandDefects] },
  { heading: "Details of a path that does not resolve", codes: walkFaults },
  {
    heading: "The guard's audit",
    codes: auditProblems,
    words: (code) => ({ cure: auditCure(code as AuditProblem["problem"]) })
  },
  {
    heading: "A policy was not activated or rolled back",
    codes: activationReasons,
    words: (code) => activationCure(activationRefused(code as (typeof activationReasons)[number], "config"), "HOME")
  },
  { heading: "config.yaml cannot be edited safely", codes: editReasons },
  {
    heading: "A proposal is refused",
    codes: proposalReasons,
    words: (code) => ({ cure: proposalCures[code as (typeof proposalReasons)[number]] })
  },
  {
    heading: "Findings of a review",
    codes: findingCodes,
    words: (code) => findingWords[code as (typeof findingCodes)[number]]
  },
  { heading: "Recorded calls cannot be read", codes: recordingRules },
  { heading: "Rules of an address", codes: endpointDefects },
  { heading: "Texts of recall's files", codes: textsOfFiles },
  { heading: "Recall is off or disabled", codes: modeReasons },
  { heading: "Recall: the source gave nothing", codes: recallFailures },
  { heading: "Rules of recall's files", codes: fileFaults },
  { heading: "A text was not captured", codes: [...captureRefusals, "overloaded"] },
  {
    heading: "A home was not connected or disconnected",
    codes: connectReasons,
    words: (code) => connectCure(connectRefusal(code as (typeof connectReasons)[number], "PATH", "DETAIL"))
  }
]
