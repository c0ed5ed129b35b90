/**
 * What a line-counting search does, as a peer that is always there: notes by how many lines hold a word of the query,
 * every word a substring without regard to case, as `rg -i -c -e word -e word` over the folder counts them.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import type { Engine } from "./Ours.ts"

export const hitCount = (root: string): Engine => {
  const notes = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => ({ id: relative(root, file), lines: readFileSync(file, "utf8").toLowerCase().split("\n") }))
  return (query) => {
    const words = query.toLowerCase().split(/\s+/u)
    const holds = (line: string) => words.some((word) => line.includes(word))
    return notes
      .map(({ id, lines }) => ({ id, count: lines.filter(holds).length, text: lines.find(holds) ?? "" }))
      .filter(({ count }) => count > 0)
      .toSorted((one, other) => other.count - one.count)
      .slice(0, 10)
  }
}
