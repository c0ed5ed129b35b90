/** Properties of search by relevance and of reading by line, under policies of version 2. (design.md section 8) */
import { assert, describe, it } from "@effect/vitest"
import type { PublicAnswer } from "@memory-bridge/core/host/PublicAnswer"
import * as ContentCache from "@memory-bridge/core/notes/ContentCache"
import { indexOf } from "@memory-bridge/core/notes/NoteIndex"
import { continuationNote } from "@memory-bridge/core/notes/Notes"
import * as Ranking from "@memory-bridge/core/notes/Ranking"
import { wantedOf } from "@memory-bridge/core/notes/Wanted"
import { foldWords } from "@memory-bridge/core/notes/Words"
import { type DocumentId, parse } from "@memory-bridge/core/tree/DocumentId"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { dir, type Drawing } from "../contract/Drawing.ts"
import { type MemoryTree, memoryTree } from "../contract/MemoryTree.ts"
import { file as fileFacts } from "../../packages/core/test/given/Facts.ts"
import { decided, type Dice } from "./Generators.ts"
import { asking, type Case, resultsOf, signals } from "./Worlds.ts"

const words = [
  "needle",
  "Needle",
  "needles",
  "hay",
  "foo_bar",
  "getNeedleName",
  "v1.2.3",
  "e-mail",
  "caf\u00e9",
  "CAFE\u0301",
  "Straße",
  "会議",
  "東京の会議",
  "茶",
  "回答",
  "the",
  "(x)",
  "#needle"
]

const proseFrom = ({ pick, times }: Dice): string =>
  times(0, 14, () => pick(words)).join(pick([" ", "\n", ". ", "\r\n"]))

const noteFrom = (dice: Dice): string => {
  const { chance, pick } = dice
  const front = chance(30)
    ? `---\ntitle: ${pick(words)}\ntags: [${pick(["needle", "hay"])}]\nkey: ${pick(words)}\n---\n`
    : ""
  const heading = pick(["", "# Needle of it\n", "## hay\n\n", "Under\n---\n"])
  const code = chance(25) ? `\n\`\`\`\n# ${pick(words)} code\n\`\`\`\n` : ""
  return front + heading + proseFrom(dice) + code + (chance(50) ? proseFrom(dice) : "")
}

const names = ["a.md", "b.md", "needle.md", "hay-needle.md", "n1.md", "z.md", "x.txt"]
const folders = ["d", "needle", "private"]

const drawingFrom = (dice: Dice, depth = 0): Drawing => ({
  ...Object.fromEntries(dice.times(1, 5, () => [dice.pick(names), noteFrom(dice)] as const)),
  ...(depth > 1
    ? {}
    : Object.fromEntries(dice.times(0, 2, () => [dice.pick(folders), dir(drawingFrom(dice, depth + 1))] as const)))
})

interface Given extends Omit<Case, "notes"> {
  readonly notes: Drawing
  readonly ranking: "relevance" | "path"
}

const givenFrom = (dice: Dice): Given => ({
  notes: drawingFrom(dice),
  allow: ["**"],
  deny: ["**/private/**", "**/secret*"],
  limits: dice.pick([
    {},
    {},
    { max_entries: 3 },
    { max_depth: 1 },
    { snippet_chars: 12 },
    { total_chars: 90, snippet_chars: 30 }
  ]),
  ceilings: { rawEntries: 50_000, bytes: dice.pick([16_777_216, 16_777_216, 120]) },
  query: dice.times(1, 4, () => dice.pick(words)).join(" "),
  limit: 1 + dice.below(10),
  ranking: "relevance"
})

const treeOf = ({ allow, deny, limits, ranking }: Given, notes: Drawing): MemoryTree =>
  memoryTree({
    h: {
      "plugin-data": {
        "memory-bridge": { "policy.json": JSON.stringify({ version: 2, root: "/v", allow, deny, limits, ranking }) }
      }
    },
    v: notes
  })

