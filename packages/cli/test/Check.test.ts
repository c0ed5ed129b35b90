/** The demo's judge: it must not take a wrong answer for a right one. */
import { assert, describe, it } from "@effect/vitest"
import { makeChecker } from "memory-bridge/demo/Check"
import { notes } from "memory-bridge/demo/BundledText"
import { type Fixture, secretWord } from "memory-bridge/demo/Fixture"
import type { Expected } from "memory-bridge/demo/Steps"

const fixture: Fixture = {
  top: "/tmp/demo-x",
  root: "/tmp/demo-x/notes",
  plugin: "/tmp/demo-x/plugin",
  host: "/tmp/demo-x/host.py",
  homeOf: (profile) => `/tmp/demo-x/${profile}`,
  policyOf: (profile) => `/tmp/demo-x/${profile}/policy.json`
}

const check = (expected: Expected, answer: unknown, log: ReadonlyArray<string> = []) =>
  makeChecker(fixture)(expected, { answer: typeof answer === "string" ? answer : JSON.stringify(answer), log })

const found: Expected = { kind: "found", ids: ["a.md", "b.md"] }
const content: Expected = { kind: "content", id: "a.md", holds: "asters" }
const refused: Expected = { kind: "refused", code: "unavailable", reason: "cron_refused" }
const unavailable = { ok: false, error: { code: "unavailable", message: "m" } }
const why = ["sidecar: code=refused call=search reason=cron_refused"]
const results = (...ids: ReadonlyArray<string>) => ({ ok: true, results: ids.map((id) => ({ id })), truncated: false })

describe("the check of an answer", () => {
  it("passes what is expected", () => {
    assert.isUndefined(check(found, results("a.md", "b.md")))
    assert.isUndefined(check(content, { ok: true, id: "a.md", content: "blue asters" }))
    assert.isUndefined(check(refused, unavailable, why))
  })

  it.each<[string, Expected, unknown, ReadonlyArray<string>]>([
    ["one result less", found, results("a.md"), []],
    ["one result more", found, results("a.md", "b.md", "c.md"), []],
    ["another order", found, results("b.md", "a.md"), []],
    ["a refusal instead of results", found, unavailable, why],
    ["results that are not ok", found, { ...results("a.md", "b.md"), ok: false }, []],
    ["another document", content, { ok: true, id: "b.md", content: "blue asters" }, []],
    ["other content", content, { ok: true, id: "a.md", content: "roses" }, []],
    ["an answer instead of a refusal", refused, results("a.md"), why],
    ["another code", refused, { ok: false, error: { code: "invalid_request", message: "m" } }, why],
    ["another reason", refused, unavailable, ["sidecar: code=refused reason=home_unbound"]],
    ["no reason", refused, unavailable, []],
    ["no JSON", refused, "unavailable", why],
    ["null", refused, "null", why]
  ])("fails %s", (_, expected, answer, log) => {
    assert.isString(check(expected, answer, log))
  })

  it.each([fixture.top, secretWord, (notes["projects/private/budget.md"] ?? "").split("\n")[2] ?? ""])(
    "fails an otherwise right answer that holds %j, in the answer or in the log",
    (text) => {
      assert.strictEqual(check(found, { ...results("a.md", "b.md"), note: text }), "a text that must never leave")
      assert.strictEqual(check(refused, unavailable, [...why, text]), "a text that must never leave")
    }
  )

  it("fails a refusal that differs from an earlier one with its code, by a hint of one space", () => {
    const judge = makeChecker(fixture)
    assert.isUndefined(judge(refused, { answer: JSON.stringify(unavailable), log: why }))
    assert.strictEqual(
      judge(refused, { answer: JSON.stringify(unavailable, undefined, 1), log: why }),
      "not the same refusal as before"
    )
  })
})
