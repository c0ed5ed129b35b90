/** Seed 003 "Recall lifecycle" and recall-contract 2.4, trap by trap. */
import { assert, describe, it } from "@effect/vitest"
import { Recall } from "@memory-bridge/core/recall/Recall"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { SourceFailed } from "@memory-bridge/core/recall/Failure"
import type { Item } from "@memory-bridge/core/recall/Item"
import { TestClock } from "effect/testing"
import {
  disk,
  event,
  failing,
  host,
  item,
  items,
  place,
  profile,
  queue,
  settle,
  switched,
  take,
  taken,
  turn
} from "./given/Host.ts"

const always = (...ids: ReadonlyArray<string>) => host(() => Effect.succeed(items(...ids)))

const status = Recall.use((recall) => recall.status(profile()))
const last = Effect.map(status, ({ last_recall }) => {
  const ending = last_recall?.ending
  return ending === undefined ? "none" : "reason" in ending ? `${ending.kind} ${ending.reason}` : ending.kind
})

describe("the lifecycle of the seed", () => {
  it.effect("what turn N asks is handed over in turn N + 1, whatever that one asks", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* queue("where is the boat?"))
      yield* settle
      assert.strictEqual(yield* taken(place(), "something else entirely"), "a b")
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
      yield* event({ kind: "end" })
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
        assert.isFalse(yield* queue("boat?", off))
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
      assert.strictEqual(yield* turn(dropped), "a b")
      assert.strictEqual(yield* turn(place()), "a b")
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
    ["a deletion", { kind: "delete" }, "a"],
    ["a resume", switched({ previous: "s0", reason: "resume" }), ""],
    ["a switch there and back", switched({ previous: "s2" }), ""],
    ["an end", { kind: "end" }, ""]
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

describe("T5: returned is not injected", () => {
  it.effect.each(["", "  \n", "ok", "Thanks!", "/new", "/undo 3"])("a turn that says %j uses nothing up", (query) =>
    Effect.gen(function* () {
      yield* queue()
      yield* settle
      assert.deepStrictEqual(yield* take(place(), query), { block: "", count: 0 })
      assert.isFalse(yield* queue(query))
      assert.strictEqual(yield* taken(), "a")
    }).pipe(Effect.provide(always("a").layer))
  )

  it.effect("only what stands whole in the block is marked; the rest comes when it is found again", () =>
    Effect.gen(function* () {
      const long = Array.from({ length: 20 }, (_, index) => item(`m${index}`, `${index} `.padEnd(400, "x")))
      yield* Effect.gen(function* () {
        const small = place("s1", { environment: { HY_MEMORY_MAX_CHARS: "1000" } })
        assert.deepStrictEqual(
          [yield* turn(small), yield* turn(small), yield* turn(small)],
          ["m0 m1", "m2 m3", "m4 m5"]
        )
      }).pipe(Effect.provide(host(() => Effect.succeed(long)).layer))
    })
  )

  it.effect("no block is longer than the host takes", () =>
    Effect.gen(function* () {
      const long = Array.from({ length: 20 }, (_, index) => item(`m${index}`, "x".repeat(1_500)))
      yield* Effect.gen(function* () {
        const large = place("s1", { environment: { HY_MEMORY_MAX_CHARS: "16000" } })
        yield* queue("boat?", large)
        yield* settle
        const { block } = yield* take(large)
        assert.isAtMost(block.length, 9_000)
        assert.isAbove(block.length, 7_000)
      }).pipe(Effect.provide(host(() => Effect.succeed(long)).layer))
    })
  )

  it.effect("a hand-over that did not reach the model is taken back, once", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* turn(), "a b")
      yield* event({ kind: "not_injected" })
      assert.strictEqual(yield* taken(), "a b", "it is warm again")
      assert.strictEqual(yield* turn(), "")
      yield* event({ kind: "not_injected" })
      yield* event({ kind: "not_injected" })
      assert.strictEqual(yield* taken(), "a b")
    }).pipe(Effect.provide(always("a", "b").layer))
  )

  it.effect("and does not replace a newer result", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => Effect.succeed(items(query === "new?" ? "b" : "a")))
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* turn(), "a")
        yield* queue("new?")
        yield* settle
        yield* event({ kind: "not_injected" })
        assert.strictEqual(yield* taken(), "b")
        assert.strictEqual(yield* turn(), "a")
      }).pipe(Effect.provide(given.layer))
    })
  )
})

