/**
 * The first policy of a profile: asked for or given, shown, and only then written. (issue 7 item 1)
 *
 * What would become visible is found out by the engine itself, over the policy as it will stand in the file. The place is
 * judged before anything is made in it, by the trust rule and with the cures of every other command. An existing policy is
 * never touched.
 */
import { decode, type Policy } from "@memory-bridge/core/policy/Policy"
import { policyPathOf, PolicyRefused, PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { Tree } from "@memory-bridge/core/tree/Tree"
import { openTrustedDirectory } from "@memory-bridge/core/trust/TrustedPath"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { lstatSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { exitCodes, Stopped } from "../Exit.ts"
import { askAllow, askDeny, askRoot, askWrite, aboutToWrite, existsText, writtenText } from "../screen/InitText.ts"
import { Screen } from "../screen/Screen.ts"
import { type OperatorRefusal, explain, explanationText } from "./Explanation.ts"
import { homeOf } from "./HermesHome.ts"
import { writePolicy } from "./InitFile.ts"
import { rootRefusal } from "./PolicyCheck.ts"
import { quote, show } from "./Quote.ts"
import { survey } from "./doctor/Survey.ts"

export interface InitOptions {
  readonly home: string | undefined
  readonly root: string | undefined
  readonly allow: ReadonlyArray<string>
  readonly deny: ReadonlyArray<string>
  readonly yes: boolean
  readonly dryRun: boolean
}

const everything = ["**/*.md"]

const stop = Effect.fnUntraced(function* (text: string, code: 1 | 2) {
  yield* (yield* Screen).err(text)
  return yield* new Stopped({ code })
})

const refuse = (refusal: OperatorRefusal, policyPath: string, root: Policy | undefined) => {
  const explanation = explain(refusal, { policyPath, root })
  return stop(explanationText(explanation), exitCodes.refused)
}

const ask = Effect.fnUntraced(function* (question: string) {
  yield* (yield* Screen).out(question)
  const terminal = yield* Terminal.Terminal
  return (yield* terminal.readLine.pipe(Effect.catch(() => Effect.interrupt))).trim()
})

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** The last directory on the way to the policy that is there already; the home itself has to be. */
const placeOf = (home: string, path: string): string => {
  let place = dirname(path)
  while (place !== home && !isThere(place)) place = dirname(place)
  return place
}

const refusedPlace = Effect.fnUntraced(function* (place: string) {
  const tree = yield* Tree
  return yield* Effect.scoped(
    Effect.map(tree.walk, (walk) => {
      const opened = openTrustedDirectory(walk, place)
      if (typeof opened !== "object") return undefined
      const { component, rule } = opened
      return new PolicyRefused({ reason: "policy_path_untrusted", component, key: "", rule })
    })
  )
})

/** What the operator wrote, with links resolved once and `~` as a shell would. */
const rootOf = Effect.fnUntraced(function* (given: string) {
  const files = yield* FileSystem.FileSystem
  const path = resolve(given === "~" || given.startsWith("~/") ? join(homedir(), given.slice(1)) : given)
  return yield* Effect.orElseSucceed(files.realPath(path), () => path)
})

const patternsIn = (answer: string): ReadonlyArray<string> => answer.split(/\s+/).filter((word) => word !== "")

/** What is not given is asked for in a terminal. Elsewhere the root is needed and the patterns have their defaults. */
const answers = Effect.fnUntraced(function* ({ allow, deny, root }: InitOptions, asks: boolean) {
  const named = root ?? (asks ? yield* ask(askRoot) : "")
  if (named === "") {
    return yield* stop(
      "memory-bridge: No folder of notes is named, so nothing was written.\n  hint  --root DIR\n",
      exitCodes.invalid
    )
  }
  const allowed = allow.length > 0 || !asks ? allow : patternsIn(yield* ask(askAllow))
  const denied = deny.length > 0 || !asks ? deny : patternsIn(yield* ask(askDeny))
  return { root: yield* rootOf(named), allow: allowed.length === 0 ? everything : allowed, deny: denied }
})

export const policyText = (root: string, allow: ReadonlyArray<string>, deny: ReadonlyArray<string>): string =>
  JSON.stringify({ version: 1, root, allow, deny, allow_cron: false, allow_subagents: false }, undefined, 2) + "\n"

export const init = Effect.fnUntraced(function* (options: InitOptions) {
  const screen = yield* Screen
  const stdio = yield* Stdio.Stdio
  const home = homeOf(options.home)
  const path = policyPathOf(home)
  const terminal = (yield* stdio.stdinIsTerminal) && !options.yes
  if (isThere(path)) return yield* stop(existsText(path), exitCodes.refused)
  const untrusted = yield* refusedPlace(placeOf(home, path))
  if (untrusted !== undefined) return yield* refuse(untrusted, path, undefined)

  const { allow, deny, root } = yield* answers(options, terminal)
  const text = policyText(root, allow, deny)
  const decoded = decode(text)
  if (Result.isFailure(decoded)) {
    const { key, rule } = decoded.failure
    return yield* stop(
      `memory-bridge: That is no valid policy, so nothing was written.\n  key   ${show(key)}\n  rule  ${show(rule)}\n`,
      exitCodes.invalid
    )
  }
  const policy = decoded.success
  const refusedRoot = yield* rootRefusal(policy)
  if (refusedRoot !== undefined) return yield* refuse(refusedRoot, path, policy)
  if (home === root || home.startsWith(`${root}/`) || path.startsWith(`${root}/`)) {
    return yield* stop(
      `memory-bridge: The policy would lie in the folder that it opens, so nothing was written.\n  component  ${show(root)}\n  cure       name a folder of notes that the home is not in\n`,
      exitCodes.refused
    )
  }
  const found = yield* survey(policy)
  yield* screen.out(aboutToWrite(path, text, found, screen))
  if (options.dryRun) return yield* screen.out("Nothing was written (--dry-run).\n")
  if (!options.yes) {
    if (!terminal) {
      return yield* stop("memory-bridge: Not confirmed, so nothing was written.\n  hint  --yes\n", exitCodes.invalid)
    }
    const answer = yield* ask(askWrite)
    if (!/^y(?:es)?$/i.test(answer)) return yield* stop("memory-bridge: Nothing was written.\n", exitCodes.invalid)
  }
  const written = yield* Effect.promise(() => writePolicy(path, text))
  if (written === "exists") return yield* stop(existsText(path), exitCodes.refused)
  if (written === "failed") {
    return yield* stop(
      `memory-bridge: The policy could not be written.\n  component  ${show(dirname(path))}\n  cure       see the directory's rights and the room left: ls -ld ${quote(home)}\n`,
      exitCodes.refused
    )
  }
  // The engine's own word that it will be used.
  const loaded = yield* Effect.result(PolicyStore.use((policies) => policies.load(path)))
  if (Result.isFailure(loaded)) return yield* refuse(loaded.failure, path, policy)
  yield* screen.out(writtenText(path, home, screen))
})
