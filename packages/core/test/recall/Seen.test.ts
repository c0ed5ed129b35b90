/** Seed 003 "Recall lifecycle"; recall-contract T3 and T4, 1.4 "hy-memory-seen.json"; cases/recall.md 10 and 47. */
import { assert, describe, it } from "@effect/vitest"
import {
  applied,
  hasSeen,
  maxSessions,
  maxShown,
  type SeenChange,
  type SeenState
} from "@memory-bridge/core/recall/Seen"
import { maxStateBytes, stateOf, stateText } from "@memory-bridge/core/recall/SeenFile"
import { consequencesOf, meaningOf, type SessionEvent } from "@memory-bridge/core/recall/SessionEvent"

const key = "k".repeat(36)
const digest = (of: string) => of.padEnd(16, "0")
const empty: SeenState = { key, sessions: new Map() }
const mark = (id: string, text = "a") => ({ id, digest: digest(text) })
const shown = (session: string, ...ids: ReadonlyArray<string>): SeenChange => ({
  kind: "shown",
  session,
  marks: ids.map((id) => mark(id))
})
const after = (...changes: ReadonlyArray<SeenChange>): SeenState => changes.reduce(applied, empty)

/** Which of a, b and c the session has seen. */
const seen = (state: SeenState, session: string): string =>
  ["a", "b", "c"].filter((id) => hasSeen(state, session, mark(id))).join("")

describe("a session has seen", () => {
  it("what it was shown, and no other session has", () => {
    const state = after(shown("one", "a", "b"), shown("two", "c"))
    assert.deepStrictEqual([seen(state, "one"), seen(state, "two"), seen(state, "three")], ["ab", "c", ""])
  })

  it("not the corrected text of a memory, until that was shown", () => {
    const before = after(shown("one", "a"))
    assert.isFalse(hasSeen(before, "one", mark("a", "b")))
    const later = applied(before, { kind: "shown", session: "one", marks: [mark("a", "b")] })
    assert.deepStrictEqual([hasSeen(later, "one", mark("a", "b")), hasSeen(later, "one", mark("a"))], [true, false])
  })

  it("nothing once its history is gone", () => {
    assert.strictEqual(seen(after(shown("one", "a"), { kind: "forget", session: "one" }), "one"), "")
  })

  it("what the session has seen that it continues, besides its own", () => {
    const state = after(shown("one", "a"), shown("two", "b"), { kind: "inherit", session: "two", from: "one" })
    assert.deepStrictEqual([seen(state, "two"), seen(state, "one")], ["ab", "a"])
    assert.strictEqual(seen(applied(state, { kind: "forget", session: "one" }), "two"), "ab")
  })

  it("at most so many memories, the oldest forgotten first", () => {
    const state = after(...Array.from({ length: maxShown + 1 }, (_, index) => shown("one", `m${index}`)))
    assert.strictEqual(state.sessions.get("one")?.size, maxShown)
    assert.isFalse(hasSeen(state, "one", mark("m0")))
    assert.isTrue(hasSeen(state, "one", mark("m1")))
  })

  it("and at most so many sessions are remembered, the one touched last for longest", () => {
    const sessions = Array.from({ length: maxSessions }, (_, index) => shown(`s${index}`, "a"))
    const state = after(...sessions, shown("s0", "b"), shown("new", "a"))
    assert.strictEqual(state.sessions.size, maxSessions)
    assert.deepStrictEqual([seen(state, "s0"), seen(state, "s1"), seen(state, "new")], ["ab", "", "a"])
  })
})

const long = (index: number) => `${index}`.padEnd(256, "\u00fc")

