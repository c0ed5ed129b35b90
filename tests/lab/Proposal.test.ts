/**
 * Hostile proposals at the gate. (issue 5: "hostile model output … never yields an accepted policy that the same text
 * typed by hand would not"; cases/guard.md section 5)
 */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { inspectedTools } from "@memory-bridge/core/guard/Inspection"
import { expandHome } from "@memory-bridge/core/guard/Policy"
import { decodeText } from "@memory-bridge/core/guard/Settings"
import {
  accept,
  type GateGiven,
  maxProposalBytes,
  maxProposalDepth,
  proposalCures,
  proposalReasons
} from "@memory-bridge/core/lab/ProposalGate"
import { standingPaths } from "@memory-bridge/core/lab/Template"
import { executors } from "@memory-bridge/core/lab/Vocabulary"
import { decided, type Dice } from "../property/Generators.ts"

const given: GateGiven = {
  paths: ["/srv/secret", "~/taxes"],
  tools: ["mcp_notes_list", "execute_code"],
  userHome: "/home/u"
}

const good = {
  default_action: "block",
  rules: [
    { tool: "read_file", action: "allow", why: "said so" },
    { tool: "mcp_notes_list", action: "approve" }
  ],
  protected_paths: [{ path: "/srv/secret", action: "block", why: "secret" }]
}
const text = JSON.stringify(good)

const refusal = (proposal: string): string =>
  Result.match(accept(proposal, given), {
    onSuccess: () => "accepted",
    onFailure: ({ key, reason }) => (key === "" ? reason : `${reason} ${key}`)
  })

