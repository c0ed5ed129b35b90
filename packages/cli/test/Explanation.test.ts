/** The operator learns component, rule and cure, and what exit code follows. (design.md section 1) */
import { assert, describe, it } from "@effect/vitest"
import { NoteRefused, RootRefused, ScanRefused } from "@memory-bridge/core/notes/Notes"
import { InvalidRequest } from "@memory-bridge/core/notes/Request"
import { decode } from "@memory-bridge/core/policy/Policy"
import { PolicyRefused } from "@memory-bridge/core/policy/PolicyStore"
import { rootsOf } from "@memory-bridge/core/policy/Roots"
import * as Result from "effect/Result"
import { explain, explanationText } from "memory-bridge/operator/Explanation"

const rootFrom = (policy: object) => rootsOf(Result.getOrThrow(decode(JSON.stringify(policy))))[0]!
const circumstances = {
  policyPath: "/srv/policy.json",
  root: rootFrom({ version: 1, root: "/srv/notes", allow: [] })
}
const labelled = (refusal: Parameters<typeof explain>[0], place = {}) =>
  Object.fromEntries(explain(refusal, { ...circumstances, ...place }).details)

const policyRefused = (reason: PolicyRefused["reason"], component: string, rule: string, key = "") =>
  new PolicyRefused({ reason, component, key, rule })

describe("an explanation", () => {
  it.each([
    [policyRefused("policy_path_untrusted", "/srv/x", "group_writable"), "/srv/x", "chmod go-w '/srv/x'"],
    [policyRefused("policy_unreadable", "/srv/policy.json", "missing"), "/srv/policy.json", "chmod 600"],
    [new RootRefused({ component: "/srv/notes", rule: "world_writable" }), "/srv/notes", "chmod go-w '/srv/notes'"],
    [new ScanRefused({ reason: "raw_entries" }), "/srv/notes", "smaller folder"]
  ])("names component, rule and cure: %o", (refusal, component, cure) => {
    const details = labelled(refusal)
    assert.strictEqual(details["component"], component)
    assert.match(details["rule"] ?? "", /^\w+: it /)
    assert.include(details["cure"], cure)
  })

  it("takes a missing policy for a file, and a missing directory on the way for a directory", () => {
    assert.include(labelled(policyRefused("policy_unreadable", "/srv/policy.json", "missing"))["cure"], "put a policy")
    assert.include(
      labelled(policyRefused("policy_path_untrusted", "/srv/x", "missing"))["cure"],
      "mkdir -m 700 '/srv/x'"
    )
  })

  it("names the key of an invalid policy, and none where the file as a whole is wrong", () => {
    const byKey = labelled(policyRefused("policy_invalid", "/srv/policy.json", "is 11", "limits.max_results"))
    assert.deepStrictEqual(byKey, {
      component: "/srv/policy.json",
      key: "limits.max_results",
      rule: "policy_invalid: is 11",
      cure: "correct limits.max_results in the file"
    })
    assert.notProperty(labelled(policyRefused("policy_invalid", "/srv/policy.json", "not_json")), "key")
  })

  it("names the place and the pattern that refused a note", () => {
    const place = { path: "/srv/notes/private/a.md", part: "note", pattern: "**/private/**" } as const
    const details = labelled(new NoteRefused({ rule: "denied" }), { place })
    assert.strictEqual(details["component"], place.path)
    assert.strictEqual(details["rule"], "denied: it matches a deny pattern, **/private/**")
  })

  it.each([
    [new InvalidRequest({ hint: "h" }), 1],
    [policyRefused("policy_invalid", "/p", "r"), 2],
    [new RootRefused({ component: "/", rule: "link" }), 2],
    [new ScanRefused({ reason: "exhausted" }), 2],
    [new NoteRefused({ rule: "missing" }), 3]
  ])("has the exit code of its kind: %o", (refusal, code) => {
    assert.strictEqual(explain(refusal, circumstances).exitCode, code)
  })
})

describe("its text", () => {
  it("is one headline and aligned details, and shows nothing that a terminal would act on", () => {
    const text = explanationText(
      explain(new RootRefused({ component: "/srv/\u001b[2J", rule: "group_writable" }), circumstances)
    )
    assert.strictEqual(
      text,
      [
        "memory-bridge: The memory root is refused.",
        String.raw`  component  $'/srv/\x1b[2J'`,
        "  rule       group_writable: it can be written by its group",
        String.raw`  cure       chmod go-w $'/srv/\x1b[2J'`,
        ""
      ].join("\n")
    )
  })
})
