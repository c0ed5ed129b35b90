/** What a policy of version 2 changes in the answers, and that version 1 has none of it. (design.md sections 7 and 8) */
import { assert, describe, it } from "@effect/vitest"
import { continuationNote } from "@memory-bridge/core/notes/Notes"
import * as Effect from "effect/Effect"
import { defect, policy, policyText } from "../given/Policies.ts"
import { missing, signals } from "../given/Signals.ts"
import { dir } from "../given/Trees.ts"
import { home, ids, inWorld, nested, read, readAs, search, searchAs, within, world } from "../given/World.ts"

const two = { version: 2 }
const call = signals({ get_hermes_home: home })
const from = (args: object, given: unknown = call) => readAs(given, args)
const five = { "n.md": "one\ntwo\nthree\nfour\nfive\n" }

describe("the policy", () => {
  it.each([
    [{ version: 1 }, 1, "path"],
    [{ version: 2 }, 2, "relevance"],
    [{ version: 2, ranking: "relevance" }, 2, "relevance"],
    [{ version: 2, ranking: "path" }, 2, "path"]
  ] as const)("%j", (changes, version, ranking) => {
    const decoded = policy(changes)
    assert.deepStrictEqual([decoded.version, decoded.ranking], [version, ranking])
  })

  it.each([
    [{ version: 1, ranking: "path" }, "ranking"],
    [{ version: 2, ranking: "best" }, "ranking"],
    [{ version: 2, ranking: null }, "ranking"],
    [{ version: 2, rankings: "path" }, "rankings"],
    [{ version: 3, ranking: "path" }, "ranking"],
    [{ version: 3 }, "version"],
    [{ version: "2" }, "version"],
    [{ version: 2, limits: { max_depth: 17 } }, "limits.max_depth"]
  ])("%j is refused", (changes, key) => {
    assert.strictEqual(defect(policyText(changes)).key, key)
  })
})

describe("a search", () => {
  const notes = { "a.md": "needle in passing\n", "b.md": "# Needle\n\nmore\n" }

  it.effect("is ordered by relevance and tells lines", () =>
    Effect.gen(function* () {
      const answer = yield* inWorld(world(notes, two), search("needle"))
      assert.deepStrictEqual(answer as unknown, {
        ok: true,
        results: [
          { id: "b.md", title: "Needle", snippet: "Needle more", line: 1 },
          { id: "a.md", title: "a", snippet: "needle in passing", line: 1 }
        ],
        truncated: false
      })
    })
  )

  it.effect.each([{ version: 1 }, { version: 2, ranking: "path" }])(
    "under %j is version 1's to the letter",
    (changes) =>
      Effect.gen(function* () {
        const answer = yield* inWorld(world(notes, changes), search("needle"))
        assert.deepStrictEqual(answer as unknown, {
          ok: true,
          results: [
            { id: "a.md", snippet: "needle in passing" },
            { id: "b.md", title: "Needle", snippet: "# Needle more" }
          ],
          truncated: false
        })
      })
  )

  const by = (answer: unknown) => (answer as { truncated_by?: ReadonlyArray<string> }).truncated_by
  const many = Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`n${i}.md`, "needle"]))

  it.effect("says which limit left something out", () =>
    Effect.gen(function* () {
      const outcomes = [
        [yield* inWorld(world(many, two), search("needle", 3)), ["results"]],
        [yield* inWorld(world(many, two), search("needle", 4)), undefined],
        [yield* inWorld(world(many, { ...two, limits: { max_entries: 2 } }), search("needle")), ["scan"]],
        [yield* inWorld(world(many, two), search("needle")).pipe(within({ bytes: 7 })), ["scan"]],
        [
          yield* inWorld(
            world({ d: dir(many), "a.md": "needle" }, { ...two, limits: { max_depth: 1 } }),
            search("needle")
          ),
          ["depth"]
        ],
        [
          yield* inWorld(world(many, { ...two, limits: { total_chars: 25, snippet_chars: 10 } }), search("needle", 2)),
          ["answer_size", "results"]
        ]
      ] as const
      for (const [answer, expected] of outcomes) {
        assert.deepStrictEqual(by(answer), expected === undefined ? undefined : [...expected])
        assert.strictEqual(answer.ok && answer.truncated, expected !== undefined)
      }
      assert.isUndefined(by(yield* inWorld(world(many), search("needle", 3))))
    })
  )

  it.effect("does not say so because of what is denied", () =>
    Effect.gen(function* () {
      const denied = { ...many, private: dir(nested(12, many)) }
      const limits = { max_entries: 4, max_depth: 2 }
      const answer = yield* inWorld(world(denied, { ...two, limits, deny: ["private/**"] }), search("needle"))
      assert.strictEqual(ids(answer), "n0.md n1.md n2.md n3.md")
    })
  )
})

