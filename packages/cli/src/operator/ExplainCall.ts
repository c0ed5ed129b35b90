/**
 * What does the guard decide about this call, under the policy that is in force? (issue 7 item 3)
 *
 * The guard's own way from call to decision, as `guardian check` goes it. The policy is the home's, read as an activation
 * reads it, or one from a file. Nothing is recorded and nothing is carried out.
 */
import { decide } from "@memory-bridge/core/guard/Decide"
import { explain } from "@memory-bridge/core/guard/Explain"
import { selfRoots } from "@memory-bridge/core/guard/Installation"
import { modeOf } from "@memory-bridge/core/guard/Mode"
import { ActiveSettings } from "@memory-bridge/core/lab/ActivationPlace"
import * as StrictJson from "@memory-bridge/core/policy/StrictJson"
import { posixView } from "@memory-bridge/platform-posix/guard/PathFacts"
import { backupDirectoryOf } from "@memory-bridge/platform-posix/lab/BackupFiles"
import { labCalls } from "@memory-bridge/platform-posix/lab/LabCalls"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { settingsLayer } from "../config/Settings.ts"
import { exitCodes, Stopped } from "../Exit.ts"
import { refusedText } from "../screen/ActivationText.ts"
import { checkText } from "../screen/CheckText.ts"
import { Screen } from "../screen/Screen.ts"
import { activePolicy, type FoundPolicy, originWords } from "./ActivePolicy.ts"
import { homeOf } from "./HermesHome.ts"
import { inputText, policyFile } from "./LabInput.ts"

const Call = Schema.Struct({ tool: Schema.NonEmptyString, args: Schema.Record(Schema.String, Schema.Unknown) })
const decodeCall = Schema.decodeUnknownResult(Call, { onExcessProperty: "error" })

export interface ExplainCallOptions {
  readonly call: string
  readonly policy: string | undefined
  readonly home: string | undefined
  readonly json: boolean
}

/** The mode of the home; a file has none of its own and is shown as if it were enforced. */
const modeIn = (home: string) =>
  ActiveSettings.use(({ read }) => read).pipe(
    Effect.provide(settingsLayer(home, labCalls()).layer),
    Effect.map(({ mode }) => Result.getOrElse(modeOf(mode), () => "invalid" as const))
  )

const stop = Effect.fnUntraced(function* (text: string, code: 1 | 2) {
  yield* (yield* Screen).err(text)
  return yield* new Stopped({ code })
})

export const explainCall = Effect.fnUntraced(function* ({ call, home: named, json, policy: file }: ExplainCallOptions) {
  const screen = yield* Screen
  const home = homeOf(named)
  const asked = Result.getOrElse(Result.flatMap(StrictJson.parse(call), decodeCall), () => undefined)
  if (asked === undefined) {
    const hint = 'hint  {"tool": "read_file", "args": {"path": "/a/b"}}'
    return yield* stop(`memory-bridge: The call is not valid.\n  ${hint}\n`, exitCodes.invalid)
  }
  const active = Effect.all({ found: activePolicy(home, homedir()), mode: modeIn(home) })
  const { found, mode } = yield* file === undefined
    ? active.pipe(
        Effect.catchTag("ActivationRefused", (refusal) => stop(refusedText(refusal, home), exitCodes.refused))
      )
    : policyFile(resolve(file), homedir()).pipe(
        Effect.map(({ policy }) => {
          const found: FoundPolicy = { policy, origin: "file", file: resolve(file) }
          return { found, mode: "enforce" as const }
        }),
        Effect.catchTag("InputRefused", (refusal) => stop(inputText(refusal), exitCodes.refused))
      )
  const self = selfRoots({
    hermes_home: home,
    user_home: homedir(),
    plugin_source: join(home, "plugins", "hermes-guardian"),
    backups: [backupDirectoryOf(home)]
  })
  const evaluation = decide(found.policy, self, posixView, asked.tool, asked.args)
  const findings = explain(found.policy, evaluation)
  const { file: place, origin } = found
  if (json) {
    const answer = { ...evaluation.decision, mode, policy: { origin, file: place }, findings }
    return yield* screen.out(JSON.stringify(answer) + "\n")
  }
  const loose = mode === "enforce" ? "" : screen.paint.bad(`The guard of this home is in mode ${mode}.\n`)
  yield* screen.out(`Policy: ${originWords(found)}\n${loose}${checkText(evaluation.decision, findings, screen)}`)
})
