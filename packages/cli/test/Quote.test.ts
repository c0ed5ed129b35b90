/** A quoted path is one shell word that names exactly that path, and shows on a terminal as what it is. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { quote, show } from "memory-bridge/operator/Quote"

const odd = [
  "/plain/path",
  "/with space/and 'quote'",
  '/double"quote/$HOME/`id`/$(id)',
  "/back\\slash",
  "/line\nfeed",
  "/tab\tand\u001b[31mcolour",
  "/right\u202eto-left",
  "/ünï/日本語/🌱",
  "/'\n'",
  "/bang!/*?[a]{b,c}~;&|<>#"
]

describe("a quoted path", () => {
  it.each(odd)("is the same path to a shell: %j", (path) => {
    const printed = execFileSync("bash", ["--norc", "-c", `printf %s ${quote(path)}`], { encoding: "utf8" })
    assert.strictEqual(printed, path)
  })

  it.each(odd)("has no character that a terminal acts on or hides: %j", (path) => {
    assert.notMatch(quote(path), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    assert.notMatch(show(path), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  })
})

describe("a shown path", () => {
  it("is not quoted where it shows as it is", () => {
    assert.strictEqual(show("/a b/c"), "/a b/c")
    assert.strictEqual(show("/a\u0007"), String.raw`$'/a\x07'`)
  })
})
