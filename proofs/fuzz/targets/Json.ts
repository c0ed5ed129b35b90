/** Strict JSON, against Python's reader: the same texts are JSON, and the same have a key twice. */
import * as Result from "effect/Result"
import * as StrictJson from "@memory-bridge/core/policy/StrictJson"
import { askPython } from "../Python.ts"
import { type Difference, holds, nesting, same, type Target } from "../Target.ts"

/** Python's reader recurses; deeper texts are not asked about. */
const deepest = 200

const verdictOf = (text: string): string => {
  const result = StrictJson.parse(text)
  return Result.isSuccess(result) ? "accepted" : result.failure.rule
}

export const comparable = (text: string): boolean => text.isWellFormed() && nesting(text) < deepest

export const json: Target = {
  name: "json",
  input: "text",
  json: true,
  words: [
    '"a"',
    '"a":',
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "1e5",
    "-0",
    "01",
    "1.",
    "NaN",
    "Infinity",
    "nul",
    "\\u0061",
    "\\ud800",
    "[".repeat(6_000),
    "//",
    "/*"
  ],
  seeds: [
    "{}",
    "[]",
    '{"a":1,"b":[true,null,"x\\n"]}',
    '{"a":{"a":1},"b":{"a":1}}',
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    "-1.5e-7",
    '"\\ud83d\\ude00"',
    '{"__proto__":1}'
  ],
  check: (text) => {
    const result = StrictJson.parse(text)
    if (Result.isFailure(result)) return
    same("the value is JSON.parse's", result.success, JSON.parse(text))
    const again = StrictJson.parse(JSON.stringify(result.success))
    holds("what was accepted is accepted when written again", Result.isSuccess(again))
  },
  compare: (inputs) => {
    const asked = inputs.filter((text) => comparable(text))
    const answers = askPython(
      "json_reader.py",
      asked.map((text) => Buffer.from(text, "utf8").toString("hex"))
    )
    return asked.flatMap((input, index): ReadonlyArray<Difference> => {
      const ours = verdictOf(input)
      return ours === answers[index] || ours === "too_deep"
        ? []
        : [{ input, detail: `here ${ours}, there ${answers[index]}` }]
    })
  }
}