const searching = (given: Given, tree = treeOf(given, given.notes)) =>
  asking({ ...given, notes: {} }, tree, ({ search }) => search(signals, { query: given.query, limit: given.limit }))

const cases = decided(givenFrom)
const runs = (seed: number, runs = 400) => ({ arbitrary: { runs, seed, size: 60 } })

/** Denied things put in at every level, full of the words of the query, in every place that ranking looks at. */
const withDenied = (drawing: Drawing, query: string, dice: Dice): Drawing => {
  const text = () =>
    `---\ntitle: ${JSON.stringify(query)}\ntags: [needle]\n---\n# ${query}\n\n${`${query} `.repeat(dice.below(40))}`
  return {
    "secret.md": text(),
    "secret-0.md": text(),
    private: dir({ "needle.md": text(), d: dir({ "a.md": text() }) }),
    ...Object.fromEntries(
      Object.entries(drawing)
        .filter(([name]) => name !== "private")
        .map(([name, drawn]) => [
          name,
          typeof drawn === "object" && "below" in drawn
            ? { ...drawn, below: withDenied(drawn.below as Drawing, query, dice) }
            : drawn
        ])
    )
  }
}

const withoutDenied = (drawing: Drawing): Drawing =>
  Object.fromEntries(
    Object.entries(drawing)
      .filter(([name]) => name !== "private")
      .map(([name, drawn]) => [
        name,
        typeof drawn === "object" && "below" in drawn
          ? { ...drawn, below: withoutDenied(drawn.below as Drawing) }
          : drawn
      ])
  )

const reversed = (drawing: Drawing): Drawing =>
  Object.fromEntries(
    Object.entries(drawing)
      .toReversed()
      .map(([name, drawn]) => [
        name,
        typeof drawn === "object" && "below" in drawn ? { ...drawn, below: reversed(drawn.below as Drawing) } : drawn
      ])
  )

describe("search by relevance", () => {
  const counts = { results: 0, truncated: 0 }

  it.effect.prop(
    "answers the same with arbitrary denied notes put in: ids, order, snippets, lines, truncation",
    [
      decided((dice) => {
        const given = givenFrom(dice)
        return { given, plain: withoutDenied(given.notes), more: withDenied(given.notes, given.query, dice) }
      })
    ],
    ([{ given, more, plain }]) =>
      Effect.gen(function* () {
        const answer = yield* searching(given, treeOf(given, plain))
        counts.results += resultsOf(answer).length
        if (answer.ok && answer.truncated) counts.truncated++
        assert.deepStrictEqual(yield* searching(given, treeOf(given, more)), answer)
      }),
    runs(81)
  )

  it("and finds and truncates often enough to mean something", () => {
    assert.isAbove(counts.results, 400)
    assert.isAbove(counts.truncated, 60)
  })

  it.effect.prop(
    "answers the same again, with what the process has kept, by either ranking",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2024, 0))
        const cold = yield* searching(given)
        const byPath = yield* searching({ ...given, ranking: "path" })
        const tree = treeOf(given, given.notes)
        const ask = { query: given.query, limit: given.limit }
        const [, warm, again] = yield* asking({ ...given, notes: {} }, tree, ({ search }) =>
          Effect.all([search(signals, { query: "absent" }), search(signals, ask), search(signals, ask)])
        )
        assert.deepStrictEqual([warm, again], [cold, cold])
        const pathTree = treeOf({ ...given, ranking: "path" }, given.notes)
        const [, warmByPath] = yield* asking({ ...given, notes: {} }, pathTree, ({ search }) =>
          Effect.all([search(signals, { query: "absent" }), search(signals, ask)])
        )
        assert.deepStrictEqual(warmByPath, byPath)
      }),
    runs(82, 250)
  )

  it.effect.prop(
    "does not depend on the order in which a directory is listed",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* searching(given, treeOf(given, reversed(given.notes))), yield* searching(given))
      }),
    runs(83, 250)
  )

  it.effect.prop(
    "finds every note that version 1 finds, but for keys of front matter",
    [cases],
    ([one]) =>
      Effect.gen(function* () {
        const given = { ...one, limits: {}, limit: 10, ceilings: { rawEntries: 50_000, bytes: 16_777_216 } }
        const path = resultsOf(yield* searching({ ...given, ranking: "path" }))
        const relevance = yield* searching(given)
        if (!relevance.ok || relevance.truncated) return
        const found = resultsOf(relevance).map(({ id }) => id)
        for (const { id } of path) assert.include(found, id)
      }),
    runs(84)
  )

  it.effect.prop(
    "shows a word of the query in each snippet, or the start of the note; never front matter",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        for (const { line, snippet } of resultsOf(yield* searching({ ...given, limits: {} }))) {
          const folded = foldWords(snippet)
          const shows = wantedOf(given.query).some(
            ({ pieces, text }) => folded.includes(text) || pieces.some((piece) => folded.includes(piece))
          )
          assert.isTrue(shows || !snippet.startsWith("…"), snippet)
          assert.notInclude(snippet, "tags: [")
          assert.isTrue(Number.isInteger(line) && line! >= 1)
        }
      }),
    runs(85)
  )

  it.effect.prop(
    "tells a line from which a read begins with the match or the start of the note",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        const tree = treeOf(given, given.notes)
        const results = resultsOf(yield* searching(given, tree))
        for (const { id, line, snippet } of results) {
          const page = yield* asking({ ...given, notes: {} }, tree, ({ read }) =>
            read(signals, { id, from_line: line })
          )
          assert.isTrue(page.ok && "content" in page, JSON.stringify(page))
          if (page.ok && "content" in page && snippet !== "") assert.notStrictEqual(page.content.trim(), "")
        }
      }),
    runs(86, 200)
  )
})

