/** Seed 003 "Recall lifecycle"; recall-contract T2 to T4. */
import { assert, describe, it } from "@effect/vitest"
import { Recall } from "@memory-bridge/core/recall/Recall"
import * as Effect from "effect/Effect"
import {
  always,
  disk,
  event,
  host,
  item,
  items,
  place,
  queue,
  settle,
  switched,
  take,
  taken,
  turn
} from "./given/Host.ts"

describe("the lifecycle of the seed", () => {
  it.effect("what turn N asks is handed over in turn N + 1, whatever that one asks", () =>
    Effect.gen(function* () {
      yield* queue("where is the boat?")
      yield* settle
      assert.strictEqual(yield* taken(), "a b")
      assert.strictEqual(yield* taken(), "", "consumed")
    }).pipe(Effect.provide(always("a", "b").layer))
  )

  it.effect("each memory once, whatever the turns ask; new ones still come", () =>
    Effect.gen(function* () {
      const given = host(({ query }) =>
        Effect.succeed(items("a", "b", "c", "d", "e", ...(query === "new?" ? ["f"] : [])))
      )
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* turn(), "a b c d e")
        for (let count = 0; count < 30; count++) assert.strictEqual(yield* turn(), "")
        assert.strictEqual(yield* turn(place(), "new?"), "f")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("each session has its own set, and each home its own sessions", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* turn(place("s1")), "a")
      assert.strictEqual(yield* turn(place("s2")), "a")
      assert.strictEqual(yield* turn(place("s1", { home: "/other" })), "a")
      assert.strictEqual(yield* turn(place("s1")), "")
    }).pipe(Effect.provide(always("a").layer))
  )

  it.effect("what was searched and never injected is not in the set", () =>
    Effect.gen(function* () {
      const answer = yield* Recall.use((recall) => recall.search(place(), { query: "boat" }))
      assert.isTrue(answer.ok)
      yield* queue()
      yield* settle
      assert.strictEqual(yield* turn(), "a")
    }).pipe(Effect.provide(always("a").layer))
  )

  it.effect("the set outlives the process, without content", () =>
    Effect.gen(function* () {
      const shared = disk()
      const one = host(() => Effect.succeed([item("a", "The boat is called Ada.")]), shared)
      assert.strictEqual(yield* Effect.provide(turn(), one.layer), "a")
      const two = host(() => Effect.succeed([item("a", "The boat is called Ada."), item("b")]), shared)
      assert.strictEqual(yield* Effect.provide(turn(), two.layer), "b")
      assert.notInclude([...shared.files.values()].join(), "Ada")
      assert.notInclude([...shared.files.values()].join(), "boat")
    })
  )

  it.effect("recall that is switched off asks nobody", () =>
    Effect.gen(function* () {
      const given = always("a")
      const off = place("s1", { environment: { HY_MEMORY_AUTO_RECALL: "false" } })
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* turn(off), "")
        const answer = yield* Recall.use((recall) => recall.search(off, { query: "boat" }))
        assert.isTrue(answer.ok, "the tool still works")
      }).pipe(Effect.provide(given.layer))
      assert.deepStrictEqual(given.asked, ["boat"])
    })
  )
})

describe("T2: a host that does not keep what was injected", () => {
  it.effect("is given it each turn, and nothing is marked", () =>
    Effect.gen(function* () {
      const dropped = place("s1", { history: "dropped" })
      assert.strictEqual(yield* turn(dropped), "a b")
      assert.strictEqual(yield* taken(dropped), "", "consumed all the same")
      assert.strictEqual(yield* turn(dropped), "a b")
      assert.strictEqual(yield* turn(place()), "a b")
      assert.strictEqual(yield* turn(place()), "")
      assert.strictEqual(yield* turn(dropped), "a b", "a turn of an image, say, in the same session")
    }).pipe(Effect.provide(host(() => Effect.succeed([item("a"), item("b"), item("a", "again")].slice(0, 2))).layer))
  )
})

