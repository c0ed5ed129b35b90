/**
 * The lab at the command line: what would a policy decide, what would change, and the same as a page. (issue 5 items 2, 3
 * and 6; seed 004 "Policy Lab")
 *
 * Reads and never changes anything, but for the one new file that a page is written to. Every judgement is the core's.
 */
import { type Installation, selfRoots } from "@memory-bridge/core/guard/Installation"
import type { Policy } from "@memory-bridge/core/guard/Policy"
import { weakenedBy } from "@memory-bridge/core/lab/Activation"
import type { ActivationRefused } from "@memory-bridge/core/lab/ActivationPlace"
import { fingerprintOf } from "@memory-bridge/core/lab/Fingerprint"
import { neighboursOf } from "@memory-bridge/core/lab/Neighbours"
import { review } from "@memory-bridge/core/lab/Review"
import { placeOf, scenariosOf } from "@memory-bridge/core/lab/Scenarios"
import { type Outcome, type ProposedCall, simulator, summaryOf } from "@memory-bridge/core/lab/Simulation"
import { posixView } from "@memory-bridge/platform-posix/guard/PathFacts"
import { backupDirectoryOf } from "@memory-bridge/platform-posix/lab/BackupFiles"
import { sha256 } from "@memory-bridge/platform-posix/lab/Fingerprint"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { homedir } from "node:os"
import { join } from "node:path"
import { exitCodes, Stopped } from "../Exit.ts"
import { page } from "../report/Page.ts"
import { writeNew } from "../report/NewFile.ts"
import { progressOn, standardWaiting } from "../screen/Progress.ts"
import { type Reviewed, reviewText } from "../screen/ReviewText.ts"
import { Screen } from "../screen/Screen.ts"
import { simulationJson, simulationText } from "../screen/SimulationText.ts"
import { placeOf as placeNamed, activationCure } from "./ActivationCure.ts"
import { activePolicy, type FoundPolicy } from "./ActivePolicy.ts"
import { homeOf } from "./HermesHome.ts"
import { InputRefused, inputText, policyFile, type RecordingFiles, recordings } from "./LabInput.ts"
import { quote, show } from "./Quote.ts"

export interface SimulateOptions extends RecordingFiles {
  /** A policy file, or `undefined` for the active one. */
  readonly policy: string | undefined
  readonly home: string | undefined
  readonly json: boolean
}

export interface ReviewOptions extends SimulateOptions {
  readonly proposed: string
  readonly noNewAccess: boolean
}

export interface ReportOptions extends Omit<SimulateOptions, "json"> {
  readonly proposed: string
  readonly html: string
}

const settingsRefused = (refusal: ActivationRefused, home: string): InputRefused => {
  const { cure, meaning } = activationCure(refusal, home)
  const place = placeNamed(home, refusal.subject)
  return new InputRefused({
    headline: "The active policy cannot be read.",
    details: [
      ["component", place === "" ? refusal.subject : show(place)],
      ["rule", `${refusal.reason}: it ${meaning}`],
      ["cure", `${cure}; or name a home with --home, or a policy with --policy`]
    ]
  })
}

const noHome = (home: string): InputRefused =>
  new InputRefused({
    headline: "The active policy cannot be read.",
    details: [
      ["component", show(home)],
      ["rule", "missing: there is no such Hermes home"],
      ["cure", "name a home with --home, or a policy with --policy"]
    ]
  })

/** Everything that was handed in is refused in the same voice. */
const orStopped = <A, R>(effect: Effect.Effect<A, InputRefused, R>) =>
  Effect.catchTag(effect, "InputRefused", (refusal) =>
    Screen.use((screen) => screen.err(inputText(refusal))).pipe(
      Effect.andThen(Effect.fail(new Stopped({ code: exitCodes.refused })))
    )
  )

const foundIn = Effect.fnUntraced(function* (file: string | undefined, home: string) {
  if (file !== undefined) {
    const found: FoundPolicy = { policy: (yield* policyFile(file, homedir())).policy, origin: "file", file }
    return found
  }
  const isThere = yield* FileSystem.FileSystem.use((files) => Effect.orElseSucceed(files.exists(home), () => true))
  if (!isThere) return yield* noHome(home)
  return yield* Effect.catchTag(activePolicy(home, homedir()), "ActivationRefused", (refusal) =>
    Effect.fail(settingsRefused(refusal, home))
  )
})

/** As the plugin takes it for its own. */
const installationOf = (home: string): Installation => ({
  hermes_home: home,
  user_home: homedir(),
  plugin_source: join(home, "plugins", "hermes-guardian"),
  backups: [backupDirectoryOf(home)]
})

/** Near the rules of every policy that is looked at, each call once. */
const generatedCalls = (policies: ReadonlyArray<Policy>, installation: Installation): ReadonlyArray<ProposedCall> => {
  const seen = new Set<string>()
  const fresh = ({ args, tool }: ProposedCall): boolean => {
    const key = JSON.stringify([tool, args])
    if (seen.has(key)) return false
    seen.add(key)
    return true
  }
  const [last] = policies.slice(-1)
  return [
    ...(last === undefined ? [] : scenariosOf(placeOf(last, installation))),
    ...policies.toReversed().flatMap(neighboursOf).filter(fresh)
  ]
}

