/** Seed 000 "Policy": version 1, decoded strictly; each refusal names the key and the rule. */
import { assert, describe, it } from "@effect/vitest"
import { maxPatterns, patternDefect } from "@memory-bridge/core/policy/Pattern"
import { inVersion1 } from "../../../tests/support/PolicyVersion.ts"
import { defect, minimal, policy, policyText } from "./given/Policies.ts"

const raw = (inner: string) => `{"version": 1, "root": "/v", "allow": ["**"]${inner}}`

describe("the shortest policy and the full one", () => {
  it("version, root and allow suffice; everything else has the seed's default", () => {
    const { allowCron, allowSubagents, limits, root, rules } = policy()
    assert.deepStrictEqual({ allowCron, allowSubagents, root }, { allowCron: false, allowSubagents: false, root: "/v" })
    assert.strictEqual(limits.max_results, 10)
    assert.isTrue(rules.permits("any/where.md"))
  })

  it("every key can be given", () => {
    const given = policy({
      root: "/srv/team memory/ä",
      allow: ["projects/**"],
      deny: ["**/private/**"],
      allow_cron: true,
      allow_subagents: true,
      limits: { max_results: 3, default_results: 2 }
    })
    assert.deepStrictEqual([given.allowCron, given.allowSubagents, given.root], [true, true, "/srv/team memory/ä"])
    assert.deepStrictEqual([given.limits.max_results, given.limits.default_results], [3, 2])
    assert.isTrue(given.rules.permits("projects/a.md"))
    assert.isFalse(given.rules.permits("projects/private/a.md"))
  })

  it("an empty allow list is valid and permits nothing", () => {
    assert.isFalse(policy({ allow: [] }).rules.permits("a.md"))
  })

  it("allow_cron does not opt in to subagents, nor the other way round", () => {
    const cron = policy({ allow_cron: true })
    const subagents = policy({ allow_subagents: true })
    assert.deepStrictEqual([cron.allowCron, cron.allowSubagents], [true, false])
    assert.deepStrictEqual([subagents.allowCron, subagents.allowSubagents], [false, true])
  })
})

describe("a required key that is missing refuses the policy", () => {
  it.each(["version", "root", "allow"])("%s", (key) => {
    const file = Object.fromEntries(Object.entries(minimal).filter(([name]) => name !== key))
    assert.deepStrictEqual(defect(JSON.stringify(file)), { key, rule: "Missing key" })
  })
})

describe("a key of a wrong type refuses the policy and is named", () => {
  const notText = [null, 1, true, [], {}, ["/v"]]
  const notBoolean = [null, 0, 1, "true", "", [], {}]
  const notList = [null, 1, true, "**", {}, { 0: "**", length: 1 }]
  it.each<readonly [string, ReadonlyArray<unknown>]>([
    ["version", [null, 0, 3, 1.5, -1, "1", true, [1], {}]],
    ["root", notText],
    ["allow", notList],
    ["deny", notList],
    ["allow_cron", notBoolean],
    ["allow_subagents", notBoolean],
    ["limits", [null, 1, true, "", [], [10]]]
  ])("%s", (key, values) => {
    for (const bad of values) {
      const { key: named, rule } = defect(policyText({ [key]: bad }))
      assert.strictEqual(named, key, JSON.stringify(bad))
      assert.match(rule, /^Expected /)
    }
  })

  it("a pattern that is not text is named by its place", () => {
    for (const bad of [null, 1, false, [], ["a"], {}]) {
      assert.deepStrictEqual(defect(policyText({ allow: ["a", bad] })), { key: "allow[1]", rule: "Expected string" })
      assert.deepStrictEqual(defect(policyText({ deny: [bad] })), { key: "deny[0]", rule: "Expected string" })
    }
  })
})

describe("the root is a canonical absolute path", () => {
  it.each(["", ".", "v", "./v", "~", "~/v", "$HOME", "v/", "C:\\v", " /v"])("%j is not absolute", (root) => {
    const { key, rule } = defect(policyText({ root }))
    assert.strictEqual(key, "root")
    assert.include(rule, "not_absolute")
  })

  it.each(["//", "/v/", "/v//w", "//v", "/v/.", "/v/./w", "/v/..", "/v/../w", "/..", "/.", "/v\0", "/v/\0w"])(
    "%j is not canonical",
    (root) => {
      const { key, rule } = defect(policyText({ root }))
      assert.strictEqual(key, "root")
      assert.include(rule, "not_canonical")
    }
  )

  it.each(["/", "/v", "/v w/x", "/...", "/.hidden", "/v\\w"])("%j is", (root) => {
    assert.strictEqual(policy({ root }).root, root)
  })
})

const patterns = (count: number) => Array.from({ length: count }, (_, i) => `p${i}/**`)

describe("a bad pattern refuses the whole policy, in allow and in deny", () => {
  it.each(["", "/a", "a/", "a//b", "../a", "a/./b", "{a,b}", "a?", "[x]", "!x", "a**", "a\0", "**/".repeat(5) + "a"])(
    "%j",
    (pattern) => {
      const rule = `pattern refused: ${patternDefect(pattern)}`
      assert.deepStrictEqual(defect(policyText({ allow: ["ok", pattern] })), { key: "allow[1]", rule })
      assert.deepStrictEqual(defect(policyText({ deny: [pattern, "ok"] })), { key: "deny[0]", rule })
    }
  )

  it("a list may have 256 patterns and no more", () => {
    assert.strictEqual(maxPatterns, 256)
    policy({ allow: patterns(256), deny: patterns(256) })
    assert.strictEqual(defect(policyText({ allow: patterns(257) })).key, "allow")
    assert.strictEqual(defect(policyText({ deny: patterns(257) })).key, "deny")
    assert.strictEqual(defect(policyText({ deny: patterns(10_000) })).key, "deny")
  })
})

