#!/usr/bin/env node
/**
 * Where does a walk at every call stop being right, and what does an index cost whose hits are still opened and judged?
 * `npm run bench:scaling [-- 50000 500000 …]`, the figures of docs/SCALING.md. Needs Node 24, which has SQLite with FTS5.
 *
 * For each size a tree of small notes is made, a hundred to a folder, and measured in one process:
 *
 * - look: list every folder and look at every note by name, as a warm search does; nothing is opened but folders
 * - open: open and judge every note as well, as a search must that trusts nothing it has seen
 * - index: what SQLite's FTS5 takes to build, on disk and to answer; it keeps tokens and ids, no text
 * - judged: the same answer with each of its hits opened from the root down, judged, read and cut to a snippet
 */
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Tree } from "../packages/core/src/tree/Tree.ts"
import { openById } from "../packages/core/src/notes/Confirm.ts"
import { isRefused, openBranch, openNote, openRoot, readNote } from "../packages/core/src/notes/TrustedEntry.ts"
import { snippetOf } from "../packages/core/src/notes/Snippet.ts"
import { noStamp } from "../packages/core/src/tree/Stamp.ts"
import { termsOf } from "../packages/core/src/notes/Query.ts"
import { decode } from "../packages/core/src/policy/Policy.ts"
import { layer } from "../packages/platform-linux/src/LinuxTree.ts"

const asked = process.argv.slice(2).filter((text) => /^\d+$/.test(text))
const sizes = asked.length === 0 ? [50_000] : asked.map(Number)
const json = process.argv.includes("--json")
const say = (text) => json || console.log(text)

const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]
const round = (value, digits = 1) => Number(value.toFixed(digits))
const timed = (work) => {
  const start = performance.now()
  const result = work()
  return { ms: performance.now() - start, result }
}

const syllables = ["ka", "lo", "mi", "ren", "tus", "vel", "dor", "sha", "pin", "gra", "est", "ban", "nu", "zel", "wic"]
const randomFrom = (seed) => {
  let state = seed
  return () => (state = (state * 1664525 + 1013904223) >>> 0) / 2 ** 32
}
const random = randomFrom(42)
const words = Array.from({ length: 20_000 }, () =>
  Array.from({ length: 4 }, () => syllables[Math.floor(random() * syllables.length)]).join("")
)
/** Some words come often and most seldom, as in a language. */
const word = (rnd) => words[Math.floor(words.length * rnd() ** 2.5)]

const pathOf = (index) => {
  const folder = Math.floor(index / 100)
  return `a${Math.floor(folder / 1000)}/b${Math.floor(folder / 100) % 10}/c${folder % 100}/note-${index}.md`
}
const textOf = (index) => {
  const rnd = randomFrom(index + 1)
  const row = (length) => Array.from({ length }, () => word(rnd)).join(" ")
  return `# ${row(3)} ${index}\n\n${row(40)}\n${index % 1000 === 0 ? "The quarterly budget.\n" : ""}`
}

const makeTree = (root, count) => {
  for (let index = 0; index < count; index++) {
    const path = join(root, pathOf(index))
    if (index % 100 === 0) mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 })
    writeFileSync(path, textOf(index), { mode: 0o600 })
  }
}

const makeIndex = (file, count) => {
  const database = new DatabaseSync(file)
  database.exec("pragma journal_mode = off; pragma synchronous = off")
  database.exec("create virtual table notes using fts5(text, content = '', tokenize = 'unicode61')")
  const insert = database.prepare("insert into notes (rowid, text) values (?, ?)")
  database.exec("begin")
  for (let index = 0; index < count; index++) insert.run(index, textOf(index))
  database.exec("commit")
  return database
}

const runtime = ManagedRuntime.make(layer)
const withWalk = (use) =>
  runtime.runSync(
    Effect.gen(function* () {
      return use(yield* (yield* Tree).walk)
    }).pipe(Effect.scoped)
  )

