/** A target with a defect on purpose, by which the tests see that the fuzzer finds and shrinks. Not among all. */
import { holds, type Target } from "../Target.ts"

export const planted: Target = {
  name: "planted",
  input: "text",
  json: false,
  words: [],
  seeds: ["some words", "more of it"],
  check: (text) => {
    const at = text.indexOf("x")
    if (at < 0) return
    const next = text.indexOf("y", at)
    if (next >= 0) holds("no text holds both words in order", !text.includes("z", next))
  }
}
