/**
 * What holds whatever happens: isolation, once until re-armed, one boundary, one meaning of strip. (issue 4 "Tests that
 * must exist") Seeds are fixed.
 */
import { assert, describe, it } from "@effect/vitest"
import { blockOf, maxBlockChars } from "@memory-bridge/core/recall/Block"
import type { Place } from "@memory-bridge/core/recall/Profile"
import { boundedQuery } from "@memory-bridge/core/recall/Query"
import { applied, type SeenChange, type SeenState } from "@memory-bridge/core/recall/Seen"
import { stateOf, stateText } from "@memory-bridge/core/recall/SeenFile"
import type { SessionEvent } from "@memory-bridge/core/recall/SessionEvent"
import { strip, stripper } from "@memory-bridge/core/recall/Strip"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { decided, type Dice } from "../../../../tests/property/Generators.ts"
import { event, host, item, place, queue, settle, switched, taken } from "./given/Host.ts"

const runs = (seed: number, runs = 400) => ({ arbitrary: { runs, seed, size: 60 } })

const homes = ["/h", "/other"]
const sessions = ["s1", "s2", "s3"]

type Step =
  | { readonly kind: "queue"; readonly at: Place; readonly query: string }
  | { readonly kind: "take"; readonly at: Place }
  | { readonly kind: "event"; readonly at: Place; readonly event: SessionEvent }
  | { readonly kind: "wait"; readonly millis: number }

const placeFrom = ({ pick }: Dice): Place => place(pick(sessions), { home: pick(homes) })

const switchFrom = (dice: Dice): SessionEvent =>
  switched({
    previous: dice.pick(["", ...sessions]),
    parent: dice.pick(["", ...sessions]),
    reset: dice.chance(20),
    rewound: dice.chance(20),
    reason: dice.pick(["", "compression", "branch", "resume", "new_session"])
  })

const eventFrom = (dice: Dice): SessionEvent => switchFrom(dice)

/** A question says whose it is and how long its answer takes, so that an answer can be held against who gets it. */
const stepFrom = (dice: Dice): Step => {
  const at = placeFrom(dice)
  switch (dice.below(5)) {
    case 0:
    case 1:
      return { kind: "queue", at, query: `from ${at.profile.home} ${at.session} in ${dice.pick([0, 1, 800, 3_000])}` }
    case 2:
      return { kind: "take", at }
    case 3:
      return { kind: "event", at, event: eventFrom(dice) }
    default:
      return { kind: "wait", millis: dice.pick([0, 500, 1_000, 4_000]) }
  }
}

const lives = decided((dice) => dice.times(4, 40, () => stepFrom(dice)))

const keyOf = ({ profile, session }: Place): string => `${profile.home}:${session}`

/** Each memory is named for the session that asked; a session has five of them. */
const askedHost = () =>
  host(({ home, query }) => {
    const [, of = "", session = "", , millis = "0"] = query.split(" ")
    const found = [0, 1, 2, 3, 4].map((index) => item(`${of}:${session}:${index}`))
    assert.strictEqual(of, home)
    return Effect.delay(Effect.succeed(found), `${Number(millis)} millis`)
  })

/** What a session has been shown, as a plain reading of the seed and the contract file has it. */
const oracle = () => {
  const shown = new Map<string, Set<string>>()
  const of = (home: string, session: string): Set<string> => {
    const set = shown.get(`${home}:${session}`) ?? new Set()
    shown.set(`${home}:${session}`, set)
    return set
  }
  return {
    of: ({ profile, session }: Place) => of(profile.home, session),
    took: (at: Place, ids: ReadonlyArray<string>) => {
      for (const id of ids) of(at.profile.home, at.session).add(id)
    },
    happened: ({ profile: { home }, session }: Place, happened: SessionEvent) => {
      const clear = (...ids: ReadonlyArray<string>) => ids.forEach((id) => of(home, id).clear())
      const { parent, previous, reason, reset, rewound } = happened
      if (reset || rewound) clear(session)
      else if (reason === "compression") clear(session, previous, parent)
      else if (reason === "branch") for (const id of of(home, parent || previous)) of(home, session).add(id)
    }
  }
}

describe("a host that does anything in any order", () => {
  it.effect.prop(
    "never hands a memory to another session or home, nor twice before the session forgets",
    [lives],
    ([steps]) =>
      Effect.gen(function* () {
        const model = oracle()
        for (const step of steps) {
          if (step.kind === "wait") yield* TestClock.adjust(`${step.millis} millis`)
          else if (step.kind === "queue") yield* queue(step.query, step.at)
          else if (step.kind === "event") {
            yield* event(step.event, step.at)
            model.happened(step.at, step.event)
          } else {
            yield* settle
            const ids = (yield* taken(step.at)).split(" ").filter((id) => id !== "")
            for (const id of ids) {
              assert.isTrue(id.startsWith(`${keyOf(step.at)}:`), `${id} for ${keyOf(step.at)}`)
              assert.isFalse(model.of(step.at).has(id), `${id} again`)
            }
            model.took(step.at, ids)
          }
        }
      }).pipe(Effect.provide(askedHost().layer)),
    runs(1)
  )
})

