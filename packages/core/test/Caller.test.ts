/** Seed 000 "Who is calling", "Profile identity"; design.md section 4. The table of signal combinations. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { type Caller, identify, type IdentityRefused } from "@memory-bridge/core/identity/Caller"
import { helperNames, missing, ordinary, raised, signals, value, without } from "./given/Signals.ts"

const refusal = (given: unknown): IdentityRefused => {
  const result = identify(given)
  assert.isTrue(Result.isFailure(result), `identified a caller from ${JSON.stringify(given)}`)
  return (result as Result.Failure<never, IdentityRefused>).failure
}

const caller = (given: unknown) => {
  const result = identify(given)
  assert.isTrue(Result.isSuccess(result), `${JSON.stringify(result)} for ${JSON.stringify(given)}`)
  return (result as Result.Success<Caller, never>).success
}

const product = <A, B>(as: ReadonlyArray<A>, bs: ReadonlyArray<B>): ReadonlyArray<readonly [A, B]> =>
  as.flatMap((a) => bs.map((b) => [a, b] as const))

describe("every helper is required", () => {
  it("an ordinary call is the resolved home's, and needs no opt-in", () => {
    assert.deepStrictEqual({ ...caller(ordinary) }, { home: "/h/ana", needs: [] } as never)
  })

  it("of all 2187 combinations of present, missing and raising helpers, only the complete one is identified", () => {
    const states = ["value", "missing", "raised"] as const
    const combinations = helperNames.reduce<ReadonlyArray<ReadonlyArray<string>>>(
      (rows) => rows.flatMap((row) => states.map((state) => row.concat(state))),
      [[]]
    )
    assert.lengthOf(combinations, 2187)
    for (const row of combinations) {
      const given = { ...ordinary }
      row.forEach((state, i) => {
        const helper = helperNames[i] ?? ""
        if (state !== "value") given[helper] = { state }
      })
      if (row.every((state) => state === "value")) {
        caller(given)
        continue
      }
      const { helper, reason } = refusal(given)
      const state = row[helperNames.indexOf(helper as never)]
      assert.strictEqual(reason, state === "missing" ? "helper_missing" : "helper_raised")
      assert.include(["missing", "raised"], state)
    }
  })

  it.each(helperNames)("%s missing is told from raised, and named", (helper) => {
    assert.deepInclude(refusal(signals({ [helper]: missing })), { reason: "helper_missing", helper })
    assert.deepInclude(refusal(signals({ [helper]: raised })), { reason: "helper_raised", helper })
  })
})

describe("signals of another form than agreed are refused", () => {
  const texts = [undefined, 0, 1, true, false, {}, [], ["/h/ana"]]
  const booleans = [undefined, null, 0, 1, "", "true", {}, []]
  const wrong: Readonly<Record<string, ReadonlyArray<unknown>>> = {
    get_hermes_home: [null, ...texts],
    get_hermes_home_override: texts,
    current_secret_scope_home: texts,
    is_multiplex_active: booleans,
    is_delegated_child_process_context: booleans,
    cron_session: [null, ...texts],
    cron_execution: booleans
  }

  it.each(helperNames)("%s of a wrong type", (helper) => {
    for (const bad of wrong[helper] ?? []) {
      assert.deepInclude(refusal(signals({ [helper]: value(bad) })), { reason: "signals_malformed", helper: "" })
    }
  })

  it.each([...helperNames, "plugin_host_process"])("%s not sent at all", (key) => {
    assert.strictEqual(refusal(without(key)).reason, "signals_malformed")
  })

  it.each(helperNames)("%s sent bare, with an unknown state, with more or less than its state has", (helper) => {
    const bare = (ordinary[helper] as { readonly value: unknown }).value
    const forms = [
      bare,
      null,
      [],
      {},
      { value: bare },
      { state: "value" },
      { state: "present", value: bare },
      { state: "Value", value: bare },
      { state: "missing", value: bare },
      { state: "raised", error: "boom" },
      { state: "value", value: bare, extra: 1 },
      { state: null, value: bare }
    ]
    for (const form of forms) {
      assert.strictEqual(refusal(signals({ [helper]: form })).reason, "signals_malformed", JSON.stringify(form))
    }
  })

  it.each([null, 0, 1, "false", "", {}, []])("plugin_host_process that is %j instead of a boolean", (bad) => {
    assert.strictEqual(refusal(signals({ plugin_host_process: bad })).reason, "signals_malformed")
  })

  it.each([undefined, null, "", "/h/ana", 7, true, [], [ordinary], {}])("signals that are %j", (bad) => {
    assert.strictEqual(refusal(bad).reason, "signals_malformed")
  })

  it.each(["home", "args", "profile", "GET_HERMES_HOME", "needs"])("an unknown key, here %s", (key) => {
    assert.strictEqual(refusal(signals({ [key]: value("/h/eve") })).reason, "signals_malformed")
  })

  it("an unknown key that is called __proto__, as JSON can send it", () => {
    const text = JSON.stringify(ordinary).replace("{", `{"__proto__": {"state": "value", "value": "/h/eve"}, `)
    assert.strictEqual(refusal(JSON.parse(text)).reason, "signals_malformed")
  })
})

describe("all signals of the home name one canonical absolute directory", () => {
  // Spelling -> what it names; undefined: nothing, so the call is refused.
  const spellings = new Map<string, string | undefined>([
    ["/h/ana", "/h/ana"],
    ["/h/ana/", "/h/ana"],
    ["/h/ana///", "/h/ana"],
    ["/h/eve", "/h/eve"],
    ["/H/ana", "/H/ana"],
    ["/h/ana ", "/h/ana "],
    ["/", "/"],
    ["", undefined],
    ["h/ana", undefined],
    ["./h", undefined],
    [".", undefined],
    ["~/ana", undefined],
    ["/h//ana", undefined],
    ["//h/ana", undefined],
    ["/h/./ana", undefined],
    ["/h/ana/.", undefined],
    ["/h/eve/../ana", undefined],
    ["/h/ana/..", undefined],
    ["/h/ana\0", undefined]
  ])
  const bound: ReadonlyArray<string | null> = [null, ...spellings.keys()]

  const expected = (homes: ReadonlyArray<string | null>, multiplex: boolean): string => {
    const named = homes.filter((home) => home !== null).map((home) => spellings.get(home))
    if (named.includes(undefined)) return "home_invalid"
    if (new Set(named).size > 1) return "home_conflict"
    return multiplex && named.length === 1 ? "home_unbound" : `= ${named[0]}`
  }

  it.each([...spellings.keys()])("resolved %j with every override and scope, one profile or several", (resolved) => {
    for (const [override, scope] of product(bound, bound)) {
      for (const multiplex of [false, true]) {
        const given = signals({
          get_hermes_home: value(resolved),
          get_hermes_home_override: value(override),
          current_secret_scope_home: value(scope),
          is_multiplex_active: value(multiplex)
        })
        const result = identify(given)
        const actual = Result.isSuccess(result) ? `= ${result.success.home}` : result.failure.reason
        assert.strictEqual(actual, expected([resolved, override, scope], multiplex), JSON.stringify(given))
      }
    }
  })

  it.each([
    ["override", "get_hermes_home_override"],
    ["secret scope", "current_secret_scope_home"]
  ])("a foreign home in the %s alone is a conflict that names it", (_, helper) => {
    assert.deepInclude(refusal(signals({ [helper]: value("/h/eve") })), { reason: "home_conflict", helper })
    assert.deepInclude(refusal(signals({ [helper]: value("") })), { reason: "home_invalid", helper })
  })

  it("a scope that agrees with the resolved home is accepted without an override", () => {
    assert.strictEqual(caller(signals({ current_secret_scope_home: value("/h/ana/") })).home, "/h/ana")
  })

  it("a gateway of several profiles that names none is refused even though a home resolves", () => {
    assert.strictEqual(refusal(signals({ is_multiplex_active: value(true) })).reason, "home_unbound")
  })
})

describe("the kind of run decides what the policy must opt in to", () => {
  const runs = product(product(["", "1", "0", "false", " "], [false, true]), product([false, true], [false, true]))

  it("every combination of cron mark, cron execution, delegation and plugin process", () => {
    for (const [[mark, execution], [delegated, separate]] of runs) {
      const { needs } = caller(
        signals({
          cron_session: value(mark),
          cron_execution: value(execution),
          is_delegated_child_process_context: value(delegated),
          plugin_host_process: separate
        })
      )
      const cron = separate || mark !== "" || execution
      const subagent = separate || delegated
      assert.deepStrictEqual(
        needs.toSorted(),
        [...(cron ? ["allow_cron"] : []), ...(subagent ? ["allow_subagents"] : [])],
        JSON.stringify({ mark, execution, delegated, separate })
      )
    }
  })

  it("a home that is refused stays refused, whatever the kind of run", () => {
    for (const [[mark, execution], [delegated, separate]] of runs) {
      const given = signals({
        get_hermes_home_override: value("/h/eve"),
        cron_session: value(mark),
        cron_execution: value(execution),
        is_delegated_child_process_context: value(delegated),
        plugin_host_process: separate
      })
      assert.strictEqual(refusal(given).reason, "home_conflict")
    }
  })
})

describe("a refusal holds no value of a signal", () => {
  it("whatever home was sent, the error speaks of helpers alone", () => {
    const secret = "/h/secret-home"
    for (const helper of helperNames.slice(0, 3)) {
      assert.notInclude(JSON.stringify(refusal(signals({ [helper]: value(secret + "/..") }))), "secret-home")
      assert.notInclude(JSON.stringify(refusal(signals({ [helper]: value([secret]) }))), "secret-home")
    }
  })
})
