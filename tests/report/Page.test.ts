/**
 * The report in a real browser: what it is made of, whether it can be read by everybody, on a phone, on paper, without
 * script and without network. (issue 5 item 6 "checked in a real headless browser")
 */
import { assert, describe, it } from "@effect/vitest"
import { createServer } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { readFileSync } from "node:fs"
import type { AxeResults } from "axe-core"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect } from "vitest"
import { page as textOf } from "memory-bridge/report/Page"
import { desk, launch, phone, program, withPage } from "./support/Browser.ts"
import { hostile, hostileTexts, ordinary, unchanged } from "./support/Made.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const time = Date.UTC(2026, 0, 2, 3, 4)
const reviews = { ordinary, unchanged, hostile }
const names = ["ordinary", "unchanged", "hostile"] as const
const text = (name: (typeof names)[number]): string => textOf(reviews[name](), time)

const unfold = (page: Page): Promise<void> =>
  page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)))

describe.skipIf(program === undefined)(
  `the report${program === undefined ? " (skipped: needs chromium)" : " in a browser"}`,
  () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await launch()
    })
    afterAll(() => browser.close())

    it("is made of one heading, ordered parts, and tables with captions and headers", () =>
      withPage(browser, text("ordinary"), { viewport: desk }, async ({ page }) => {
        const levels = await page.evaluate(() =>
          [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map(({ tagName }) => Number(tagName.slice(1)))
        )
        assert.strictEqual(levels[0], 1)
        assert.strictEqual(levels.filter((level) => level === 1).length, 1)
        levels.forEach((level, index) => assert.isAtMost(level, (levels[index - 1] ?? 0) + 1))
        const tables = await page.evaluate(() =>
          [...document.querySelectorAll("table")].map((table) => ({
            caption: table.caption?.textContent.trim() ?? "",
            columns: [...table.tHead!.rows[0]!.cells].map((cell) => `${cell.tagName} ${cell.getAttribute("scope")}`),
            rows: [...table.tBodies[0]!.rows].map(
              (row) => `${row.cells[0]!.tagName} ${row.cells[0]!.getAttribute("scope")} ${row.cells.length}`
            )
          }))
        )
        assert.isAtLeast(tables.length, 5)
        for (const { caption, columns, rows } of tables) {
          assert.notStrictEqual(caption, "")
          assert.deepStrictEqual([...new Set(columns)], ["TH col"])
          assert.deepStrictEqual([...new Set(rows)], [`TH row ${columns.length}`])
        }
        for (const landmark of ["header", "nav", "main", "footer"]) {
          assert.strictEqual(await page.locator(landmark).count(), 1, landmark)
        }
        assert.strictEqual(await page.evaluate(() => document.documentElement.lang), "en")
      }))

    it("reads like this to a screen reader", async () => {
      let structure = ""
      await withPage(browser, text("ordinary"), { viewport: desk }, async ({ page }) => {
        structure = await page.locator("body").ariaSnapshot()
      })
      await expect(structure.replaceAll(/[0-9a-f]{64}/g, "<fingerprint>") + "\n").toMatchFileSnapshot(
        "golden/structure.txt"
      )
    })

    it.each([
      ["ordinary", "light", phone.width, phone],
      ["ordinary", "light", desk.width, desk],
      ["ordinary", "dark", phone.width, phone],
      ["ordinary", "dark", desk.width, desk],
      ["unchanged", "light", desk.width, desk],
      ["hostile", "light", phone.width, phone]
    ] as const)("has nothing for axe to complain of: %s, %s, %i pixels", (name, scheme, _width, viewport) =>
      withPage(browser, text(name), { viewport, colorScheme: scheme }, async ({ page }) => {
        await unfold(page)
        await page.evaluate(axe)
        const { passes, violations } = await page.evaluate(() =>
          (globalThis as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run()
        )
        const found = violations.map(({ help, id, nodes }) => `${id}: ${help}: ${nodes[0]?.html}`)
        assert.deepStrictEqual(found, [])
        assert.include(
          passes.map(({ id }) => id),
          "color-contrast"
        )
      })
    )

    it("is gone through by the keyboard in the order in which it is read", () =>
      withPage(browser, text("ordinary"), { viewport: desk }, async ({ page }) => {
        const expected = await page.locator("a[href], summary").allInnerTexts()
        const met: Array<string> = []
        for (let stop = 0; stop < expected.length; stop++) {
          await page.keyboard.press("Tab")
          const { outline, seen, text } = await page.evaluate(() => {
            const focused = document.activeElement as HTMLElement
            const { top } = focused.getBoundingClientRect()
            return { text: focused.innerText, outline: getComputedStyle(focused).outlineStyle, seen: top >= 0 }
          })
          assert.strictEqual(outline, "solid", text)
          assert.isTrue(seen, text)
          met.push(text)
        }
        assert.deepStrictEqual(met, expected)
        assert.isAtLeast(met.length, 8)
        assert.strictEqual(met[0], "Skip to the review")
      }))

    it("lets the keyboard skip to the review, and open what is folded", () =>
      withPage(browser, text("ordinary"), { viewport: desk }, async ({ page }) => {
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        assert.strictEqual(await page.evaluate(() => document.activeElement?.id), "main")
        await page.locator("summary").first().focus()
        await page.keyboard.press("Enter")
        assert.isTrue(
          await page
            .locator("details")
            .first()
            .evaluate((details) => (details as HTMLDetailsElement).open)
        )
      }))

    it.each(names)("needs no scrolling sideways on a phone: %s", (name) =>
      withPage(browser, text(name), { viewport: phone }, async ({ page }) => {
        await unfold(page)
        assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), phone.width)
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll("body *:not(.skip):not(.unseen)")]
            .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
            .map(({ className, tagName }) => `${tagName}.${className}`)
        )
        assert.deepStrictEqual(cut, [])
        const shot = await page.screenshot({ fullPage: true })
        assert.deepStrictEqual([...shot.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47])
        assert.strictEqual(shot.readUInt32BE(16), phone.width)
      })
    )

    it("is light on paper, without navigation and with nothing folded away", () =>
      withPage(browser, text("ordinary"), { viewport: desk, colorScheme: "dark" }, async ({ page }) => {
        const brightness = () =>
          page.evaluate(() =>
            [document.body, ...document.querySelectorAll<HTMLElement>(".card, .verdict, .example, .tally > div")].map(
              (element) => {
                const [red = 0, green = 0, blue = 0, alpha = 1] = getComputedStyle(element)
                  .backgroundColor.match(/[\d.]+/g)!
                  .map(Number)
                return alpha === 0 ? 255 : (red + green + blue) / 3
              }
            )
          )
        assert.isBelow(Math.max(...(await brightness())), 80)
        await page.emulateMedia({ media: "print" })
        assert.isAbove(Math.min(...(await brightness())), 220)
        assert.isFalse(await page.locator("nav").isVisible())
        for (const table of await page.locator("details table").all()) {
          assert.isAbove((await table.boundingBox())?.height ?? 0, 40)
        }
        const paper = await page.pdf({ format: "A4" })
        assert.strictEqual(paper.subarray(0, 5).toString(), "%PDF-")
      }))

    it.each(names)("asks for nothing but itself, and has nothing forbidden: %s", (name) =>
      withPage(browser, text(name), { viewport: desk }, async ({ complaints, page, requests, url }) => {
        await unfold(page)
        await page.mouse.move(300, 300)
        await page.waitForLoadState("networkidle")
        assert.deepStrictEqual(requests, [url])
        assert.deepStrictEqual(complaints, [])
      })
    )

    it("shows hostile texts as what they are", () =>
      withPage(browser, text("hostile"), { viewport: desk }, async ({ page }) => {
        assert.strictEqual(await page.title(), "Policy review - Hermes Guardian")
        assert.isTrue(await page.locator("main").isVisible())
        assert.strictEqual(await page.locator("script, img, iframe, link, base, [onerror], [style]").count(), 0)
        const shown = await page.locator("body").innerText()
        for (const hostileText of hostileTexts.slice(0, 6)) assert.include(shown, hostileText)
        assert.include(shown, "\\u{202e}gnihtyna")
      }))

    it("would not let a script run, an address be loaded or a style be used that came into it", async () => {
      let asked = 0
      const server = createServer((_request, response) => {
        asked += 1
        response.end()
      })
      await new Promise<void>((resolve) => {
        server.listen(0, "127.0.0.1", resolve)
      })
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      const taken = text("ordinary").replace(
        "</main>",
        `<script>document.title = "taken"</script><img src="${address}" alt=""><p style="color:red" id="odd">x</p></main>`
      )
      const effects = async (markup: string) => {
        const before = asked
        let found = { title: "", colour: "", asked: 0 }
        await withPage(browser, markup, { viewport: desk }, async ({ page }) => {
          await page.waitForLoadState("networkidle")
          const colour = await page.locator("#odd").evaluate((odd) => getComputedStyle(odd).color)
          found = { title: await page.title(), colour, asked: asked - before }
        })
        return found
      }
      try {
        const { asked, colour, title } = await effects(taken)
        assert.deepStrictEqual({ asked, title }, { asked: 0, title: "Policy review - Hermes Guardian" })
        assert.notStrictEqual(colour, "rgb(255, 0, 0)")
        const open = await effects(taken.replace("Content-Security-Policy", "x"))
        assert.deepStrictEqual(open, { asked: 1, colour: "rgb(255, 0, 0)", title: "taken" })
      } finally {
        server.close()
      }
    })

    it("says the same where scripts are switched off", async () => {
      const read = async (javaScriptEnabled: boolean): Promise<string> => {
        let shown = ""
        await withPage(browser, text("ordinary"), { viewport: desk, javaScriptEnabled }, async ({ page }) => {
          await page.locator("summary").first().click()
          shown = await page.locator("body").innerText()
        })
        return shown
      }
      const without = await read(false)
      assert.include(without, "What opens")
      assert.strictEqual(without, await read(true))
    })

    it("moves nothing for those who asked for that", () =>
      withPage(browser, text("ordinary"), { viewport: desk, reducedMotion: "reduce" }, async ({ page }) => {
        const motion = () => page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior)
        assert.strictEqual(await motion(), "auto")
        await page.emulateMedia({ reducedMotion: "no-preference" })
        assert.strictEqual(await motion(), "smooth")
      }))
  }
)