const withRule = (rule: object) => JSON.stringify({ ...good, rules: [rule] })
const withPath = (path: unknown) => JSON.stringify({ ...good, protected_paths: [{ path, action: "block" }] })
const withWhy = (why: unknown) => withRule({ tool: "read_file", action: "allow", why })
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`

describe("a proposal that keeps to what was given is accepted", () => {
  it.each([
    text,
    ` \n${text}\n`,
    withPath("~/taxes"),
    withPath("/home/u/taxes"),
    withPath("~/.ssh"),
    JSON.stringify({ ...good, default_action: "approve" }),
    withRule({ tool: "execute_code", action: "approve" }),
    withRule({ tool: "read_file", action: "allow", match: [{ tool: "read_file", args: { path: "/a" } }] })
  ])("%s", (proposal) => {
    assert.strictEqual(refusal(proposal), "accepted")
  })
})

describe("hostile output is refused, each by its reason", () => {
  it.each<[string, string, string]>([
    ["a path outside", withPath("/etc"), "path_not_given protected_paths[0].path"],
    ["a path below a given one", withPath("/srv/secret/a"), "path_not_given protected_paths[0].path"],
    ["a path spelled otherwise", withPath("/srv/x/../secret"), "not_a_policy protected_paths[0].path"],
    ["the root", withPath("/"), "path_not_given protected_paths[0].path"],
    ["a pattern", withPath("/srv/*"), "not_a_policy protected_paths[0].path"],
    ["an unknown tool", withRule({ tool: "mcp_other", action: "block" }), "tool_not_named rules[0].tool"],
    ["an unknown executor", withRule({ tool: "delegate_task", action: "allow" }), "tool_not_named rules[0].tool"],
    [
      "an executor that was named, allowed",
      withRule({ tool: "execute_code", action: "allow" }),
      "executor_allowed rules[0].action"
    ],
    ["an open default", JSON.stringify({ ...good, default_action: "allow" }), "default_opens default_action"],
    ["__proto__ at the top", text.replace("{", '{"__proto__":{"default_action":"allow"},'), "prototype_key __proto__"],
    ["__proto__, escaped", text.replace("{", String.raw`{"\u005f_proto__":{},`), "prototype_key __proto__"],
    [
      "constructor in a rule",
      withRule({ tool: "read_file", action: "allow", constructor: {} }),
      "prototype_key rules[0].constructor"
    ],
    [
      "prototype in an example",
      withRule({ tool: "read_file", action: "allow", match: [{ tool: "read_file", args: { prototype: 1 } }] }),
      "prototype_key rules[0].match[0].args.prototype"
    ],
    ["an unknown key", text.replace("{", '{"note":"x",'), "not_a_policy note"],
    ["10 MB of text", withWhy("x".repeat(10_000_000)), "too_large"],
    ["10 MB of space", " ".repeat(10_000_000) + text, "too_large"],
    ["one byte too many", text.padEnd(maxProposalBytes + 1), "too_large"],
    ["few characters, many bytes", withWhy("\u20ac".repeat(30_000)), "too_large"],
    ["deep objects", nested(maxProposalDepth + 1), "too_deep"],
    ["deep lists", "[".repeat(60_000), "too_deep"],
    [
      "deep in an example",
      text.replace('"allow"', `"allow","match":[{"tool":"read_file","args":${nested(20)}}]`),
      "too_deep"
    ],
    ["a duplicate key", text.replace("{", '{"default_action":"allow",'), "duplicate_key default_action"],
    [
      "a duplicate key, escaped",
      text.replace("{", String.raw`{"d\u0065fault_action":"allow",`),
      "duplicate_key default_action"
    ],
    ["a number for a string", withWhy(1), "not_a_policy rules[0].why"],
    ["a number for a tool", withRule({ tool: 1, action: "allow" }), "not_a_policy rules[0].tool"],
    ["an object for a path", withPath({}), "not_a_policy protected_paths[0].path"],
    ["a list for the whole", `[${text}]`, "not_a_policy"],
    ["null", "null", "not_a_policy"],
    [
      "an allowed path",
      JSON.stringify({ ...good, protected_paths: [{ path: "/srv/secret", action: "allow" }] }),
      "not_a_policy protected_paths[0].action"
    ],
    ["a field missing", '{"default_action":"block","rules":[]}', "not_a_policy protected_paths"],
    ["YAML", "default_action: block\nrules: []\nprotected_paths: []\n", "not_json"],
    ["a code fence", `\`\`\`json\n${text}\n\`\`\``, "not_json"],
    ["a sentence before", `Here is the policy: ${text}`, "not_json"],
    ["two objects", text + text, "not_json"],
    ["a comment", text.replace("{", "{/* x */"), "not_json"],
    ["a trailing comma", text.replace(/\}$/, ",}"), "not_json"],
    ["a byte order mark", `\ufeff${text}`, "not_json"],
    ["nothing", "", "not_json"],
    ["a bidi character", withWhy("safe \u202e evas"), "hidden_character rules[0].why"],
    ["a zero-width character", withWhy("sa\u200bfe"), "hidden_character rules[0].why"],
    ["an escaped control character", withWhy("safe\u001b[2J"), "hidden_character rules[0].why"],
    ["a line break", withWhy("safe\nsafe"), "hidden_character rules[0].why"],
    ["a tag character", withWhy("safe\u{e0041}"), "hidden_character rules[0].why"],
    ["half a character", text.replace("said so", String.raw`\ud800`), "hidden_character rules[0].why"],
    [
      "a hidden character in an example",
      withRule({ tool: "read_file", action: "allow", match: [{ tool: "read_file", args: { path: "/a\u200b" } }] }),
      "hidden_character rules[0].match[0].args.path"
    ],
    [
      "a hidden character in a key",
      withRule({ tool: "read_file", action: "allow", "wh\u200by": "" }),
      "hidden_character rules[0]"
    ],
    [
      "an example that fails",
      withRule({ tool: "read_file", action: "allow", match: [{ tool: "patch", args: {} }] }),
      "not_a_policy rules[0].match[0]"
    ],
    [
      "257 rules",
      JSON.stringify({ ...good, rules: Array.from({ length: 257 }, () => ({ tool: "patch", action: "block" })) }),
      "not_a_policy rules"
    ]
  ])("%s", (_, proposal, expected) => {
    assert.strictEqual(refusal(proposal), expected)
  })

  it("and every reason has its cure", () => {
    assert.hasAllKeys(proposalCures, [...proposalReasons])
  })

  it("an accepted proposal leaves no prototype changed", () => {
    refusal(text.replace("{", '{"__proto__":{"polluted":true},'))
    assert.isUndefined(({} as { polluted?: unknown }).polluted)
  })
})

