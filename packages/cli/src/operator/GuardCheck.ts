/**
 * What would the guardian decide about this call? (design.md section 1: the operator must be able to find out why)
 *
 * The guard's own way from call to decision, with every finding shown, and without the audit: nothing is recorded and
 * nothing is carried out. The policy is the JSON form of what stands in the profile's settings.
 */
import { decide } from "@memory-bridge/core/guard/Decide"
import { explain, type Explained } from "@memory-bridge/core/guard/Explain"
import { selfRoots } from "@memory-bridge/core/guard/Installation"
import { decodeText } from "@memory-bridge/core/guard/Settings"
import * as StrictJson from "@memory-bridge/core/policy/StrictJson"
import { posixView } from "@memory-bridge/platform-posix/guard/PathFacts"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { homedir } from "node:os"
import { join } from "node:path"
import { exitCodes, Stopped } from "../Exit.ts"
import { checkText } from "../screen/CheckText.ts"
import { Screen } from "../screen/Screen.ts"
import { homeOf } from "./HermesHome.ts"
import { show } from "./Quote.ts"

const Call = Schema.Struct({ tool: Schema.NonEmptyString, args: Schema.Record(Schema.String, Schema.Unknown) })
const decodeCall = Schema.decodeUnknownResult(Call, { onExcessProperty: "error" })

export interface CheckOptions {
  readonly call: string
  readonly policy: string
  readonly home: string | undefined
  readonly json: boolean
}

const stop = Effect.fnUntraced(function* (text: string, code: 1 | 2) {
  yield* (yield* Screen).err(`memory-bridge: ${text}\n`)
  return yield* new Stopped({ code })
})

export const checkCall = Effect.fnUntraced(function* ({ call, home, json, policy }: CheckOptions) {
  const screen = yield* Screen
  const files = yield* FileSystem.FileSystem
  const asked = Result.getOrElse(Result.flatMap(StrictJson.parse(call), decodeCall), () => undefined)
  if (asked === undefined) {
    return yield* stop(
      'The call is not valid.\n  hint  {"tool": "read_file", "args": {"path": "/a/b"}}',
      exitCodes.invalid
    )
  }
  const text = yield* files
    .readFileString(policy)
    .pipe(Effect.catch(() => stop(`The policy cannot be read.\n  component  ${show(policy)}`, exitCodes.refused)))
  const decoded = decodeText(text, homedir())
  if (Result.isFailure(decoded)) {
    const { key, rule } = decoded.failure
    const where = key === "" ? "" : `\n  key        ${show(key)}`
    return yield* stop(
      `The policy is not valid.\n  component  ${show(policy)}${where}\n  rule       ${show(rule)}`,
      exitCodes.refused
    )
  }
  const hermesHome = homeOf(home)
  const self = selfRoots({
    hermes_home: hermesHome,
    user_home: homedir(),
    plugin_source: join(hermesHome, "plugins", "hermes-guardian"),
    backups: []
  })
  const evaluation = decide(decoded.success, self, posixView, asked.tool, asked.args)
  const findings: ReadonlyArray<Explained> = explain(decoded.success, evaluation)
  yield* screen.out(
    json
      ? JSON.stringify({ ...evaluation.decision, findings }) + "\n"
      : checkText(evaluation.decision, findings, screen)
  )
})
