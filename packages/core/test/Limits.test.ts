/** Seed 000 "Policy": the limits with their defaults, their hard ceilings and their cross checks. */
import { assert, describe, it } from "@effect/vitest"
import { ceilingOf, type LimitName, type Limits } from "@memory-bridge/core/policy/Limits"
import { defect, policy, policyText } from "./given/Policies.ts"

/** From the seed's text: name, default, ceiling. */
const table: ReadonlyArray<readonly [LimitName, number, number]> = [
  ["max_results", 10, 10],
  ["default_results", 5, 5],
  ["snippet_chars", 300, 300],
  ["total_chars", 4000, 4000],
  ["max_file_bytes", 262_144, 1_048_576],
  ["max_entries", 2000, 10_000],
  ["max_depth", 8, 16],
  ["read_chars", 8000, 8000]
]

/** Other limits that keep the cross checks out of the way of `name` at `value`. */
const companions = (name: LimitName, value: number): Partial<Limits> =>
  name === "max_results"
    ? { default_results: Math.min(5, Math.max(1, value)) }
    : name === "total_chars"
      ? { snippet_chars: Math.min(300, Math.max(1, value)) }
      : {}

const limits = (given: Partial<Limits>): Limits => policy({ limits: given }).limits
const refused = (given: object) => defect(policyText({ limits: given }))

describe("a limit that is not given has the seed's default", () => {
  it("with no limits object, and with an empty one", () => {
    const defaults = Object.fromEntries(table.map(([name, value]) => [name, value]))
    assert.deepStrictEqual({ ...policy().limits }, defaults as Limits)
    assert.deepStrictEqual({ ...limits({}) }, defaults as Limits)
  })

  it.each(table)("%s is %i, while another limit is given", (name, value) => {
    const other = name === "max_depth" ? "read_chars" : "max_depth"
    assert.strictEqual(limits({ [other]: 7 })[name], value)
  })
})

describe("a limit lies between 1 and its ceiling", () => {
  it.each(table)("%s: 1, 2, default %i, one below the ceiling, the ceiling %i", (name, value, ceiling) => {
    for (const good of [1, 2, value, ceiling - 1, ceiling]) {
      assert.strictEqual(limits({ ...companions(name, good), [name]: good })[name], good)
    }
    assert.strictEqual(ceilingOf(name), ceiling)
  })

  it.each(table)("%s: below 1 and above the ceiling are refused by name", (name, _, ceiling) => {
    for (const bad of [0, -0, -1, -ceiling, ceiling + 1, ceiling * 2, 2 ** 31, 2 ** 53, 1e300]) {
      const { key, rule } = refused({ ...companions(name, bad), [name]: bad })
      assert.strictEqual(key, `limits.${name}`)
      assert.match(rule, new RegExp(`between 1 and ${ceiling}$|integer`))
    }
  })

  it.each(table)("%s: what is not a whole number is refused by name", (name) => {
    for (const bad of [1.5, 0.1, "1", "", null, true, [], [1], {}]) {
      assert.strictEqual(refused({ [name]: bad }).key, `limits.${name}`, JSON.stringify(bad))
    }
    const infinite = policyText({ limits: { [name]: 0 } }).replace(`"${name}":0`, `"${name}":1e400`)
    assert.strictEqual(defect(infinite).key, `limits.${name}`)
  })
})

describe("limits agree with each other, defaults included", () => {
  it("default_results must not exceed max_results", () => {
    assert.strictEqual(limits({ max_results: 3, default_results: 3 }).default_results, 3)
    assert.deepStrictEqual(refused({ max_results: 3, default_results: 4 }), {
      key: "limits.default_results",
      rule: "is 4, must not exceed max_results 3"
    })
    assert.deepStrictEqual(refused({ max_results: 4 }), {
      key: "limits.default_results",
      rule: "is 5, must not exceed max_results 4"
    })
  })

  it("total_chars must be at least snippet_chars", () => {
    assert.strictEqual(limits({ total_chars: 300 }).total_chars, 300)
    assert.strictEqual(limits({ total_chars: 1, snippet_chars: 1 }).total_chars, 1)
    assert.deepStrictEqual(refused({ total_chars: 299 }), {
      key: "limits.total_chars",
      rule: "is 299, must be at least snippet_chars 300"
    })
    assert.strictEqual(refused({ total_chars: 9, snippet_chars: 10 }).key, "limits.total_chars")
  })
})
