/**
 * The demo as a program: make the world, play the host, go through the steps, clean up. (seed 000 "Synthetic demo")
 *
 * It takes no destination, reads nothing but its own texts and the built plugin, and leaves nothing behind: the scope
 * ends the host first, with its sidecars, and then removes the files.
 */
import type { PolicyRefused } from "@memory-bridge/core/policy/PolicyStore"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import * as Effect from "effect/Effect"
import { exitCodes, Stopped } from "../Exit.ts"
import { explain, explanationText } from "../operator/Explanation.ts"
import { Screen } from "../screen/Screen.ts"
import * as Callers from "./Callers.ts"
import { makeChecker } from "./Check.ts"
import { failures, refuse, sayFailure } from "./Ending.ts"
import * as Fixture from "./Fixture.ts"
import { converse } from "./Interactive.ts"
import { findPlugin } from "./Plugin.ts"
import { steps } from "./Steps.ts"
import { openingText, stepText, summaryText } from "./Transcript.ts"

/** A temporary directory that the trust rule refuses would make every step fail: better to say so, once. */
const checkGround = (fixture: Fixture.Fixture) => {
  const policyPath = fixture.policyOf("alpha")
  const advice = "The demo's temporary directory is refused. Set TMPDIR to a directory of your own, or:\n"
  return PolicyStore.use((policies) => policies.load(policyPath)).pipe(
    Effect.catch((refusal: PolicyRefused) =>
      refuse(advice + explanationText(explain(refusal, { policyPath, root: undefined })))
    )
  )
}

/** Answers with the number of steps that went otherwise than expected. */
const showSteps = Effect.fnUntraced(function* (fixture: Fixture.Fixture, host: Callers.Callers) {
  const screen = yield* Screen
  const check = makeChecker(fixture)
  let failed = 0
  for (const [i, step] of steps.entries()) {
    if (step.operator !== undefined) yield* Effect.uninterruptible(step.operator.action(fixture))
    const args = step.args(fixture)
    const reply = yield* host.call(step.by, step.tool, args)
    const wrong = check(step.expected, reply)
    if (wrong !== undefined) failed++
    yield* screen.out(stepText({ number: i + 1, step, args, reply, wrong }, screen))
  }
  yield* screen.out(summaryText(steps.length - failed, failed, screen))
  return failed
})

export interface DemoOptions {
  readonly interactive: boolean
  /** The built plugin directory, or `undefined` for the one beside this program. */
  readonly plugin: string | undefined
}

export const demo = ({ interactive, plugin }: DemoOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const built = yield* findPlugin("memory-bridge", plugin)
    const fixture = yield* Fixture.make(built)
    yield* checkGround(fixture)
    const host = yield* Callers.start(fixture)
    yield* screen.out(openingText(fixture.top, host.python, screen))
    const failed = yield* showSteps(fixture, host)
    if (interactive) {
      yield* Fixture.resetPolicies(fixture)
      yield* converse(host)
    }
    if (failed > 0) return yield* new Stopped({ code: exitCodes.invalid })
  }).pipe(Effect.scoped, Effect.catchTag(failures, sayFailure))
