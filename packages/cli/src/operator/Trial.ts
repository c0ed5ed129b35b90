/**
 * A policy for trying a folder out: all its notes, for one command, never written down. (seed 000 "Policy")
 *
 * The folder may be given by any path, since the operator named it: links are resolved once, here, and the result is
 * said. From then on it is a root like any other, under the same decoding and the same trust rule.
 */
import { decode } from "@memory-bridge/core/policy/Policy"
import { PolicyRefused } from "@memory-bridge/core/policy/PolicyStore"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { Screen } from "../screen/Screen.ts"
import type { PolicySource } from "./Ask.ts"
import { show } from "./Quote.ts"

/** Said to a person whose search found nothing. */
export const nothingFound =
  "Version 1 serves only .md files whose names use A-Z a-z 0-9 . _ - and do not start with a dot.\n"

const policyText = (root: string): string => JSON.stringify({ version: 1, root, allow: ["**/*.md"] })

const loadTrial = (root: string) =>
  Effect.fromResult(
    Result.mapError(
      decode(policyText(root)),
      ({ key, rule }) => new PolicyRefused({ reason: "policy_invalid", component: root, key, rule })
    )
  )

/** The policy for `directory`. Where the real path cannot be found, the path as given is left for the walk to refuse. */
export const trialOf = Effect.fnUntraced(function* (directory: string) {
  const screen = yield* Screen
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const given = path.resolve(directory)
  const root = yield* Effect.orElseSucceed(files.realPath(given), () => given)
  if (root !== given)
    yield* screen.err(`memory-bridge: ${show(directory)} leads to ${show(root)}; that folder is searched.\n`)
  const source: PolicySource<never> = { path: "", load: loadTrial(root) }
  return source
})
