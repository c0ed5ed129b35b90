/** Seed 000 "Errors": three codes with fixed messages, never a path, a name or system text. */
import { assert, describe, it } from "@effect/vitest"
import { publicError, type PublicCode, type Refusal, unavailable } from "@memory-bridge/core/host/PublicAnswer"
import { refusals, secretPath } from "./given/Refusals.ts"

const codes: Readonly<Record<Refusal["_tag"], PublicCode>> = {
  InvalidRequest: "invalid_request",
  IdentityRefused: "unavailable",
  PolicyRefused: "unavailable",
  RunRefused: "unavailable",
  RootRefused: "unavailable",
  ScanRefused: "unavailable",
  NoteRefused: "not_found_or_denied"
}

const messages: Readonly<Record<PublicCode, string>> = {
  invalid_request: "The request is not valid.",
  unavailable: "Memory is not available for this request.",
  not_found_or_denied: "The document does not exist or may not be read."
}

describe("each kind of refusal has one code with one message", () => {
  it.each(Object.entries(codes))("%s is %s, whatever its reason", (tag, code) => {
    const given = refusals[tag as Refusal["_tag"]]
    assert.isNotEmpty(given)
    for (const refusal of given) {
      const { error, ok } = publicError(refusal)
      assert.deepStrictEqual({ error, ok }, { ok: false, error: { code, message: messages[code] } })
    }
  })

  it("all refusals with one code are the same answer, byte for byte", () => {
    for (const code of ["unavailable", "not_found_or_denied"]) {
      const answers = Object.entries(refusals)
        .filter(([tag]) => codes[tag as Refusal["_tag"]] === code)
        .flatMap(([, given]) => given.map((refusal) => JSON.stringify(publicError(refusal))))
      assert.strictEqual(new Set(answers).size, 1, code)
    }
  })

  it("a defect is answered like any other unavailability", () => {
    assert.deepStrictEqual(unavailable, { ok: false, error: { code: "unavailable", message: messages.unavailable } })
  })
})

describe("only an invalid request has a hint", () => {
  it("and it is the refusal's own", () => {
    for (const refusal of Object.values(refusals).flat()) {
      const answer = publicError(refusal)
      assert.strictEqual(answer.hint, refusal._tag === "InvalidRequest" ? refusal.hint : undefined)
      assert.strictEqual(Object.hasOwn(answer, "hint"), refusal._tag === "InvalidRequest")
    }
  })

  it("in the agreed order of keys", () => {
    assert.strictEqual(
      JSON.stringify(publicError(refusals.InvalidRequest[0] as Refusal)),
      `{"ok":false,"error":{"code":"invalid_request","message":"The request is not valid."},` +
        `"hint":"limit must be a whole number"}`
    )
  })
})

describe("nothing of a refusal's own words passes through", () => {
  it("no path, no rule, no reason, no key, no helper", () => {
    for (const refusal of Object.values(refusals).flat()) {
      const text = JSON.stringify(publicError(refusal))
      const { _tag, ...fields } = { ...refusal } as Record<string, unknown>
      for (const [name, value] of Object.entries(fields)) {
        if (name === "hint" || typeof value !== "string" || value === "") continue
        // Words of the fixed codes and messages themselves are no leak.
        if (
          Object.entries(messages)
            .flat()
            .some((fixed) => fixed.includes(value))
        )
          continue
        assert.notInclude(text, value, `${refusal._tag} ${name}`)
      }
      assert.notInclude(text, secretPath)
      assert.notInclude(text, "/")
    }
  })
})