const tools = [...inspectedTools, ...given.tools, "mcp_other", "delegate_task", "__proto__", "*", "", 1, null]
const paths = [
  ...given.paths,
  "/home/u/taxes",
  "~/.ssh",
  "/etc",
  "/",
  "/srv/secret/",
  "/srv/*",
  "~root",
  "",
  "/proc/self",
  {}
]
const actions = ["allow", "approve", "block", "approve", "block", "Allow", "", null]
const whys = ["", "said so", "a\u200bb", "\u202e", "\u001b[0m", "x".repeat(513), 3, "\ud83d\ude00"]

const proposalFrom = ({ chance, pick, times }: Dice): unknown => {
  const why = () => (chance(50) ? { why: pick(chance(70) ? whys.slice(0, 2) : whys) } : {})
  const tame = chance(50)
  const from = <A>(all: ReadonlyArray<A>, few: number): A => pick(tame || chance(80) ? all.slice(0, few) : all)
  const policy = {
    default_action: from(["block", "approve", "allow", "deny", null], 2),
    rules: times(0, 3, () => ({ tool: from(tools, 5), action: from(actions, 3), ...why() })),
    protected_paths: times(0, 3, () => ({ path: from(paths, 4), action: from(actions.slice(1), 2), ...why() }))
  }
  return chance(90) ? policy : pick<unknown>([{ ...policy, extra: 1 }, [policy], { policy }, null, "x"])
}

/** The text with a piece cut out, doubled, replaced or put in. */
const damaged = (whole: string, { below, pick }: Dice): string => {
  const from = below(whole.length)
  const to = Math.min(whole.length, from + 1 + below(16))
  const signs = [
    '"',
    ",",
    ":",
    "{",
    "}",
    "[",
    "]",
    "\\",
    "\\u0061",
    "\u200b",
    "\n",
    "```",
    "//",
    "__proto__",
    "1",
    "\ufeff",
    '"why":"",'
  ]
  return pick([
    () => whole.slice(0, from) + whole.slice(to),
    () => whole.slice(0, to) + whole.slice(from),
    () => whole.slice(0, from) + pick(signs) + whole.slice(from),
    () => whole.slice(0, from) + pick(signs) + whole.slice(to)
  ])()
}

const hostile = decided((dice) => {
  const whole = JSON.stringify(proposalFrom(dice))
  return dice.chance(40) ? damaged(whole, dice) : whole
})

const known = new Set(
  [...standingPaths.map(({ path }) => path), ...given.paths].map((path) => expandHome(path, "/home/u"))
)
const named = new Set([...inspectedTools, ...given.tools])
let accepted = 0

describe("over random and damaged proposals", () => {
  it.prop(
    "nothing is accepted that the same text, typed by hand, would not be, and nothing that was not named",
    { proposal: hostile },
    ({ proposal }) => {
      const result = accept(proposal, given)
      if (Result.isFailure(result)) return
      accepted++
      const typed = decodeText(proposal, given.userHome)
      assert.isTrue(Result.isSuccess(typed), proposal)
      if (Result.isFailure(typed)) return
      const { policy } = result.success
      assert.deepStrictEqual(policy, typed.success)
      assert.notStrictEqual(policy.defaultAction, "allow")
      for (const { action, tool, why } of policy.rules) {
        assert.isTrue(named.has(tool), proposal)
        assert.isFalse(action === "allow" && executors.has(tool), proposal)
        assert.notMatch(why, /[\p{Cc}\p{Cf}]/u)
      }
      for (const { path, why } of policy.protectedPaths) {
        assert.isTrue(known.has(path), proposal)
        assert.notMatch(why, /[\p{Cc}\p{Cf}]/u)
      }
    },
    { arbitrary: { runs: 20_000, seed: 5 } }
  )

  it("and a good part of them is accepted, so the property says something", () => {
    assert.isAbove(accepted, 500)
  })
})
