/**
 * The properties of cases/guard.md section 6, each a sentence that can be false. Number 13 is in Shells.test.ts, 15 in
 * AuditCrash.test.ts, 16 in Secrets.test.ts.
 */
import { assert, describe, it } from "@effect/vitest"
import { gather, noFacts } from "@memory-bridge/core/guard/CallFacts"
import { decide } from "@memory-bridge/core/guard/Decide"
import { type Action, isStronger } from "@memory-bridge/core/guard/Decision"
import { evaluate } from "@memory-bridge/core/guard/Evaluation"
import { inspect } from "@memory-bridge/core/guard/Inspection"
import { make, type Policy, type ToolRule } from "@memory-bridge/core/guard/Policy"
import { isCommandRefused, parse } from "@memory-bridge/core/guard/Terminal"
import { policyOf, treeOf } from "../../packages/core/test/guard/Given.ts"
import { type Call, call, command, type Drawing, drawing, pathRule, policy } from "./support/Cases.ts"
import { cases, forEachSeed, type Random } from "./support/Random.ts"
import { secondVerdict } from "./support/SecondEvaluator.ts"

const runs = cases(3000, 50_000)

interface Case {
  readonly tree: Drawing
  readonly policy: Policy
  readonly call: Call
}

const caseOf = (random: Random): Case => ({ tree: drawing(random), policy: policy(random), call: call(random) })

const evaluation = ({ call: { args, tool }, policy: given, tree }: Case) => decide(given, [], treeOf(tree), tool, args)
const verdict = (given: Case): Action => evaluation(given).decision.action

const withRules = (given: Policy, rules: ReadonlyArray<ToolRule>, paths = given.protectedPaths): Policy =>
  make(given.defaultAction, rules, paths)

const property = (name: string, first: number, check: (given: Case, random: Random) => void, count = runs) =>
  it(name, () => forEachSeed(first, count, (random) => check(caseOf(random), random)))

describe("which action wins", () => {
  property("1. a block among the findings makes the verdict block", 10_000, (given) => {
    const { decision, findings } = evaluation(given)
    if (findings.some((finding) => finding.action === "block")) assert.strictEqual(decision.action, "block")
  })

  property("2. without a block, an approve makes it approve", 20_000, (given) => {
    const { decision, findings } = evaluation(given)
    const has = (action: Action) => findings.some((finding) => finding.action === action)
    if (!has("block") && has("approve")) assert.strictEqual(decision.action, "approve")
  })

  property(
    "3. a tool without a rule gets no less than the default, and exactly it where no path matters",
    30_000,
    (given) => {
      const {
        call: { tool },
        policy: { defaultAction, protectedPaths, rules }
      } = given
      if (rules.some((rule) => rule.tool === tool)) return
      assert.isFalse(isStronger(defaultAction, verdict(given)))
      if (inspect(tool, given.call.args).kind === "by_name") assert.strictEqual(verdict(given), defaultAction)
      assert.isArray(protectedPaths)
    }
  )

  property("4. nothing is allowed that neither a rule nor the default allows", 40_000, (given) => {
    if (verdict(given) !== "allow") return
    const { defaultAction, rules } = given.policy
    const named = rules.filter((rule) => rule.tool === given.call.tool)
    assert.isTrue(named.length === 0 ? defaultAction === "allow" : named.every((rule) => rule.action === "allow"))
  })

  property("5. the order of rules and their repetition do not matter", 50_000, (given, random) => {
    const { protectedPaths, rules } = given.policy
    const paths = random.shuffled([...protectedPaths, ...protectedPaths])
    const other = { ...given, policy: withRules(given.policy, random.shuffled([...rules, ...rules]), paths) }
    assert.strictEqual(verdict(other), verdict(given))
  })
})

describe("a change of the policy", () => {
  property("6. one more allow never changes a block that is not the default's", 60_000, (given, random) => {
    const { decision } = evaluation(given)
    if (decision.action !== "block" || decision.reason === "default_action") return
    const { rules } = given.policy
    const at = random.int(rules.length + 1)
    const more = rules.toSpliced(at, 0, { tool: given.call.tool, action: "allow", why: "" })
    assert.strictEqual(verdict({ ...given, policy: withRules(given.policy, more) }), "block")
  })

  property(
    "7. one more block or approve never weakens a verdict that is not the default's",
    70_000,
    (given, random) => {
      const { decision } = evaluation(given)
      const { protectedPaths, rules } = given.policy
      const path = withRules(given.policy, rules, [...protectedPaths, pathRule(random)])
      assert.isFalse(isStronger(decision.action, verdict({ ...given, policy: path })))
      const block = withRules(given.policy, [...rules, { tool: given.call.tool, action: "block", why: "" }])
      assert.strictEqual(verdict({ ...given, policy: block }), "block")
    }
  )

  property("8. one protected path less never strengthens", 80_000, (given, random) => {
    const { protectedPaths, rules } = given.policy
    if (protectedPaths.length === 0) return
    const fewer = withRules(given.policy, rules, protectedPaths.toSpliced(random.int(protectedPaths.length), 1))
    assert.isFalse(isStronger(verdict({ ...given, policy: fewer }), verdict(given)))
  })
})