describe("a read from a line", () => {
  const limits = { limits: { read_chars: 9 } }

  it.effect("goes on where the one before ended", () =>
    Effect.gen(function* () {
      const answers = yield* inWorld(
        world(five, { ...two, ...limits }),
        Effect.all([
          read("n.md"),
          from({ id: "n.md", from_line: 3 }),
          from({ id: "n.md", from_line: 4 }),
          from({ id: "n.md", from_line: 99 })
        ])
      )
      assert.deepStrictEqual(answers as ReadonlyArray<unknown>, [
        { ok: true, id: "n.md", content: "one\ntwo\n" + continuationNote(3), truncated: true, next_line: 3 },
        { ok: true, id: "n.md", content: "three\n" + continuationNote(4), truncated: true, next_line: 4 },
        { ok: true, id: "n.md", content: "four\n" + continuationNote(5), truncated: true, next_line: 5 },
        { ok: true, id: "n.md", content: "", truncated: false }
      ])
    })
  )

  it.effect.each([0, -1, 1.5, "2", null, Number.NaN, 2 ** 53, [1]])("%j is no line", (line) =>
    Effect.gen(function* () {
      const answer = yield* inWorld(world(five, two), from({ id: "n.md", from_line: line }))
      assert.isFalse(answer.ok)
      assert.include((answer as { hint?: string }).hint, "from_line must be")
    })
  )

  it.effect("of a denied note is refused like any other", () =>
    Effect.gen(function* () {
      const given = world({ ...five, "d.md": "x" }, { ...two, deny: ["d.md"] })
      const answers = yield* inWorld(
        given,
        Effect.forEach(["d.md", "none.md"], (id) => from({ id, from_line: 2 }))
      )
      assert.deepStrictEqual(answers[0], answers[1])
      assert.strictEqual(ids(answers[0]!), "not_found_or_denied")
    })
  )

  const asBefore = {
    ok: false,
    error: { code: "invalid_request", message: "The request is not valid." },
    hint: "pass only id (text), as search returned it"
  }

  it.effect.each<readonly [string, object, unknown, object]>([
    ["under version 1", { version: 1 }, call, { id: "n.md", from_line: 1 }],
    ["under version 1, with a bad id", { version: 1 }, call, { id: "", from_line: 1 }],
    ["under version 1, with a bad line", { version: 1 }, call, { id: "n.md", from_line: "x" }],
    [
      "under version 1, in a run that is refused",
      { version: 1 },
      signals({ get_hermes_home: home, cron_execution: { state: "value", value: true } }),
      { id: "n.md", from_line: 1 }
    ],
    ["under no valid policy", { version: 7 }, call, { id: "n.md", from_line: 1 }],
    ["for nobody", two, signals({ get_hermes_home: missing }), { id: "n.md", from_line: 1 }]
  ])("is the invalid request that it was, %s", ([, changes, given, args]) =>
    Effect.gen(function* () {
      const answer = yield* inWorld(world(five, changes), from(args, given))
      assert.deepStrictEqual(answer as unknown, asBefore)
    })
  )

  it.effect("is unavailable in a run that version 2 refuses, and needs no more than its two arguments", () =>
    Effect.gen(function* () {
      const cron = signals({ get_hermes_home: home, cron_execution: { state: "value", value: true } })
      const given = world(five, two)
      assert.strictEqual(ids(yield* inWorld(given, from({ id: "n.md", from_line: 1 }, cron))), "unavailable")
      const more = yield* inWorld(given, from({ id: "n.md", from_line: 1, more: 1 }))
      assert.include((more as { hint?: string }).hint, "and, if wanted, from_line")
      const bad = yield* inWorld(given, from({ id: "../x", from_line: 1 }))
      assert.include((bad as { hint?: string }).hint, "id must be")
    })
  )

  it.effect("search takes no from_line in any version", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        ids(yield* inWorld(world(five, two), searchAs(call, { query: "one", from_line: 1 }))),
        "invalid_request"
      )
    })
  )
})