describe("an unknown key refuses the policy and is named, at both depths", () => {
  // These three are keys of version 2.
  const onlyUnknownToVersion1 = inVersion1 ? ["roots", "names", "ranking"] : []
  it.each(["allowed", "Deny", "ALLOW", ...onlyUnknownToVersion1, "", " allow", "allow ", "_comment", "$schema"])(
    "%j",
    (key) => {
      assert.deepStrictEqual(defect(policyText({ [key]: [] })).key, key)
      assert.strictEqual(defect(policyText({ limits: { [key]: 1 } })).key, `limits.${key}`)
    }
  )

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("%s, which every object seems to have", (key) => {
    assert.strictEqual(defect(raw(`, "${key}": {"deny": []}`)).key, key)
    assert.strictEqual(defect(raw(`, "limits": {"${key}": 1}`)).key, `limits.${key}`)
  })
})

describe("a key that stands twice refuses the policy and is named, at both depths", () => {
  it.each(["version", "root", "allow"])("%s, even with the same value", (key) => {
    const again = JSON.stringify(minimal[key as keyof typeof minimal])
    assert.deepStrictEqual(defect(raw(`, "${key}": ${again}`)), { key, rule: "duplicate_key" })
  })

  it.each([
    ["deny", `, "deny": ["secret/**"], "deny": []`, "deny"],
    ["allow_cron", `, "allow_cron": false, "allow_cron": true`, "allow_cron"],
    ["limits", `, "limits": {"max_depth": 1}, "limits": {}`, "limits"],
    ["a limit", `, "limits": {"max_depth": 1, "max_depth": 2}`, "limits.max_depth"],
    ["an escaped spelling", `, "deny": ["secret/**"], "d\\u0065ny": []`, "deny"],
    ["an escaped spelling of a limit", `, "limits": {"max_depth": 1, "\\u006dax_depth": 2}`, "limits.max_depth"],
    ["__proto__", `, "__proto__": 1, "__proto__": 2`, "__proto__"]
  ])("%s", (_, inner, key) => {
    assert.deepStrictEqual(defect(raw(inner)), { key, rule: "duplicate_key" })
  })
})

describe("text that is not exactly one JSON object refuses the policy as a whole", () => {
  const valid = policyText()
  it.each([
    ["nothing", ""],
    ["white space", " \n"],
    ["half of it", valid.slice(0, -1)],
    ["two of it", valid + valid],
    ["a trailing comma", raw(",")],
    ["a trailing comma in a list", `{"version": 1, "root": "/v", "allow": ["**",]}`],
    ["a line comment", `// policy\n${valid}`],
    ["a block comment", raw(` /* no deny */ `)],
    ["a hash comment", `# policy\n${valid}`],
    ["single quotes", valid.replaceAll(`"`, `'`)],
    ["bare keys", `{version: 1, root: "/v", allow: ["**"]}`],
    ["NaN", raw(`, "limits": {"max_depth": NaN}`)],
    ["a hexadecimal number", raw(`, "limits": {"max_depth": 0x8}`)],
    ["a NUL before", `\0${valid}`],
    ["a NUL after", `${valid}\0`],
    ["a raw line feed in a string", raw(`, "deny": ["a\nb"]`)],
    ["YAML", "version: 1\nroot: /v\nallow: ['**']"],
    ["UTF-16 read as UTF-8", [...valid].join("\0")]
  ])("%s is not JSON", (_, text) => {
    assert.deepStrictEqual(defect(text), { key: "", rule: "not_json" })
  })

  it("a byte order mark is refused, though the rest is valid", () => {
    assert.strictEqual(defect(`\ufeff${valid}`).rule, "starts with a byte order mark")
  })

  it.each(["null", "true", "1", `"policy"`, "[]", `[${valid}]`])("%s is not an object", (text) => {
    assert.deepStrictEqual(defect(text), { key: "", rule: "Expected object" })
  })

  it("nesting of any depth is refused, never a crash", () => {
    for (const depth of [10, 1_000, 30_000, 500_000]) {
      const nested = "[".repeat(depth) + "]".repeat(depth)
      assert.isNotEmpty(defect(nested).rule)
      assert.isNotEmpty(defect(raw(`, "x": ${nested}`)).rule)
      assert.isNotEmpty(defect(raw(`, "x": ${`{"a":`.repeat(depth)}1${"}".repeat(depth)}`)).rule)
    }
  })
})

describe("a refusal repeats no value of the policy", () => {
  it("neither a path nor a pattern stands in key or rule", () => {
    const texts = [
      policyText({ root: "SECRET/v" }),
      policyText({ root: "/SECRET/../v" }),
      policyText({ root: ["/SECRET"] }),
      policyText({ deny: ["/SECRET/**"] }),
      policyText({ deny: "SECRET" }),
      policyText({ version: "SECRET" }),
      policyText({ limits: { max_depth: "SECRET" } }),
      `{"root": "/SECRET", "root": "/SECRET"}`,
      `{"root": "/SECRET"`
    ]
    for (const text of texts) assert.notInclude(JSON.stringify(defect(text)), "SECRET")
  })
})
