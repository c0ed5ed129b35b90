/** Policies as an operator would write them: the shortest valid one, with changes. */
import { assert } from "@effect/vitest"
import * as Result from "effect/Result"
import { decode, type Policy, type PolicyDefect } from "@memory-bridge/core/policy/Policy"
import { versionBeside } from "../../../../tests/support/PolicyVersion.ts"

export const minimal = { version: 1, root: "/v", allow: ["**"] } as const

export const policyText = (changes: object = {}): string =>
  JSON.stringify({ ...minimal, ...versionBeside(changes), ...changes })

export const policy = (changes: object = {}): Policy => {
  const result = decode(policyText(changes))
  if (Result.isFailure(result)) throw new Error(JSON.stringify(result.failure))
  return result.success
}

/** What the decoder says is wrong with a text. */
export const defect = (text: string): PolicyDefect => {
  const result = decode(text)
  assert.isTrue(Result.isFailure(result), `accepted ${text.slice(0, 200)}`)
  return (result as Result.Failure<never, PolicyDefect>).failure
}
