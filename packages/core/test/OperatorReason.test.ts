/** Seed 000: "operator logs contain short reason codes, never document paths or contents". */
import { assert, describe, it } from "@effect/vitest"
import { operatorReason } from "@memory-bridge/core/host/OperatorReason"
import { PolicyRefused } from "@memory-bridge/core/policy/PolicyStore"
import { decode } from "@memory-bridge/core/policy/Policy"
import * as Result from "effect/Result"
import { pathRules } from "@memory-bridge/core/trust/TrustedPath"
import { defect, policyText } from "./given/Policies.ts"
import { identityReasons, policyReasons, refusals, runReasons, scanReasons, secretPath } from "./given/Refusals.ts"

describe("every refusal has a short reason", () => {
  it("one of a closed set of codes", () => {
    const closed: ReadonlyArray<string> = [
      "invalid_request",
      "not_found_or_denied",
      "root_untrusted",
      ...identityReasons,
      ...policyReasons,
      ...scanReasons,
      ...runReasons
    ]
    for (const refusal of Object.values(refusals).flat()) {
      assert.include(closed, operatorReason(refusal).reason, refusal._tag)
    }
  })

  it("every reason of identity, policy, run and scan is told apart", () => {
    for (const tag of ["IdentityRefused", "PolicyRefused", "RunRefused", "ScanRefused"] as const) {
      const reasons = new Set(refusals[tag].map((refusal) => operatorReason(refusal).reason))
      assert.deepStrictEqual([...reasons], [...new Set(refusals[tag].map((refusal) => (refusal as never)["reason"]))])
    }
  })

  it("with the helper that identity lacked", () => {
    assert.deepStrictEqual(refusals.IdentityRefused.slice(0, 2).map(operatorReason), [
      { reason: "signals_malformed" },
      { reason: "signals_malformed", subject: "get_hermes_home" }
    ])
  })

  it("with the rule that the root or the policy broke, and the policy's key", () => {
    assert.deepStrictEqual(
      refusals.RootRefused.map(operatorReason),
      pathRules.map((rule) => ({ reason: "root_untrusted", rule }))
    )
    const text = policyText({ limits: { max_depth: 17 } })
    assert.deepStrictEqual(
      operatorReason(new PolicyRefused({ reason: "policy_invalid", component: secretPath, ...defect(text) })),
      { reason: "policy_invalid", subject: "limits.max_depth", rule: "Expected a value between 1 and 16" }
    )
  })

  it("the same one for every refused read, so that the log does not tell missing from denied", () => {
    for (const refusal of refusals.NoteRefused) {
      assert.deepStrictEqual(operatorReason(refusal), { reason: "not_found_or_denied" })
    }
  })
})

const logged = (text: string): string => {
  const result = decode(text)
  return Result.isFailure(result)
    ? JSON.stringify(
        operatorReason(new PolicyRefused({ reason: "policy_invalid", component: secretPath, ...result.failure }))
      )
    : assert.fail("accepted")
}

describe("no path, value or content stands in it", () => {
  it("of any refusal", () => {
    for (const refusal of Object.values(refusals).flat()) {
      assert.notInclude(JSON.stringify(operatorReason(refusal)), secretPath)
      assert.notInclude(JSON.stringify(operatorReason(refusal)), "/")
    }
  })

  it("nor of a policy that was refused for its values", () => {
    for (const changes of [{ root: "x/SECRET" }, { allow: ["/SECRET"] }, { deny: "SECRET" }, { limits: "SECRET" }]) {
      assert.notInclude(logged(policyText(changes)), "SECRET")
    }
  })

  it("nor of a policy that was refused for an unknown key, which may be anything and of any length", () => {
    for (const key of ["/home/SECRET/notes", 'SECRET\n{"reason":"ok"}', "SECRET".repeat(5_000)]) {
      assert.isBelow(logged(policyText({ [key]: 1 })).length, 200)
      assert.notInclude(logged(policyText({ [key]: 1 })), "/home/SECRET")
    }
  })
})