/** Calls between two looks at whether somebody wants to stop. */
const batch = 2000

export const simulatePolicy = Effect.fnUntraced(function* (options: SimulateOptions) {
  const screen = yield* Screen
  const home = homeOf(options.home)
  const installation = installationOf(home)
  const found = yield* orStopped(foundIn(options.policy, home))
  const recorded = yield* orStopped(recordings(options))
  const calls = [...generatedCalls([found.policy], installation), ...recorded.calls]
  const decide = simulator({ policy: found.policy, self: selfRoots(installation), view: posixView })
  const progress = progressOn(standardWaiting())
  const outcomes: Array<Outcome> = []
  for (let start = 0; start < calls.length; start += batch) {
    for (const call of calls.slice(start, start + batch)) outcomes.push(decide(call))
    progress.at(outcomes.length, calls.length)
    yield* Effect.yieldNow
  }
  progress.end()
  const simulated = {
    found,
    fingerprint: fingerprintOf(sha256, found.policy),
    outcomes,
    summary: summaryOf(outcomes),
    skipped: recorded.skipped
  }
  if (!options.json) return yield* screen.out(simulationText(simulated, screen))
  for (const piece of simulationJson(simulated)) yield* screen.out(piece)
})

/** Only what was compared with the active policy can be activated as it was reviewed. */
const activation = (
  { home, policy, proposed }: Pick<ReviewOptions, "home" | "policy" | "proposed">,
  of: Reviewed["review"]
): Reviewed["activation"] => {
  if (policy !== undefined) return { can: false, why: "not_active" }
  if (of.active.fingerprint === of.proposed.fingerprint) return { can: false, why: "same" }
  const place = home === undefined ? "" : ` --home ${quote(home)}`
  return {
    can: true,
    command:
      `memory-bridge guardian activate --policy ${quote(proposed)}${place}` +
      ` --fingerprint ${of.proposed.fingerprint} --weakened ${weakenedBy(of)} --against ${of.active.fingerprint}`
  }
}

const reviewed = Effect.fnUntraced(function* (options: Omit<ReviewOptions, "json" | "noNewAccess">) {
  const home = homeOf(options.home)
  const installation = installationOf(home)
  const file = yield* policyFile(options.proposed, homedir())
  const proposed = file.policy
  const active = yield* foundIn(options.policy, home)
  const recorded = yield* recordings(options)
  const calls = [...generatedCalls([active.policy, proposed], installation), ...recorded.calls]
  const progress = progressOn(standardWaiting())
  const result = review(
    sha256,
    { active: active.policy, proposed, calls, self: selfRoots(installation), view: posixView },
    progress.at
  )
  progress.end()
  const made: Reviewed = {
    review: result,
    active,
    proposed: options.proposed,
    skipped: recorded.skipped,
    activation: activation(options, result)
  }
  return made
})

export const reviewPolicy = Effect.fnUntraced(function* (options: ReviewOptions) {
  const screen = yield* Screen
  const made = yield* orStopped(reviewed(options))
  yield* screen.out(options.json ? JSON.stringify(reviewJson(made)) + "\n" : reviewText(made, screen))
  if (options.noNewAccess && weakenedBy(made.review) > 0) return yield* new Stopped({ code: exitCodes.weakened })
})

/** The review as the core has it, and beside it what was compared and what to type. */
const reviewJson = ({ activation, active: { file, origin }, proposed, review, skipped }: Reviewed) => ({
  ...review,
  from: { active: { origin, file }, proposed: { origin: "file", file: proposed } },
  skipped,
  weakened: weakenedBy(review),
  activation: activation.can ? activation.command : null
})

const writing: Readonly<Record<"exists" | "not_there" | "failed", readonly [rule: string, cure: string]>> = {
  exists: ["exists: there is something of that name, and a report is never written over it", "name a new file"],
  not_there: ["missing: its directory is not there", "name a file in a directory that is"],
  failed: ["storage: the system could not write it", "see the directory's rights and the room left"]
}

export const reportPolicy = Effect.fnUntraced(function* ({ html, ...options }: ReportOptions) {
  const screen = yield* Screen
  const made = yield* orStopped(reviewed(options))
  const text = page(made, yield* Clock.currentTimeMillis)
  const written = yield* Effect.sync(() => writeNew(html, text))
  if (written !== "written") {
    const [rule, cure] = writing[written]
    yield* screen.err(
      inputText(
        new InputRefused({
          headline: "The report was not written.",
          details: [
            ["component", show(html)],
            ["rule", rule],
            ["cure", cure]
          ]
        })
      )
    )
    return yield* new Stopped({ code: exitCodes.refused })
  }
  const weaker = weakenedBy(made.review)
  yield* screen.out(
    [
      `Written to ${show(html)}, for your eyes alone (0600).`,
      weaker === 0
        ? screen.paint.good("Nothing is refused less than before.")
        : screen.paint.bad(`Weakened: ${weaker}. Read that part first.`),
      ""
    ].join("\n")
  )
})
