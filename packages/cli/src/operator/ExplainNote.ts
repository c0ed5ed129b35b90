/** `explain` at the command line: which policy, what is printed, and how it ends. (issue 7 item 3) */
import { policyPathOf } from "@memory-bridge/core/policy/PolicyStore"
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import { exitCodes, Stopped } from "../Exit.ts"
import { explainText } from "../screen/ExplainText.ts"
import { Screen } from "../screen/Screen.ts"
import { explain, type Explained } from "./Explain.ts"
import { homeOf } from "./HermesHome.ts"

export interface ExplainOptions {
  readonly argument: string
  readonly policy: string | undefined
  readonly home: string | undefined
  readonly json: boolean
}

/** With the refusal's details as names and texts, and no member left out. */
const asJson = ({ holds, refusal, ...rest }: Explained) => ({
  ok: rest.served,
  ...rest,
  holds: holds ?? null,
  refusal: refusal === undefined ? null : { headline: refusal.headline, ...Object.fromEntries(refusal.details) }
})

export const explainNote = Effect.fnUntraced(function* ({ argument, home, json, policy }: ExplainOptions) {
  const screen = yield* Screen
  if (policy !== undefined && home !== undefined) {
    yield* screen.err("memory-bridge: Name either the policy file or a home, not both.\n")
    return yield* new Stopped({ code: exitCodes.invalid })
  }
  const policyPath = policy === undefined ? policyPathOf(homeOf(home)) : resolve(policy)
  const explained = yield* explain({ argument, policyPath, resolve: (path) => resolve(path) })
  yield* screen.out(json ? JSON.stringify(asJson(explained)) + "\n" : explainText(explained, screen))
  if (explained.refusal !== undefined) return yield* new Stopped({ code: explained.refusal.exitCode })
})