describe("T6: the life of a warm result", () => {
  it.effect("ten minutes, then nothing", () =>
    Effect.gen(function* () {
      yield* queue()
      yield* TestClock.adjust("599 seconds")
      assert.strictEqual(yield* taken(), "a")
    }).pipe(Effect.provide(always("a").layer))
  )

  it.effect("aged out", () =>
    Effect.gen(function* () {
      yield* queue()
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* taken(), "")
    }).pipe(Effect.provide(always("a").layer))
  )

  it.effect("a newer answer replaces it, an empty one too", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => Effect.succeed(query === "nothing?" ? [] : items("a")))
      yield* Effect.gen(function* () {
        yield* queue("boat?")
        yield* settle
        yield* queue("nothing?")
        yield* settle
        assert.strictEqual(yield* taken(), "")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("a failure does not", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => (query === "fail?" ? failing("server_error") : Effect.succeed(items("a"))))
      yield* Effect.gen(function* () {
        yield* queue("boat?")
        yield* settle
        yield* queue("fail?")
        yield* settle
        assert.strictEqual(yield* last, "failed server_error")
        assert.strictEqual(yield* taken(), "a")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("while one runs the latest of the others waits; the others are never asked", () =>
    Effect.gen(function* () {
      const gates = new Map<string, Deferred.Deferred<ReadonlyArray<Item>, SourceFailed>>()
      for (const query of ["one?", "two?", "three?"])
        gates.set(query, yield* Deferred.make<ReadonlyArray<Item>, SourceFailed>())
      const given = host(({ query }) => Deferred.await(gates.get(query)!))
      const answer = (query: string) => Effect.andThen(Deferred.succeed(gates.get(query)!, items(query)), settle)
      yield* Effect.gen(function* () {
        for (const query of ["one?", "two?", "three?"]) assert.isTrue(yield* queue(query))
        yield* settle
        assert.deepStrictEqual(given.asked, ["one?"])
        assert.strictEqual(yield* taken(), "", "nothing is warm yet, and nobody waits for it")
        yield* answer("one?")
        assert.deepStrictEqual(given.asked, ["one?", "three?"])
        assert.strictEqual(yield* taken(), "one?")
        yield* answer("three?")
        assert.strictEqual(yield* taken(), "three?")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("an answer that comes after its session was left is dropped", () =>
    Effect.gen(function* () {
      for (const happened of [
        switched({ previous: "s1" }),
        switched({ previous: "s1", reset: true }),
        switched({ previous: "s1", reason: "resume" }),
        switched({ previous: "s1", parent: "s1", reason: "branch" }),
        switched({ previous: "s1", parent: "s1", reason: "compression" })
      ]) {
        const gate = yield* Deferred.make<ReadonlyArray<Item>>()
        const given = host(() => Deferred.await(gate))
        yield* Effect.gen(function* () {
          yield* queue()
          yield* settle
          yield* event(happened, place("s2"))
          yield* Deferred.succeed(gate, items("a"))
          yield* settle
          assert.strictEqual(yield* taken(place("s1")), "", JSON.stringify(happened))
          assert.strictEqual(yield* taken(place("s2")), "")
          assert.strictEqual((yield* status).running, 0)
        }).pipe(Effect.provide(given.layer))
      }
    })
  )
})

describe("T7: provider objects come and go", () => {
  it.effect("a result belongs to the session of a home, not to whoever asked for it", () =>
    Effect.gen(function* () {
      yield* queue("boat?", place("s1"))
      yield* settle
      // Another object: another profile value of the same home, from another directory and environment.
      const other = place("s1", { plugin_directory: "/elsewhere", environment: { HY_MEMORY_LIMIT: "7" } })
      assert.strictEqual(yield* taken(other), "a")
    }).pipe(Effect.provide(always("a").layer))
  )

  it.effect("results of many sessions are bounded, and so is what is under way", () =>
    Effect.gen(function* () {
      for (let index = 0; index < 300; index++) {
        yield* queue("boat?", place(`s${index}`))
        yield* settle
      }
      assert.strictEqual((yield* status).waiting_results, 128)
      assert.strictEqual(yield* taken(place("s0")), "")
      assert.strictEqual(yield* taken(place("s299")), "a")
    }).pipe(Effect.provide(always("a").layer))
  )

  it.effect("no more than 64 questions are under way, eight of them with a connection; all end", () =>
    Effect.gen(function* () {
      const given = host(() => Effect.never)
      yield* Effect.gen(function* () {
        const started: Array<boolean> = []
        for (let index = 0; index < 70; index++) started.push(yield* queue("boat?", place(`s${index}`)))
        yield* settle
        assert.strictEqual(started.filter((one) => one).length, 64)
        assert.strictEqual(given.asked.length, 8)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* status).running, 0)
        assert.strictEqual(yield* last, "failed timed_out")
      }).pipe(Effect.provide(given.layer))
    })
  )
})

describe("T8: fresh mode", () => {
  const fresh = place("s1", { environment: { HY_MEMORY_FRESH: "true" } })
  const freshTaken = (query: string, at = fresh) => Recall.use((recall) => recall.fresh(at, query))

  it.effect("answers the turn's own question, also in the first turn", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => Effect.delay(Effect.succeed(items(query)), "1 second"))
      yield* Effect.gen(function* () {
        yield* queue("older?", fresh)
        yield* TestClock.adjust("1 second")
        const fiber = yield* Effect.forkChild(freshTaken("now?"))
        yield* TestClock.adjust("1 second")
        const { block } = yield* Fiber.join(fiber)
        assert.include(block, "[now?]")
        assert.notInclude(block, "[older?]")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("joins the recall that on_turn_start has begun for the same words", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => Effect.delay(Effect.succeed(items(query)), "1 second"))
      yield* Effect.gen(function* () {
        yield* queue("now?", fresh)
        yield* TestClock.adjust("500 millis")
        const fiber = yield* Effect.forkChild(freshTaken("now?"))
        yield* TestClock.adjust("500 millis")
        assert.include((yield* Fiber.join(fiber)).block, "[now?]")
        assert.deepStrictEqual(given.asked, ["now?"])
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("waits 1.5 seconds and no longer", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(freshTaken("now?"))
        yield* TestClock.adjust("1499 millis")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* Fiber.join(fiber), { block: "", count: 0 })
      }).pipe(Effect.provide(host(() => Effect.never).layer))
    })
  )

  it.effect("is off unless it is asked for: then it is an ordinary take", () =>
    Effect.gen(function* () {
      const given = host(({ query }) => Effect.succeed(items(query)))
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* freshTaken("now?", place()), { block: "", count: 0 })
        yield* queue("older?")
        yield* settle
        assert.include((yield* freshTaken("now?", place())).block, "[older?]")
      }).pipe(Effect.provide(given.layer))
    })
  )
})

describe("the state file", () => {
  it.effect("two processes that mark different memories keep both", () =>
    Effect.gen(function* () {
      const shared = disk()
      const sees = (...ids: ReadonlyArray<string>) => host(() => Effect.succeed(items(...ids)), shared)
      const one = sees("a")
      const two = sees("b")
      yield* Effect.gen(function* () {
        yield* queue("boat?")
        yield* settle
        yield* Effect.provide(turn(), two.layer)
        assert.strictEqual(yield* taken(), "a")
      }).pipe(Effect.provide(one.layer))
      assert.strictEqual(yield* Effect.provide(turn(), sees("a", "b", "c").layer), "c")
    })
  )

  it.effect("what another process of the home has shown meanwhile is not shown again", () =>
    Effect.gen(function* () {
      const shared = disk()
      yield* Effect.gen(function* () {
        yield* turn(place("other"))
        yield* Effect.provide(turn(), host(() => Effect.succeed(items("a")), shared).layer)
        assert.strictEqual(yield* turn(), "b")
      }).pipe(Effect.provide(host(() => Effect.succeed(items("a", "b")), shared).layer))
    })
  )

  it.effect("a home that cannot be written is served from memory, and written when it can be", () =>
    Effect.gen(function* () {
      const shared = disk()
      shared.writable = false
      yield* Effect.gen(function* () {
        assert.deepStrictEqual([yield* turn(), yield* turn()], ["a", ""])
        assert.strictEqual((yield* status).seen, "memory")
        shared.writable = true
        assert.strictEqual(yield* turn(), "")
        yield* event(switched({ previous: "s9" }), place("s1"))
      }).pipe(Effect.provide(host(() => Effect.succeed(items("a")), shared).layer))
      assert.strictEqual(shared.files.size, 1)
    })
  )
})

describe("a source that is down", () => {
  it.effect("costs no turn anything, is left alone after three failures, and is asked again later", () =>
    Effect.gen(function* () {
      const given = host(() => Effect.never)
      yield* Effect.gen(function* () {
        for (let count = 0; count < 5; count++) {
          yield* queue(`boat ${count}?`)
          yield* TestClock.adjust("5 seconds")
          assert.strictEqual(yield* taken(), "")
        }
        assert.strictEqual(given.asked.length, 3)
        assert.strictEqual(yield* last, "failed resting")
        assert.strictEqual((yield* status).resting_millis, 20_000)
        given.given.search = () => Effect.succeed(items("a"))
        yield* TestClock.adjust("20 seconds")
        assert.strictEqual(yield* turn(), "a")
        assert.strictEqual(yield* last, "recalled")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("is asked at once when another peer has taken its place", () =>
    Effect.gen(function* () {
      const given = host(() => failing("identity"))
      yield* Effect.gen(function* () {
        for (let count = 0; count < 4; count++) yield* turn()
        assert.strictEqual(yield* last, "failed resting")
        given.given.peer = "the Broker after its restart"
        given.given.search = () => Effect.succeed(items("a"))
        assert.strictEqual(yield* turn(), "a")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("a grant that is missing is no failure of the source's: the first call after it works", () =>
    Effect.gen(function* () {
      const given = host(() => failing("not_granted"))
      yield* Effect.gen(function* () {
        for (let count = 0; count < 5; count++) yield* turn()
        assert.strictEqual(yield* last, "failed not_granted")
        given.given.search = () => Effect.succeed(items("a"))
        assert.strictEqual(yield* turn(), "a")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("or that dies of a defect does not end recall", () =>
    Effect.gen(function* () {
      const given = host(() => Effect.die(new TypeError("secret text")))
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* turn(), "")
        assert.strictEqual(yield* last, "failed defect")
        assert.notInclude(JSON.stringify(yield* status), "secret text")
        given.given.search = () => Effect.succeed(items("a"))
        assert.strictEqual(yield* turn(), "a")
      }).pipe(Effect.provide(given.layer))
    })
  )

  it.effect("or is not there at all", () =>
    Effect.gen(function* () {
      const given = always("a")
      given.given.mode = { kind: "disabled", reason: "connection_refused", rule: "link" }
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* turn(), "")
        const { auto_recall, last_recall, mode, reason, rule } = yield* status
        assert.deepStrictEqual(
          { mode, reason, rule, auto_recall, ending: last_recall?.ending },
          {
            mode: "disabled",
            reason: "connection_refused",
            rule: "link",
            auto_recall: false,
            ending: { kind: "idle", reason: "connection_refused" }
          }
        )
        assert.deepStrictEqual(given.asked, [])
      }).pipe(Effect.provide(given.layer))
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