/** Every note below the root, by name or opened as well; the number of notes. */
const walkAll = (policy, opening) =>
  withWalk((walk) => {
    const root = openRoot(walk, policy)
    if (isRefused(root)) throw new Error(`the root is refused: ${root.component} ${root.rule}`)
    let seen = 0
    const visit = (directory) => {
      const listing = walk.list(directory, 1_000_000)
      if (typeof listing === "string") throw new Error(listing)
      for (const { kind, name } of listing.entries) {
        if (kind === "directory") {
          const below = openBranch(walk, root, directory, name)
          if (typeof below === "string") throw new Error(below)
          visit(below)
          walk.close(below)
        } else if (opening) {
          const note = openNote(walk, root, directory, name, 262_144)
          if (typeof note === "string") throw new Error(note)
          walk.close(note.handle)
          seen++
        } else {
          // What comes of the comparison does not matter: looking takes the time.
          walk.glance(directory, name, noStamp, 0)
          seen++
        }
      }
    }
    visit(root.handle)
    return seen
  })

const hitsOf = (select, query) => select.all(query).map(({ rowid }) => pathOf(rowid))

/** The hits of the index, each judged where it lies. */
const judged = (policy, ids, query) =>
  withWalk((walk) => {
    const root = openRoot(walk, policy)
    if (isRefused(root)) throw new Error(root.rule)
    const place = { walk, roots: [root], limits: policy.limits }
    const terms = termsOf(query)
    return ids.flatMap((id) => {
      if (!policy.rules.permits(id)) return []
      const note = openById(place, id)
      if (typeof note === "string") return []
      const reading = readNote(walk, note)
      walk.close(note.handle)
      return "text" in reading ? [snippetOf(reading.text, terms, 300)] : []
    })
  })

const measure = (count) => {
  const base = mkdtempSync(join(tmpdir(), "memory-bridge-scaling-"))
  try {
    const root = join(base, "notes")
    makeTree(root, count)
    const policy = decode(JSON.stringify({ version: 1, root, allow: ["**/*.md"] })).success
    const rounds = count > 1_000_000 ? 3 : 5
    const passes = (opening) =>
      median(
        Array.from({ length: rounds }, () => {
          const { ms, result } = timed(() => walkAll(policy, opening))
          if (result !== count) throw new Error(`${result} of ${count} notes seen`)
          return ms
        })
      )
    passes(false)
    const lookMs = passes(false)
    const openMs = passes(true)
    const file = join(base, "index.db")
    const { ms: buildMs, result: database } = timed(() => makeIndex(file, count))
    const select = database.prepare("select rowid from notes where notes match ? order by rank limit 30")
    const queries = ["budget", "quarterly budget", words[300], `${words[9000]} OR ${words[40]}`]
    const asking = []
    const judging = []
    for (let round = 0; round < 15; round++) {
      for (const query of queries) {
        const { ms, result: ids } = timed(() => hitsOf(select, query))
        const { ms: more } = timed(() => judged(policy, ids, query))
        asking.push(ms)
        judging.push(ms + more)
      }
    }
    database.close()
    return {
      notes: count,
      lookMs: round(lookMs),
      lookUs: round((lookMs * 1000) / count, 2),
      openMs: round(openMs),
      openUs: round((openMs * 1000) / count, 2),
      buildS: round(buildMs / 1000),
      indexMiB: round(statSync(file).size / 1_048_576),
      indexMs: round(median(asking), 2),
      judgedMs: round(median(judging), 2)
    }
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

say("      notes    look ms  us/note    open ms  us/note   build s   index MiB   index ms   judged ms")
const rows = sizes.map((count) => {
  const row = measure(count)
  const { buildS, indexMiB, indexMs, judgedMs, lookMs, lookUs, notes, openMs, openUs } = row
  const cells = [
    [notes, 11],
    [lookMs, 11],
    [lookUs, 9],
    [openMs, 11],
    [openUs, 9],
    [buildS, 10],
    [indexMiB, 12],
    [indexMs, 11],
    [judgedMs, 12]
  ]
  say(cells.map(([value, width]) => String(value).padStart(width)).join(""))
  return row
})
if (json) console.log(JSON.stringify({ node: process.versions.node, rows }))