const pieces = [
  ..."<>&/ ;x-_\n\t\u200b\u202e\ufeff\u00a0",
  "memhub_memory_context",
  "MEMHUB_memory_Context",
  "memory-context",
  "<memhub_memory_context>",
  "</memhub_memory_context>",
  "< / memory-context >",
  "<memory-context>",
  "&lt;",
  "&gt;",
  "&amp;lt;",
  "&#60;",
  "&#x3e;",
  "1. [m9] ",
  "- same",
  "\u{1f600}",
  "\ud800",
  "\u{e0041}",
  "secret"
]
const hostileText = (dice: Dice, most = 20): string => dice.times(0, most, () => dice.pick(pieces)).join("")

/** Tags as a host knows them: in any case, with any white space. */
const tags = /<\s*\/?\s*(?:memhub_memory_context|memory-context)/giu

/** What the host does to a provider's text before it puts it between its own tags. */
const sanitized = (text: string): string =>
  text
    .replace(/<\s*memory-context\s*>[\s\S]*?<\s*\/\s*memory-context\s*>/giu, "")
    .replace(/<\s*\/?\s*memory-context\s*>/giu, "")

const hostileItems = decided((dice) =>
  dice.times(1, 12, () => item(hostileText(dice, 4) || "m", hostileText(dice, dice.pick([3, 20, 400]))))
)

describe("no mixture of hostile memories", () => {
  it.prop(
    "yields more than one opening and one closing boundary, loses a neighbour, or outgrows the host",
    [hostileItems],
    ([given]) => {
      const { items, text } = blockOf(given, 9_000)
      if (items.length === 0) return
      assert.deepStrictEqual(text.match(tags), ["<memhub_memory_context", "</memhub_memory_context"])
      assert.strictEqual(text.match(/[<>]/gu)?.length, 4)
      assert.strictEqual(sanitized(text), text)
      assert.strictEqual(text.split("\n").length, items.length + 3)
      assert.isAtMost([...text].length, maxBlockChars)
      assert.isTrue(text.isWellFormed())
      assert.strictEqual(strip(`a${text}b`), "a\nb")
      assert.strictEqual(strip(`a<memory-context>\n${text}\n</memory-context>b`), "a\nb")
    },
    runs(2, 2_000)
  )

  it.prop(
    "survives a strip, wherever the block was cut off",
    [decided((dice) => ({ items: dice.times(1, 3, () => item("m", hostileText(dice))), at: dice.below(10_000) }))],
    ([{ at, items }]) => {
      const { text } = blockOf(items, 4_000)
      const opening = "<memhub_memory_context>".length
      if (text === "") return
      assert.strictEqual(strip(`a${text.slice(0, opening + (at % (text.length - opening)))}`), "a\n")
    },
    runs(3, 2_000)
  )
})

describe("strip", () => {
  it.prop(
    "twice is once, and leaves no tag",
    [decided((dice) => hostileText(dice, 30))],
    ([text]) => {
      const once = strip(text)
      assert.strictEqual(strip(once), once)
      assert.notMatch(once, /<\/?memhub_memory_context(?![\w-])/iu)
    },
    runs(4, 4_000)
  )

  it.prop(
    "of pieces is that of the whole",
    [decided((dice) => ({ text: hostileText(dice, 30), sizes: dice.times(1, 8, () => 1 + dice.below(9)) }))],
    ([{ sizes, text }]) => {
      const { end, feed } = stripper()
      let out = ""
      for (let at = 0, turn = 0; at < text.length; turn++) {
        const size = sizes[turn % sizes.length]!
        out += feed(text.slice(at, at + size))
        at += size
      }
      assert.strictEqual(out + end(), strip(text))
    },
    runs(5, 4_000)
  )

  it.prop(
    "leaves a text alone in which nothing can be a tag",
    [
      decided((dice) =>
        dice.times(0, 30, () => dice.pick(["a", "<", ">", "&", ";", "memory", "context", " "])).join("")
      )
    ],
    ([text]) => {
      assert.strictEqual(strip(text), text)
    },
    runs(6, 1_000)
  )
})

const changeFrom = (dice: Dice): SeenChange => {
  const session = dice.pick(sessions)
  const marks = dice.times(1, 3, () => ({
    id: dice.pick(["a", "b", "c", "d"]),
    digest: dice.pick(["0", "1"]).repeat(32)
  }))
  return dice.pick<SeenChange>([
    { kind: "shown", session, marks },
    { kind: "shown", session, marks },
    { kind: "forget", session },
    { kind: "inherit", session, from: dice.pick(sessions) }
  ])
}

it.prop(
  "the state file holds what the state is, after any changes",
  [decided((dice) => dice.times(0, 20, () => changeFrom(dice)))],
  ([changes]) => {
    const empty: SeenState = { key: "k".repeat(36), sessions: new Map() }
    const state = changes.reduce(applied, empty)
    assert.deepStrictEqual(stateOf(stateText(state)), state)
    // Written by two processes by turns, it is the same.
    const written = changes.reduce((text, change) => stateText(applied(stateOf(text)!, change)), stateText(empty))
    assert.deepStrictEqual(stateOf(written), state)
  },
  runs(7, 1_000)
)

it.prop(
  "a bounded query is well-formed, bounded, and the beginning of what was written",
  [decided((dice) => hostileText(dice, 30).repeat(1 + dice.below(200)))],
  ([text]) => {
    const query = boundedQuery(text)
    assert.isTrue(query.isWellFormed())
    assert.isAtMost([...query].length, 2_000)
    assert.strictEqual(boundedQuery(query), query)
  },
  runs(8, 500)
)
