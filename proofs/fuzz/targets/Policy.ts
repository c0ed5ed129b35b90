/** Policy bytes, as they come from the file: strict, and the same yes or no as a second reading of the seed's words. */
import { decode, maxPolicyBytes } from "@memory-bridge/core/policy/Policy"
import * as Result from "effect/Result"
import { isUtf8 } from "node:buffer"
import { posix } from "node:path"
import { strictlyValid } from "../../../tests/property/StrictPolicy.ts"
import { bytesOf, holds, inUtf8, nesting, same, secret, type Target } from "../Target.ts"

/** The second reading recurses. */
const deepest = 1_000

const meaning = (text: string): unknown => {
  const { allowCron, allowSubagents, limits, root, rules } = Result.getOrThrow(decode(text))
  const decided = ["a.md", "a/b.md", "A/B.md", "secret/x.md"].map((id) => rules.decide(id))
  return { root, allowCron, allowSubagents, limits, decided }
}

const example = {
  version: 1,
  root: "/home/u/notes",
  allow: ["projects/**", "a*.md"],
  deny: ["**/secret/**"],
  allow_cron: false,
  allow_subagents: true,
  limits: { max_results: 5, default_results: 2, snippet_chars: 100, total_chars: 4000, max_depth: 16 }
}

export const policy: Target = {
  name: "policy",
  input: "bytes",
  json: true,
  words: [
    ...Object.keys(example),
    ...Object.keys(example.limits),
    "max_file_bytes",
    "max_entries",
    "read_chars",
    secret,
    "**",
    "*",
    "a/**/b",
    "/a/../b",
    "/",
    "1048576",
    "10000",
    "\xef\xbb\xbf",
    "[".repeat(3_000)
  ],
  seeds: [
    inUtf8(JSON.stringify(example)),
    inUtf8(JSON.stringify(example, undefined, 2)),
    '{"version":1,"root":"/","allow":[]}',
    inUtf8(JSON.stringify({ version: 1, root: "/t\u00e9/n", allow: ["\u00e9*"], limits: {} })),
    JSON.stringify({ version: 1, root: "/a", allow: Array.from({ length: 12 }, (_, n) => `d${n}/**`) })
  ],
  check: (input) => {
    const bytes = bytesOf(input)
    if (bytes.length > maxPolicyBytes || !isUtf8(bytes)) return
    const text = bytes.toString("utf8")
    const result = decode(text)
    if (nesting(text) < deepest) {
      holds(
        "accepts what the second reading accepts, and nothing else",
        Result.isSuccess(result) === strictlyValid(text)
      )
    }
    if (Result.isFailure(result)) {
      holds("a refusal has a rule", result.failure.rule !== "")
      holds("a refusal never repeats a value", !result.failure.rule.includes(secret))
      return
    }
    const { limits, root } = result.success
    holds("the root is canonical", root.startsWith("/") && posix.normalize(root) === root)
    holds(
      "limits are whole and at least 1",
      Object.values(limits).every((limit) => Number.isInteger(limit) && limit >= 1)
    )
    same("written again it means the same", meaning(JSON.stringify(JSON.parse(text))), meaning(text))
  }
}
