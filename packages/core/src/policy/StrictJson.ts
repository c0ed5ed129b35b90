/**
 * JSON as configuration must be: one meaning only. (design.md section 4, "Strict decoding")
 *
 * `JSON.parse` keeps the last of two equal keys, so a second look refuses duplicates at any depth.
 */
import * as Result from "effect/Result"
import { visit } from "jsonc-parser"

/** Dotted key path where one can be named, and the rule that the text breaks. */
export interface TextDefect {
  readonly key: string
  readonly rule: "not_json" | "duplicate_key" | "too_deep"
}

const firstDuplicate = (text: string): string | undefined => {
  const open: Array<Set<string>> = []
  let duplicate: string | undefined
  visit(text, {
    onObjectBegin: () => {
      open.push(new Set())
    },
    onObjectEnd: () => {
      open.pop()
    },
    onObjectProperty: (name, _offset, _length, _line, _character, pathSupplier) => {
      const names = open.at(-1)
      if (names?.has(name)) duplicate ??= [...pathSupplier(), name].join(".")
      names?.add(name)
    }
  })
  return duplicate
}

export const parse = (text: string): Result.Result<unknown, TextDefect> =>
  Result.flatMap(
    Result.try({ try: (): unknown => JSON.parse(text), catch: (): TextDefect => ({ key: "", rule: "not_json" }) }),
    (value) =>
      Result.flatMap(
        // The visitor recurses; nesting that exhausts the stack is refused, not crashed on.
        Result.try({ try: () => firstDuplicate(text), catch: (): TextDefect => ({ key: "", rule: "too_deep" }) }),
        (key) => (key === undefined ? Result.succeed(value) : Result.fail<TextDefect>({ key, rule: "duplicate_key" }))
      )
  )
