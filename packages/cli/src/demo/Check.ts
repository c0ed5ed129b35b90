/**
 * Is an answer what it should be, and does it give nothing away? (seed 000 "Tools", "Errors")
 *
 * Three questions to each answer: the expected content or refusal; for a refusal, the operator's reason; and no text
 * that must never leave, wherever it might hide. Refusals with one code must be the same to the letter.
 */
import { notes } from "./BundledText.ts"
import { type Fixture, secretWord } from "./Fixture.ts"
import type { Reply } from "./Host.ts"
import type { Expected } from "./Steps.ts"

interface Answer {
  readonly ok?: unknown
  readonly results?: ReadonlyArray<{ readonly id?: unknown }>
  readonly id?: unknown
  readonly content?: unknown
  readonly error?: { readonly code?: unknown }
}

const parse = (text: string): Answer => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** The reason code in the plugin's log, where it speaks of a refusal. */
export const reasonOf = (log: ReadonlyArray<string>): string | undefined =>
  log.map((line) => /\breason=(\w+)/.exec(line)?.[1] ?? /^memory_bridge_\w+: code=(\w+)/.exec(line)?.[1]).find(Boolean)

export const describeExpected = (expected: Expected): string => {
  switch (expected.kind) {
    case "found":
      return expected.ids.length === 0 ? "no results" : expected.ids.join(", ")
    case "content":
      return `the content of ${expected.id}`
    case "refused":
      return expected.reason === expected.code ? expected.code : `${expected.code}; in the log: ${expected.reason}`
  }
}

/** What is wrong with the answer, in words, or `undefined`. */
const mismatch = (expected: Expected, { answer, log }: Reply): string | undefined => {
  const { content, error, id, ok, results } = parse(answer)
  switch (expected.kind) {
    case "found": {
      const ids = results?.map((result) => result.id) ?? []
      return ok === true && JSON.stringify(ids) === JSON.stringify(expected.ids) ? undefined : "other results"
    }
    case "content":
      return ok === true && id === expected.id && typeof content === "string" && content.includes(expected.holds)
        ? undefined
        : "other content"
    case "refused": {
      if (ok !== false || error?.code !== expected.code) return "another answer"
      const reason = reasonOf(log)
      return reason === expected.reason ? undefined : `another reason in the log: ${reason ?? "none"}`
    }
  }
}

/** Texts that must be in no answer and no log line: where the files are, the secret, and what no policy here allows. */
export const forbiddenTexts = (fixture: Fixture): ReadonlyArray<string> => [
  fixture.top,
  secretWord,
  ...["projects/private/budget.md", "people/contact.md"].map((id) => (notes[id] ?? "").trim().split("\n").at(-1) ?? "")
]

export const leaks = (text: string, forbidden: ReadonlyArray<string>): boolean =>
  forbidden.some((never) => text.includes(never))

/** Remembers refusals, so that each is held against the first with its code. */
export const makeChecker = (fixture: Fixture) => {
  const forbidden = forbiddenTexts(fixture)
  const firstByCode = new Map<string, string>()
  const differs = (expected: Expected, answer: string): boolean => {
    // Only the hint of an invalid request may tell one refusal from another.
    if (expected.kind !== "refused" || expected.code === "invalid_request") return false
    const first = firstByCode.get(expected.code) ?? answer
    firstByCode.set(expected.code, first)
    return first !== answer
  }
  return (expected: Expected, reply: Reply): string | undefined => {
    if (leaks([reply.answer, ...reply.log].join("\n"), forbidden)) return "a text that must never leave"
    return mismatch(expected, reply) ?? (differs(expected, reply.answer) ? "not the same refusal as before" : undefined)
  }
}
