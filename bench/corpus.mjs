/**
 * A deterministic folder of synthetic Markdown notes: `count` notes of about `bytes` bytes, twenty to a folder and
 * twenty folders to an area. Every fiftieth holds the word "Budget".
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const syllables = ["ka", "lo", "mi", "ren", "tus", "vel", "dor", "sha", "pin", "gra", "est", "ban", "nu", "zel", "wic"]

const randomFrom = (seed) => {
  let state = seed
  return () => (state = (state * 1664525 + 1013904223) >>> 0) / 2 ** 32
}

export const makeCorpus = (root, count, bytes) => {
  const random = randomFrom(42)
  const pick = (list) => list[Math.floor(random() * list.length)]
  const words = Array.from({ length: 4000 }, () => Array.from({ length: 3 }, () => pick(syllables)).join(""))
  const sentence = () => `${Array.from({ length: 12 }, () => pick(words)).join(" ")}.\n`
  for (let i = 0; i < count; i++) {
    const folder = join(root, `area${Math.floor(i / 400)}`, `topic${Math.floor(i / 20) % 20}`)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    let text = `# ${pick(words)} ${pick(words)} ${i}\n\n`
    if (i % 50 === 0) text += "The quarterly Budget is settled here.\n"
    while (text.length < bytes) text += sentence()
    writeFileSync(join(folder, `note-${String(i).padStart(5, "0")}.md`), text, { mode: 0o600 })
  }
}