describe("T3: a memory that was corrected", () => {
  it.effect("comes again under its id, once", () =>
    Effect.gen(function* () {
      const texts = ["Ada", "Ada", "Bea", "Bea"]
      const given = host(() => Effect.sync(() => [item("boat", texts.shift()!)]))
      yield* Effect.gen(function* () {
        assert.deepStrictEqual([yield* turn(), yield* turn(), yield* turn(), yield* turn()], ["boat", "", "boat", ""])
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("a snippet that changes with the question does not make it another memory", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => Effect.succeed([item("note.md", `around ${query}`, "the whole note")]))
      yield* Effect.gen(function* () {
        assert.deepStrictEqual([yield* turn(place(), "boat"), yield* turn(place(), "shed")], ["note.md", ""])
      }).pipe(Effect.provide(given.layer))
    })
  )
})

describe("T4: what makes a session forget", () => {
  it.effect.each([
    ["a compression in place", switched({ previous: "s1", parent: "s1", reason: "compression" }), "a"],
    ["a rewind", switched({ previous: "s1", rewound: true }), "a"],
    ["a reset", switched({ previous: "s0", reset: true }), "a"],
    ["a resume", switched({ previous: "s0", reason: "resume" }), ""],
    ["a switch there and back", switched({ previous: "s2" }), ""]
  ] as const)("after %s the next turn gets %j", ([, happened, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* turn(), "a")
      yield* event(happened)
      assert.strictEqual(yield* turn(), expected)
    }).pipe(Effect.provide(always("a").layer))
  )

  it.effect("a compression to a new id re-arms both ids", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* turn(place("old")), "a")
      yield* event(switched({ previous: "old", parent: "old", reason: "compression" }), place("new"))
      assert.deepStrictEqual([yield* turn(place("new")), yield* turn(place("old"))], ["a", "a"])
    }).pipe(Effect.provide(always("a").layer))
  )

  it.effect("a branch starts with its parent's set and goes its own way", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => Effect.succeed(items("a", ...(query === "b?" ? ["b"] : []))))
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* turn(place("old")), "a")
        yield* event(switched({ previous: "old", parent: "old", reason: "branch" }), place("new"))
        assert.strictEqual(yield* turn(place("new")), "")
        assert.strictEqual(yield* turn(place("new"), "b?"), "b")
        assert.strictEqual(yield* turn(place("old"), "b?"), "b")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("and it holds for the next process too", () =>
    Effect.gen(function* () {
      const shared = disk()
      const run = <A, E>(effect: Effect.Effect<A, E, Recall>) =>
        Effect.provide(effect, host(() => Effect.succeed(items("a")), shared).layer)
      assert.strictEqual(yield* run(turn()), "a")
      assert.strictEqual(yield* run(turn()), "")
      yield* run(event(switched({ previous: "s1", parent: "s1", reason: "compression" })))
      assert.strictEqual(yield* run(turn()), "a")
    })
  )
})

it.effect("what looks like a secret is masked in what is recalled, where that is asked for", () =>
  Effect.gen(function* () {
    const given = host(() => Effect.succeed([item("a", "the password is hunter22")]))
    yield* Effect.gen(function* () {
      const masked = place("s1", { environment: { HY_MEMORY_MASK_SECRETS: "true" } })
      yield* queue("boat?", masked)
      yield* settle
      assert.include((yield* take(masked)).block, "the password is [secret]")
      yield* queue("boat?", place("s2"))
      yield* settle
      assert.include((yield* take(place("s2"))).block, "hunter22")
    }).pipe(Effect.provide(given.layer))
  })
)

it.effect("a query of a megabyte reaches the source bounded", () =>
  Effect.gen(function* () {
    const given = always("a")
    yield* Effect.provide(turn(place(), `${"x".repeat(1_999)}\u{1f600}${"y".repeat(1_048_576)}`), given.layer)
    assert.strictEqual(given.asked[0], `${"x".repeat(1_999)}\u{1f600}`)
  })
)
