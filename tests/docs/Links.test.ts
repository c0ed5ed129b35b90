/** The pages of the documentation lead to each other, and to files that are there. (issue 7 item 7) */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { anchorsOf, linksOf, pages, top } from "./support/Pages.ts"

const dead = (page: string, target: string): boolean => {
  const [path = "", anchor] = target.split("#")
  const file = join(top, path === "" ? page : normalize(join(dirname(page), path)))
  if (!existsSync(file)) return true
  return anchor !== undefined && !anchorsOf(readFileSync(file, "utf8")).has(anchor)
}

describe("the links of the documentation", () => {
  it.each(pages)("$name: each leads somewhere", (page) => {
    const local = linksOf(page).filter((target) => !/^https?:/u.test(target))
    assert.deepStrictEqual(
      local.filter((target) => dead(page.name, target)),
      []
    )
  })

  it.each(pages)("$name: names only tests, proofs and examples that there are", ({ text }) => {
    const named = Array.from(text.matchAll(/`((?:tests|proofs|examples|packages|scripts|bench)\/[\w./-]+)`/gu))
    assert.deepStrictEqual(
      named.map(([, path = ""]) => path).filter((path) => !existsSync(join(top, path))),
      []
    )
  })

  it("reach every page from the README", () => {
    const seen = new Set(["README.md"])
    for (const name of seen) {
      const page = pages.find((one) => one.name === name)
      if (page === undefined) continue
      for (const target of linksOf(page)) {
        if (!/^https?:/u.test(target)) seen.add(normalize(join(dirname(name), target.split("#")[0] ?? "")))
      }
    }
    assert.deepStrictEqual(
      pages.map(({ name }) => name).filter((name) => !seen.has(name)),
      []
    )
  })
})