describe("scores", () => {
  type Notes = ReadonlyArray<readonly [string, string]>
  type Note = Ranking.Candidate & { readonly text: string }
  interface Kept {
    readonly cache: ContentCache.ContentCache
    /** Of each note; -1 for one that is not kept. */
    readonly rows: ReadonlyArray<number>
  }
  const notKept = (notes: Notes): Kept => ({ cache: ContentCache.make(0), rows: notes.map(() => -1) })

  const rank = (query: string, notes: Notes, atMost = Infinity, { cache, rows } = notKept(notes)) => {
    const candidates = notes.map(([, text]): Note => ({ index: indexOf(text), text }))
    const at = (row: number) => candidates[rows.indexOf(row)]!
    const ranking = Ranking.make<Note>(query, wantedOf(query), cache, at)
    for (const [which, [id, text]] of notes.entries()) {
      const entry = { id: parse(id) as DocumentId, folded: foldWords(id) }
      const row = rows[which]!
      if (row < 0 || which % 4 === 3) ranking.look(entry, candidates[which]!, row, () => text)
      else ranking.again(entry, row, () => text)
    }
    const { found, notes: ranked } = ranking.order((_, { text }) => text, atMost)
    return { found, ranked: ranked.map(({ id, score }) => [id, score] as const) }
  }

  /** All of them in rows that others had before, which the same words were looked up in. */
  const allKept = (query: string, notes: Notes): Kept => {
    const cache = ContentCache.make(1_000_000)
    const keep = (text: string, inode: number, now: bigint) =>
      cache.keepIndex(
        { facts: fileFacts({ inode: BigInt(inode) }), unlisted: true },
        indexOf(text),
        text,
        1_000_000_000_000n + now
      ).row
    const others = notes.toReversed()
    rank(query, others, 1, { cache, rows: others.map(([, text], at) => keep(text, at, 1n)) })
    for (const at of notes.keys()) keep("", at, 2n)
    return { cache, rows: notes.map(([, text], at) => keep(text, at, 3n)) }
  }

  it.effect.prop(
    "are the same to the last bit whatever order notes come in, ties in the order of coming",
    [
      decided((dice) => ({
        query: dice.times(1, 4, () => dice.pick(words)).join(" "),
        notes: dice
          .times(1, 30, () => noteFrom(dice))
          .map((text, i) => [`n${String(i).padStart(2, "0")}.md`, text] as const)
      }))
    ],
    ([{ notes, query }]) =>
      Effect.sync(() => {
        const sorted = ({ ranked }: ReturnType<typeof rank>) => ranked.map(([id, score]) => `${id} ${score}`).toSorted()
        const few = notes.slice(0, 20)
        assert.deepStrictEqual(sorted(rank(query, few.toReversed())), sorted(rank(query, few)))
        const { ranked } = rank(query, few)
        for (const [at, [id, score]] of ranked.entries()) {
          const [nextId, next] = ranked[at + 1] ?? ["", -1]
          if (next === score) assert.isTrue(id < nextId)
        }
      }),
    runs(87, 250)
  )

  it.effect.prop(
    "are the same for notes that have rows in the tables, and the best few are the first of all",
    [
      decided((dice) => ({
        query: dice.times(1, 4, () => dice.pick(words)).join(" "),
        atMost: 1 + dice.below(30),
        notes: dice
          .times(1, 60, () => (dice.chance(30) ? `# ${dice.pick(words)}` : noteFrom(dice)))
          .map((text, i) => [dice.pick([`n${i}.md`, `${i}/needle.md`, `${i}/hay.md`]), text] as const)
      }))
    ],
    ([{ atMost, notes, query }]) =>
      Effect.sync(() => {
        const all = rank(query, notes)
        const kept = allKept(query, notes)
        assert.deepStrictEqual(rank(query, notes, Infinity, kept), all)
        // What was looked up before is found again.
        assert.deepStrictEqual(rank(query, notes, Infinity, kept), all)
        const few = rank(query, notes, atMost)
        assert.strictEqual(few.found, all.found)
        assert.deepStrictEqual(few.ranked, all.ranked.slice(0, atMost))
      }),
    runs(88, 250)
  )
})