describe("the file", () => {
  const state = after(shown("one", "a", "b"), shown('two "quoted" \u00fc', "c"))

  it("is read as it is written, in the same order", () => {
    assert.deepStrictEqual(stateOf(stateText(state)), state)
    assert.deepStrictEqual([...(stateOf(stateText(state))?.sessions.keys() ?? [])], ["one", 'two "quoted" \u00fc'])
  })

  it.each([
    ["torn", stateText(state).slice(0, -20)],
    ["empty", ""],
    ["of another version", stateText(state).replace(`"version":1`, `"version":2`)],
    ["with content", stateText(state).replace(`"version":1`, `"version":1,"content":"x"`)],
    ["with a duplicate key", stateText(state).replace("{", `{"version":1,`)],
    ["with a session twice", stateText(state).replace(/two[^,]*ü/, "one")],
    ["with a digest that is text", stateText(state).replace(digest("a"), "The boat is called Ada.")],
    ["with an id of 257 characters", stateText(after(shown("one", "x".repeat(257))))],
    [
      "with too many sessions",
      JSON.stringify({
        version: 1,
        key,
        sessions: Array.from({ length: maxSessions + 1 }, (_, index) => ({ session: `${index}`, shown: [] }))
      })
    ],
    ["a list", "[]"]
  ])("%s is nobody's", (_, text) => {
    assert.isUndefined(stateOf(text))
  })

  it("is never larger than it may be read; the sessions touched last are in it", () => {
    const changes = Array.from({ length: maxSessions }, (_, session): SeenChange => ({
      kind: "shown",
      session: `s${session}`,
      marks: Array.from({ length: 100 }, (_, index) => mark(long(index)))
    }))
    const text = stateText(after(...changes))
    assert.isAtMost(new TextEncoder().encode(text).length, maxStateBytes)
    const read = stateOf(text)
    assert.isAbove(read?.sessions.size ?? 0, 5)
    assert.isTrue(read?.sessions.has(`s${maxSessions - 1}`))
  })
})

type Switch = Extract<SessionEvent, { kind: "switch" }>
const switched = (changes: Partial<Switch> = {}): Switch => ({
  kind: "switch",
  previous: "old",
  parent: "old",
  reset: false,
  rewound: false,
  reason: "",
  ...changes
})

describe("what happened to a session", () => {
  it.each([
    [{}, "switch"],
    [{ reason: "new_session", reset: true }, "reset"],
    [{ reason: "compression" }, "compression"],
    [{ reason: "branch" }, "branch"],
    [{ reason: "resume" }, "resume"],
    [{ rewound: true, reason: "undo" }, "rewind"],
    [{ reason: "whatever comes next" }, "switch"]
  ])("%j is a %s", (changes, expected) => {
    assert.strictEqual(meaningOf(switched(changes)), expected)
  })

  const before = after(shown("old", "a"), shown("new", "b"), shown("else", "c"))
  /** What old, new and else have seen afterwards; then the sessions that are stopped and cooled. */
  const outcome = (session: string, event: SessionEvent): string => {
    const { changes, cool, stop } = consequencesOf(session, event)
    const state = changes.reduce(applied, before)
    const sets = ["old", "new", "else"].map((id) => seen(state, id) || "-").join(" ")
    return `${sets} | stop ${stop.join(" ") || "-"} | cool ${cool.join(" ") || "-"}`
  }

  it.each([
    ["a switch uses that session's own set", "new", switched(), "a b c | stop old | cool old"],
    ["a resume too", "new", switched({ reason: "resume" }), "a b c | stop old | cool old"],
    ["a reset clears the target", "new", switched({ reset: true }), "a - c | stop new old | cool new old"],
    ["a rewind clears the target", "old", switched({ rewound: true }), "- b c | stop old | cool old"],
    [
      "a compression in place clears it and keeps what is under way",
      "old",
      switched({ reason: "compression" }),
      "- b c | stop - | cool -"
    ],
    [
      "a compression to a new id clears both",
      "new",
      switched({ reason: "compression" }),
      "- - c | stop old | cool old"
    ],
    ["a branch takes the parent's set over", "new", switched({ reason: "branch" }), "a ab c | stop old | cool old"],
    [
      "a branch without a named parent takes the previous one's",
      "new",
      switched({ reason: "branch", parent: "" }),
      "a ab c | stop old | cool old"
    ],
    [
      "a branch of another session",
      "new",
      switched({ reason: "branch", parent: "else" }),
      "a bc c | stop old | cool old"
    ],
    ["a branch of nothing", "new", switched({ reason: "branch", parent: "", previous: "" }), "a b c | stop - | cool -"]
  ] as const)("%s", (_, session, event, expected) => {
    assert.strictEqual(outcome(session, event), expected)
  })
})
