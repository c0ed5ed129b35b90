/** Text becomes text, whatever it is. (issue 5 item 6; cases/guard.md section 5) */
import { assert, describe, it } from "@effect/vitest"
import { escape, html, trusted } from "memory-bridge/report/Html"
import { page } from "memory-bridge/report/Page"
import { hostile, hostileTexts, ordinary } from "./support/Made.ts"

describe("the template", () => {
  it("escapes what it is given, in text and in attributes", () => {
    const { markup } = html`<a href="${`"><b>'`}">${"<i>&</i>"}</a>`
    assert.strictEqual(markup, '<a href="&quot;&gt;&lt;b&gt;&#39;">&lt;i&gt;&amp;&lt;/i&gt;</a>')
  })

  it("takes its own markup as it is, once", () => {
    assert.strictEqual(html`<p>${html`<b>${"<"}</b>`}</p>`.markup, "<p><b>&lt;</b></p>")
    assert.strictEqual(html`${[html`a`, html`b`]}${1}${trusted("<i>")}`.markup, "ab1<i>")
  })

  it("writes out what a browser would hide or turn round", () => {
    assert.strictEqual(
      escape("a\u202Eb\u200Bc\u0000d\u2028e\uD800f"),
      "a\\u{202e}b\\u{200b}c\\u{0000}d\\u{2028}e\\u{d800}f"
    )
    assert.strictEqual(escape("über Straße 名前 שלום"), "über Straße 名前 שלום")
  })
})

describe("the page's text", () => {
  const text = page(hostile(), 0)

  it("has no tag or attribute that a policy brought along", () => {
    for (const forbidden of [/<script/i, /<img/i, /<iframe/i, /<link/i, /<base/i, /http-equiv="refresh"/i]) {
      assert.notMatch(text, forbidden)
    }
    assert.strictEqual(text.match(/<style/gi)?.length, 1)
    assert.notMatch(text, /<[^>]* (?:on\w+|style|src)=/i)
    assert.notMatch(text.replaceAll("\n", ""), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  })

  it("has each of them as text", () => {
    for (const hostileText of hostileTexts) assert.include(text, escape(hostileText))
  })

  it("has no address but those within the page", () => {
    const plain = page(ordinary(), 0)
    assert.notMatch(plain, /https?:|\/\/[a-z]/i)
    for (const [, target = ""] of plain.matchAll(/href="([^"]*)"/g)) {
      assert.match(target, /^#/)
      assert.include(plain, `id="${target.slice(1)}"`)
    }
  })

  it("forbids everything but its own style sheet", () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(
      page(ordinary(), 0).replace(/\s+content=/g, " content=")
    )?.[1]
    assert.match(
      policy ?? "",
      /^default-src (?:'|&#39;)none(?:'|&#39;); style-src (?:'|&#39;)sha256-[\w+/=]{44}(?:'|&#39;); base-uri .*none.*; form-action .*none.*$/
    )
  })

  it("is the same for the same review at the same time", () => {
    assert.strictEqual(page(ordinary(), 0), page(ordinary(), 0))
    assert.include(page(ordinary(), 0), '<time datetime="1970-01-01T00:00:00.000Z">')
  })
})