describe("reading by line", () => {
  it.effect.prop(
    "covers a note exactly once, in pieces that fit",
    [
      decided((dice) => ({
        text: dice
          .times(0, 30, () =>
            dice.pick([...words, "e\u0301\u0302\u0303", "🎉", "\n", "\r\n", "\n\n", "long ".repeat(12)])
          )
          .join(dice.pick(["", " ", "\n"])),
        most: dice.pick([1, 2, 7, 20, 8000])
      }))
    ],
    ([{ most, text }]) =>
      Effect.gen(function* () {
        const given: Given = { ...givenFrom(fixed), notes: { "a.md": text }, limits: { read_chars: most }, deny: [] }
        const tree = treeOf(given, given.notes)
        const whole = yield* asking({ ...given, notes: {} }, tree, ({ read }) =>
          Effect.gen(function* () {
            let [content, line]: [string, number | undefined] = ["", 1]
            for (let calls = 0; line !== undefined && calls < 2_000; calls++) {
              const page: PublicAnswer = yield* read(signals, { id: "a.md", from_line: line })
              if (!page.ok || !("content" in page)) return JSON.stringify(page)
              const next: number | undefined = page.next_line
              assert.strictEqual(page.truncated, next !== undefined)
              const piece = next === undefined ? page.content : page.content.slice(0, -continuationNote(next).length)
              assert.isAtMost([...piece].length, most)
              assert.isTrue(next === undefined || next > line)
              content += piece
              line = next
            }
            return content
          })
        )
        assert.strictEqual(whole, text)
      }),
    runs(88, 200)
  )
})

const fixed: Dice = {
  below: () => 0,
  pick: (from) => from[0]!,
  chance: () => false,
  times: (least, _, make) => Array.from({ length: least }, make)
}
