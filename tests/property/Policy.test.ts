/** Properties of decoding a policy. (seed 000 "Policy", design.md section 4 "Strict decoding") */
import { assert, describe, it } from "@effect/vitest"
import { decode } from "@memory-bridge/core/policy/Policy"
import * as Result from "effect/Result"
import { decided, type Dice } from "./Generators.ts"
import { strictlyValid } from "./StrictPolicy.ts"

const goodPatterns = ["**", "projects/**", "*.md", "**/private/**", "a/*/b", "caf\u00e9", "a b", "x".repeat(512)]
const badPatterns = ["", "\0", "x".repeat(513), ..."/a a/ ../a a//b {a,b} !a a? [a] a** **/**/**/**/**".split(" ")]
const limitNames = [
  "max_results",
  "default_results",
  "snippet_chars",
  "total_chars",
  "max_file_bytes",
  "max_entries",
  "max_depth",
  "read_chars"
]

/** Those that no cross check ties to the default of another. */
const freeLimits = limitNames.filter((name) => name !== "max_results" && name !== "total_chars")

const valid = ({ chance, pick, times }: Dice): Record<string, unknown> => ({
  ...pick([{ version: 1 }, { version: 1 }, { version: 2 }, { version: 2, ranking: pick(["relevance", "path"]) }]),
  root: pick(["/", "/v", "/srv/team memory", "/...", "/a/b/c"]),
  allow: times(0, 3, () => pick(goodPatterns)),
  ...(chance(60) ? { deny: times(0, 3, () => pick(goodPatterns)) } : {}),
  ...(chance(40) ? { allow_cron: chance(50) } : {}),
  ...(chance(40) ? { allow_subagents: chance(50) } : {}),
  ...(chance(70) ? { limits: Object.fromEntries(times(0, 3, () => [pick(freeLimits), pick([1, 2, 3, 5])])) } : {})
})

const oddNumbers = [0, 1, 2, -1, 1.5, 10, 11, 300, 4_001, 1e9]
const odd: ReadonlyArray<unknown> = [...oddNumbers, null, true, "", "1", "/v", "v", "/v/", "path", [], ["**"], {}]

/** One key or value replaced, added, removed or moved. */
const changed = (file: Record<string, unknown>, { pick }: Dice): Record<string, unknown> => {
  const key = pick(Object.keys(file))
  const inner = file["limits"] as Record<string, unknown> | undefined
  return pick<() => Record<string, unknown>>([
    () => ({ ...file, [key]: pick(odd) }),
    () => ({ ...file, [pick(["extra", "Deny", "__proto__x", "", "limit", "ranking"])]: pick(odd) }),
    () => Object.fromEntries(Object.entries(file).filter(([name]) => name !== key)),
    () => ({ ...file, limits: { ...inner, [pick([...limitNames, "extra"])]: pick(odd) } }),
    () => ({ ...file, [pick(["allow", "deny"])]: [pick(goodPatterns), pick<unknown>([...badPatterns, ...odd])] })
  ])()
}

/** The text with one small piece cut out, doubled, replaced or put in. */
const damaged = (text: string, { below, pick }: Dice): string => {
  const from = below(text.length)
  const to = Math.min(text.length, from + 1 + below(12))
  const signs = [...`",:{}[]01-.e\\\0\n '`, "\\u0061", "\ufeff", "//", "/*"]
  return pick([
    () => text.slice(0, from) + text.slice(to),
    () => text.slice(0, to) + text.slice(from),
    () => text.slice(0, from) + pick(signs) + text.slice(from),
    () => text.slice(0, from) + pick(signs) + text.slice(to),
    () =>
      text.replace(
        "{",
        `{"${pick(["allow", "root", "deny", "version", "d\\u0065ny"])}": ${JSON.stringify(pick(odd))}, `
      ),
    () =>
      text.replace(
        /^(.*)\}$/su,
        `$1, "${pick(["allow_cron", "deny", "limits", "allow", "__proto__"])}": ${JSON.stringify(pick(odd))}}`
      )
  ])()
}

const texts = decided((dice) => {
  let file = valid(dice)
  if (dice.chance(60)) file = changed(file, dice)
  let text = dice.chance(50) ? JSON.stringify(file) : JSON.stringify(file, null, 2)
  for (let i = dice.below(3); i > 0; i--) text = damaged(text, dice)
  return text
})

describe("decoding a policy", () => {
  const counts = { accepted: 0, refused: 0 }

  it.prop(
    "never accepts what a strict reading refuses, nor refuses what it accepts",
    [texts],
    ([text]) => {
      const accepted = Result.isSuccess(decode(text))
      counts[accepted ? "accepted" : "refused"]++
      assert.strictEqual(accepted, strictlyValid(text), text)
    },
    { arbitrary: { runs: 20_000, seed: 21, size: 60 } }
  )

  it("and both happen often enough to mean something", () => {
    process.stdout.write(`policies: ${counts.accepted} accepted, ${counts.refused} refused\n`)
    assert.isAbove(counts.accepted, 2_000)
    assert.isAbove(counts.refused, 5_000)
  })

  it.prop(
    "names a key and a rule for every refusal, and neither is a value of the file",
    [texts],
    ([text]) => {
      const result = decode(text)
      if (Result.isSuccess(result)) return
      assert.isNotEmpty(result.failure.rule)
      assert.notInclude(result.failure.rule, "/srv")
      assert.notInclude(result.failure.rule, "private")
    },
    { arbitrary: { runs: 3_000, seed: 22, size: 60 } }
  )

  it.prop(
    "does not depend on white space or the order of keys",
    [decided(valid)],
    ([file]) => {
      const turned = Object.fromEntries(Object.entries(file).toReversed())
      const [one, other] = [decode(JSON.stringify(file)), decode(` ${JSON.stringify(turned, null, 1)}\n\n`)]
      assert.strictEqual(Result.isSuccess(one), Result.isSuccess(other))
      if (Result.isSuccess(one) && Result.isSuccess(other)) {
        assert.deepStrictEqual({ ...one.success, rules: undefined }, { ...other.success, rules: undefined } as never)
      }
    },
    { arbitrary: { runs: 2_000, seed: 23, size: 60 } }
  )
})
