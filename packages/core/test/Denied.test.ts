/** Seed 000: "denied files cannot change results or the `truncated` flag", and are never opened. */
import { assert, describe, it } from "@effect/vitest"
import { ScanCeilings } from "@memory-bridge/core/budget/ScanBudget"
import * as Effect from "effect/Effect"
import { dir, type Drawing, type Drawn, file, link } from "./given/Trees.ts"
import { found, ids, inWorld, nested, read, search, world } from "./given/World.ts"

const hit = "needle TOKEN"
const policy = { allow: ["**/*.md", "open/**"], deny: ["**/private/**", "**/secret-*", "later.md"] }
const visible: Drawing = {
  "b.md": "needle b",
  open: { "c.md": "needle c", d: { "e.md": "needle e" } },
  "y.md": "other"
}

/** What a denied area may hold: anything at all. */
const denied: ReadonlyArray<readonly [string, Drawing]> = [
  ["nothing", {}],
  ["a matching note", { "a.md": hit }],
  ["many notes", Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`n${i}.md`, hit]))],
  ["a very large note", { "a.md": hit.padEnd(262_144) }],
  ["deep notes", nested(12, { "a.md": hit })],
  ["more entries than the ceiling", Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`x${i}`, ""]))],
  [
    "what cannot be opened",
    { "a.md": file(hit, { fails: { open: "exhausted" } }), d: dir({}, { fails: { list: "exhausted" } }) }
  ],
  ["links and foreign files", { "a.md": link("/v/b.md"), "b.md": file(hit, { owner: 1, mode: 0o777, links: 9 }) }]
]

const answer = (notes: Drawing, limits: object = {}) =>
  Effect.gen(function* () {
    const given = world(notes, { ...policy, limits })
    const [garden, token] = yield* inWorld(given, Effect.all([search("needle"), search("TOKEN")]))
    return { text: JSON.stringify([garden, token]), log: given.tree.log.join("\n"), logged: given.logged }
  })

describe("whatever lies in a fully denied directory, search answers the same bytes", () => {
  it.effect.each(denied)("%s", ([, below]) =>
    Effect.gen(function* () {
      const tight = [{ max_depth: 1 }, { max_entries: 3 }, { max_results: 2, default_results: 2 }]
      for (const limits of Object.keys(below).length > 1_000 ? [{}] : [{}, ...tight]) {
        const without = yield* answer(visible, limits)
        for (const place of [
          { ...visible, private: below },
          { ...visible, open: { ...(visible["open"] as Drawing), private: below } }
        ]) {
          const given = yield* answer(place, limits)
          assert.strictEqual(given.text, without.text)
          assert.strictEqual(given.log, without.log, "the tree was asked for more")
          assert.deepStrictEqual(given.logged, without.logged)
        }
      }
    })
  )
})

const tight = (bytes: number) => Effect.provideService(ScanCeilings, { rawEntries: 50_000, bytes })
const beside = (count: number, thing: Drawn): Drawing => ({
  ...visible,
  ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`secret-${i}.md`, thing]))
})

describe("denied notes beside permitted ones cost and change nothing", () => {
  it.effect("neither results nor the flag, with every budget tight", () =>
    Effect.gen(function* () {
      for (const thing of [hit, file(hit, { size: 200_000 }), link(), file(hit, { fails: { open: "exhausted" } })]) {
        for (const bytes of [1, 8, 9, 16, 17, 1_000]) {
          for (const limits of [{ max_entries: 1 }, { max_entries: 3 }, { max_entries: 4 }]) {
            const outcome = (notes: Drawing) => found(world(notes, { ...policy, limits }), "needle").pipe(tight(bytes))
            assert.strictEqual(yield* outcome(beside(500, thing)), yield* outcome(visible))
          }
        }
      }
    })
  )

  it.effect("they are never opened", () =>
    Effect.gen(function* () {
      const given = world(beside(5, hit), policy)
      yield* found(given)
      assert.notInclude(given.tree.log.join("\n"), "secret-")
    })
  )

  it.effect("the one thing that can show: more raw entries than the ceiling refuse the search", () =>
    Effect.gen(function* () {
      const given = world(beside(100, ""), policy)
      const few = Effect.provideService(ScanCeilings, { rawEntries: 100, bytes: 1_000 })
      assert.strictEqual(yield* found(given).pipe(few), "unavailable")
    })
  )
})

describe("a directory that no allow pattern can reach is never opened", () => {
  it.effect("nor does what it holds show", () =>
    Effect.gen(function* () {
      const given = world(
        { projects: { "a.md": "needle" }, people: { "b.md": hit }, ".git": { "c.md": hit } },
        {
          allow: ["projects/**"]
        }
      )
      assert.strictEqual(yield* found(given), "projects/a.md")
      const log = given.tree.log.join("\n")
      for (const path of ["/v/people", "/v/.git"]) assert.notInclude(log, path)
    })
  )
})

describe("a denied note cannot be told from a missing one by reading", () => {
  it.effect("the same bytes, and nothing of the tree is touched for either kind of denial", () =>
    Effect.gen(function* () {
      const given = world({ ...visible, "later.md": hit, private: { "x.md": hit } }, policy)
      const wanted = ["later.md", "LATER.md", "private/x.md", "private/none.md", "a/Private/b.md", "open/PRIVATE/x.md"]
      const answers = yield* inWorld(given, Effect.forEach([...wanted, "none.md"], read))
      assert.strictEqual(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1)
      assert.notInclude(given.tree.log.filter((line) => !line.includes("none.md")).join("\n"), "/v/")
    })
  )

  it.effect("another case of a denied name is denied, on any file system (case 35)", () =>
    Effect.gen(function* () {
      const given = world(
        { PRIVATE: { "x.md": hit }, Private: { "x.md": hit }, "LATER.md": hit, "Secret-1.md": hit },
        policy
      )
      assert.strictEqual(yield* found(given), "")
      const answers = yield* inWorld(
        given,
        Effect.forEach(["PRIVATE/x.md", "Private/x.md", "LATER.md", "Secret-1.md"], read)
      )
      assert.deepStrictEqual([...new Set(answers.map(ids))], ["not_found_or_denied"])
    })
  )
})

describe("search and read decide alike about every id (cases 4, 29)", () => {
  it.effect("what one shows, the other gives; what one hides, the other refuses", () =>
    Effect.gen(function* () {
      const names = ["a.md", "b.md", "secret-a.md", "later.md", "x.txt", ".h.md", "A.MD"]
      const level = (below: Drawing = {}): Drawing => ({
        ...Object.fromEntries(names.map((name) => [name, hit])),
        ...below
      })
      const given = world(level({ open: level({ private: level() }), private: level({ open: level() }), e: level() }), {
        ...policy,
        limits: { total_chars: 4_000, max_results: 10, default_results: 5 }
      })
      const paths = ["", "open/", "open/private/", "private/", "private/open/", "e/"]
      const readable: Array<string> = []
      for (const id of paths.flatMap((path) => names.map((name) => path + name))) {
        if ((yield* inWorld(given, read(id))).ok) readable.push(id)
      }
      const sorted = readable.toSorted()
      assert.strictEqual(yield* found(given, "token", 10), sorted.join(" "))
      assert.deepStrictEqual(sorted, [
        "a.md",
        "b.md",
        "e/a.md",
        "e/b.md",
        "e/later.md",
        "open/a.md",
        "open/b.md",
        "open/later.md"
      ])
    })
  )
})
