/** Properties of identity over arbitrary signals. (seed 000 "Profile identity": anything in doubt fails closed) */
import { assert, describe, it } from "@effect/vitest"
import { identify } from "@memory-bridge/core/identity/Caller"
import * as Result from "effect/Result"
import { decided, type Dice } from "./Generators.ts"

const homes = ["/h/ana", "/h/ana", "/h/ana", "/h/ana/", "/h/eve", "", "h", "/h/../ana", "/h//ana", "/h/ana", null]
const odd: ReadonlyArray<unknown> = [null, 0, 1, "", "x", true, false, [], {}, "/h/ana"]

const reading = (values: ReadonlyArray<unknown>, { chance, pick }: Dice): unknown =>
  chance(92)
    ? { state: "value", value: chance(95) ? pick(values) : pick(odd) }
    : pick<unknown>([
        { state: "missing" },
        { state: "raised" },
        { state: "value" },
        pick(values),
        { state: "missing", value: 1 }
      ])

const signals = decided((dice) => {
  const given: Record<string, unknown> = {
    get_hermes_home: reading(homes.slice(0, -1), dice),
    get_hermes_home_override: reading(homes.toReversed(), dice),
    current_secret_scope_home: reading(homes.toReversed(), dice),
    is_multiplex_active: reading([false, true], dice),
    is_delegated_child_process_context: reading([false, true], dice),
    cron_session: reading(["", "1", "0"], dice),
    cron_execution: reading([false, true], dice),
    plugin_host_process: dice.chance(97) ? dice.pick([false, true]) : dice.pick(odd)
  }
  if (dice.chance(5)) delete given[dice.pick(Object.keys(given))]
  if (dice.chance(5)) given[dice.pick(["home", "extra"])] = dice.pick(odd)
  return given
})

const valueOf = (given: unknown): unknown => (given as { readonly value?: unknown } | null)?.value

describe("identity", () => {
  const counts = { identified: 0 }

  it.prop(
    "never throws, and a caller's home is canonical and named by every signal that names one",
    [signals],
    ([given]) => {
      const result = identify(given)
      if (Result.isFailure(result)) return
      counts.identified++
      const { home } = result.success
      assert.match(home, /^(\/(?!\.{1,2}(\/|$))[^/]+)+$/u)
      for (const helper of ["get_hermes_home", "get_hermes_home_override", "current_secret_scope_home"]) {
        const named = valueOf(given[helper])
        if (named !== null) assert.strictEqual(String(named).replace(/\/$/u, ""), home)
      }
    },
    { arbitrary: { runs: 20_000, seed: 51, size: 60 } }
  )

  it.prop(
    "a caller of several profiles is bound, and any mark of a run needs its opt-in",
    [signals],
    ([given]) => {
      const result = identify(given)
      if (Result.isFailure(result)) return
      const { needs } = result.success
      const bound =
        valueOf(given["get_hermes_home_override"]) !== null || valueOf(given["current_secret_scope_home"]) !== null
      if (valueOf(given["is_multiplex_active"]) === true) assert.isTrue(bound)
      const separate = given["plugin_host_process"] === true
      const cron = valueOf(given["cron_session"]) !== "" || valueOf(given["cron_execution"]) === true
      assert.strictEqual(needs.includes("allow_cron"), cron || separate)
      const delegated = valueOf(given["is_delegated_child_process_context"]) === true
      assert.strictEqual(needs.includes("allow_subagents"), delegated || separate)
    },
    { arbitrary: { runs: 20_000, seed: 52, size: 60 } }
  )

  it("and callers are identified often enough to mean something", () => {
    assert.isAbove(counts.identified, 200)
  })
})