describe("what a verdict depends on", () => {
  property("9. not on the order of the arguments, nor on files beside the way", 90_000, (given, random) => {
    const args = Object.fromEntries(random.shuffled(Object.entries(given.call.args)))
    const tree = { ...given.tree, "/elsewhere/x": "file", "/elsewhere/l": "-> /a", "/zz": "-> /zz" } as const
    const other = { ...given, tree, call: { ...given.call, args } }
    assert.deepStrictEqual(evaluation(other), evaluation(given))
  })

  property("10. on policy, call and facts alone: recorded facts give the verdict again", 100_000, (given) => {
    const {
      call: { args, tool },
      policy: { protectedPaths },
      tree
    } = given
    const inspection = inspect(tool, args)
    const self = ["/c/ab"]
    const operands = inspection.kind === "paths" ? inspection.operands : undefined
    const facts = operands === undefined ? noFacts : gather(treeOf(tree), operands, protectedPaths, self)
    const first = evaluate(given.policy, tool, inspection, facts)
    const recorded = JSON.parse(JSON.stringify({ policy: { ...given.policy, byTool: [] }, facts, call: given.call }))
    const replayed = make(recorded.policy.defaultAction, recorded.policy.rules, recorded.policy.protectedPaths)
    const again = evaluate(
      replayed,
      recorded.call.tool,
      inspect(recorded.call.tool, recorded.call.args),
      recorded.facts
    )
    assert.deepStrictEqual(again, first)
    assert.deepStrictEqual(first, decide(given.policy, self, treeOf(tree), tool, args))
  })

  property(
    "11. what is protected stays so below and above, for writing, moving and copying",
    110_000,
    (given, random) => {
      const { path } = pathRule(random)
      const rules = policyOf({ write_file: "allow", terminal: "allow" }, { [path]: "block" })
      const of = (tool: string, args: Call["args"]) => verdict({ ...given, policy: rules, call: { tool, args } })
      const touched = (target: string) => [
        of("write_file", { path: target, content: "" }),
        of("terminal", { command: `mv ${target} /x/y` }),
        of("terminal", { command: `mv /x/y ${target}` }),
        of("terminal", { command: `cp /x/y ${target}` }),
        of("terminal", { command: `rm -r ${target}` })
      ]
      const parent = path.slice(0, path.lastIndexOf("/"))
      const all = [...touched(path), ...touched(`${path}/x`), ...(parent === "" ? [] : touched(parent))]
      assert.deepStrictEqual(new Set(all), new Set(["block"]))
    }
  )
})

/** How POSIX reads words when nothing but spaces and whole quotes matters; written apart from the parser. */
const reference = (text: string): ReadonlyArray<string> | undefined => {
  const words: Array<string> = []
  let word: string | undefined
  let open = ""
  for (const character of text) {
    if (open !== "") {
      if (character === open) open = ""
      else word += character
    } else if (character === '"' || character === "'") {
      open = character
      word ??= ""
    } else if (character === " ") {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? "") + character
  }
  if (word !== undefined) words.push(word)
  return open === "" ? words : undefined
}

describe("a command with one byte more", () => {
  it("12. is refused, or read as POSIX reads it, with absolute paths alone", () => {
    let refused = 0
    let read = 0
    const seeds = cases(60, 600)
    forEachSeed(120_000, seeds, (random) => {
      const text = command(random)
      if (isCommandRefused(parse(text))) return
      for (let at = 0; at <= text.length; at++) {
        for (let byte = 0; byte < 256; byte++) {
          const mutated = text.slice(0, at) + String.fromCharCode(byte) + text.slice(at)
          const result = parse(mutated)
          if (isCommandRefused(result)) {
            refused += 1
            continue
          }
          read += 1
          assert.deepStrictEqual(result.argv, reference(mutated), mutated)
          assert.isTrue(
            result.operands.every((operand) => operand.startsWith("/")),
            mutated
          )
        }
      }
    })
    assert.isAbove(refused, read)
    assert.isAbove(read, 1000)
  })
})

describe("a second evaluator, written apart", () => {
  it(`14. agrees on ${cases(40_000, 1_000_000)} random cases`, { timeout: 1_200_000 }, () => {
    const seen = new Map<string, number>()
    forEachSeed(1_000_000, cases(40_000, 1_000_000), (random) => {
      const given = caseOf(random)
      const action = verdict(given)
      assert.strictEqual(action, secondVerdict(given.tree, given.policy, given.call), JSON.stringify(given))
      seen.set(action, (seen.get(action) ?? 0) + 1)
    })
    // Agreement on one verdict alone would say nothing.
    for (const action of ["allow", "approve", "block"]) assert.isAbove(seen.get(action) ?? 0, 500)
  })
})
