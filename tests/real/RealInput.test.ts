/**
 * Markdown that nobody here wrote: the files that the installed packages bring. They are copied into a root of our
 * own, because a package manager's files may be hard-linked or group-writable.
 */
import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { ids, makeWorld } from "../support/World.ts"

const modules = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), "node_modules")
const portable = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/

/** Portable ids, because version 1 serves no others. */
const idOf = (path: string): string =>
  path
    .split("/")
    .filter((segment) => portable.test(segment.replace("@", "")))
    .map((s) => s.replace("@", ""))
    .join("/")

describe("over the Markdown files of the installed packages", () => {
  const world = makeWorld()
  const contents = new Map<string, string>()
  for (const path of globSync("**/*.md", { cwd: modules })) {
    const id = idOf(path)
    const text = readFileSync(join(modules, path), "utf8")
    if (id.split("/").length > 16 || text.length > 200_000 || text.includes("\0") || text.includes("\ufffd")) continue
    contents.set(id, text)
    world.write(join(world.root, id), text)
  }
  world.policy({ limits: { max_depth: 16, max_entries: 10_000 } })

  it("there are some hundred to work on", () => {
    assert.isAbove(contents.size, 50)
  })

  it.each([
    "license",
    "the",
    "npm install",
    "copyright MIT permission",
    "installation usage",
    "#",
    "https",
    "function"
  ])("every id that a search for %j returns holds a term and can be read", (query) => {
    const answer = world.search(query, 10)
    assert.isTrue(answer.ok)
    assert.isNotEmpty(ids(answer))
    for (const id of ids(answer)) {
      const text = (contents.get(id) ?? "").toLowerCase()
      assert.isTrue(
        query
          .toLowerCase()
          .split(" ")
          .some((term) => text.includes(term) || id.includes(term)),
        id
      )
      const read = world.read(id)
      assert.isTrue(read.ok, id)
      if (read.ok && "content" in read && !read.truncated) {
        assert.strictEqual(digest(read.content), digest((contents.get(id) ?? "").replace(/^\ufeff/, "")), id)
      }
    }
  })

  it("every document can be read by its id", () => {
    for (const [id, text] of contents) {
      const answer = world.read(id)
      assert.isTrue(answer.ok && "content" in answer && text.startsWith(answer.content.slice(0, 100)), id)
    }
    world.dispose()
  })
})

const digest = (text: string): string => createHash("sha256").update(text).digest("hex")
