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

/**
 * A vault as people keep one: `count` notes of some 3 KB in nested folders, with spaces in their names, front matter, links
 * and some Japanese. Each has a word that no other has. Answers with twenty questions and the note that answers each.
 */
export const makeVault = (root, count) => {
  const random = randomFrom(7)
  const words = Array.from({ length: 4000 }, () =>
    Array.from({ length: 2 + Math.floor(random() * 2) }, () => syllables[Math.floor(random() * syllables.length)]).join(
      ""
    )
  )
  const word = () => words[Math.floor(words.length * random() ** 2.2)]
  const row = (length) => Array.from({ length }, word).join(" ")
  const nameOf = (index) => `note ${String(index).padStart(5, "0")}.md`
  const questions = []
  for (let index = 0; index < count; index++) {
    const folder = join(`area${index % 17}`, `topic${index % 101}`)
    const rare = `zz${index.toString(36).padStart(3, "0")}x${((index * 7919) % 9973).toString(36)}`
    const title = `${row(2)} ${index}`
    const paragraphs = Array.from({ length: 6 }, () => `${row(45)}.`)
    paragraphs[index % 6] += ` The ${rare} budget belongs to ${word()}.`
    if (index % 10 === 0) paragraphs.push(`東京の会議は火曜日です。予算は${index}円。`)
    mkdirSync(join(root, folder), { recursive: true, mode: 0o700 })
    writeFileSync(
      join(root, folder, nameOf(index)),
      `---\ntitle: ${title}\ntags: [${word()}, ${word()}]\n---\n# ${title}\n\n${paragraphs.join("\n\n")}\n\n` +
        `See [[${nameOf((index * 31) % count).slice(0, -3)}]].\n`,
      { mode: 0o600 }
    )
    if (index % Math.ceil(count / 20) === 0)
      questions.push({ query: `${rare} budget`, answer: join(folder, nameOf(index)) })
  }
  return questions
}
