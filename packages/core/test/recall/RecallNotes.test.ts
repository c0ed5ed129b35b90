/** Recall from permitted notes: the policy decides here as it does for the tools. (issue 4 part 1 "beyond") */
import { assert, describe, it } from "@effect/vitest"
import type { OptIn } from "@memory-bridge/core/identity/Caller"
import { Notes } from "@memory-bridge/core/notes/Notes"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { RecallNotes, tellingWords } from "@memory-bridge/core/recall/RecallNotes"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Drawing, type MemoryTree } from "../given/Trees.ts"
import { macLayer } from "./given/Peers.ts"
import { drawn, policyPath } from "../given/World.ts"

const garden: Drawing = {
  "boat.md": "# The boat\n\nAda lies in the harbour of Kiel.",
  "garden.md": "# Garden\n\nThe roses need water; the boat shed is behind them.",
  private: { "boat.md": "# Secret boat\n\nIn the harbour of Kiel too." },
  "long.md": `# Long\n\n${"word ".repeat(4_000)}`
}

const over = (tree: MemoryTree): Layer.Layer<RecallNotes> =>
  RecallNotes.layer.pipe(Layer.provide([Notes.layer, PolicyStore.layer, macLayer]), Layer.provide(tree.layer))

const asked = (tree: MemoryTree, query: string, needs: ReadonlyArray<OptIn> = [], limit = 5) =>
  RecallNotes.use((notes) => notes.search("/h", needs, { query, limit, session: "hint" })).pipe(
    Effect.provide(over(tree))
  )

const found = (tree: MemoryTree, query: string, needs: ReadonlyArray<OptIn> = [], limit = 5) =>
  Effect.match(asked(tree, query, needs, limit), {
    onSuccess: (items) => items.map(({ id }) => id).join(" "),
    onFailure: ({ reason, rule }) => `${reason}: ${rule}`
  })

describe("a turn recalls the notes that hold what it speaks of", () => {
  it.effect("two of its telling words, or the only one", () =>
    Effect.gen(function* () {
      const tree = drawn(garden, { deny: ["private/**"] })
      assert.strictEqual(yield* found(tree, "Could you please tell me in which harbour the boat lies?"), "boat.md")
      assert.strictEqual(yield* found(tree, "boat"), "boat.md garden.md")
      assert.strictEqual(yield* found(tree, "boat", [], 1), "boat.md")
      assert.strictEqual(yield* found(tree, "what about the weather and the boat in general?"), "")
      assert.strictEqual(yield* found(tree, "and now?"), "")
      assert.strictEqual(tree.held(), 0)
    })
  )

  it.effect("never one that the policy does not permit", () =>
    Effect.gen(function* () {
      const tree = drawn(garden, { deny: ["private/**"] })
      assert.notInclude(yield* found(tree, "secret boat harbour"), "private")
      assert.notInclude(tree.log.join("\n"), "/v/private")
    })
  )

  it.effect("shown by title and snippet, and changed when its text is", () =>
    Effect.gen(function* () {
      const tree = drawn(garden)
      const [before] = yield* asked(tree, "harbour boat ada")
      assert.deepStrictEqual(before, {
        id: "boat.md",
        content: "The boat: # The boat Ada lies in the harbour of Kiel.",
        revision: before?.revision
      })
      const [other] = yield* asked(tree, "boat lies")
      assert.strictEqual(other?.revision, before?.revision)
      tree.edit("/v/boat.md", { content: "# The boat\n\nAda lies in the harbour of Flensburg." })
      const [after] = yield* asked(tree, "harbour boat ada")
      assert.notStrictEqual(after?.revision, before?.revision)
    })
  )

  it.effect("however far down, and without its text going along", () =>
    Effect.gen(function* () {
      const tree = drawn(garden)
      const [before] = yield* asked(tree, "long word")
      assert.isBelow(before!.revision.length, 100)
      tree.edit("/v/long.md", { content: `# Long\n\n${"word ".repeat(4_000)}corrected` })
      const [after] = yield* asked(tree, "long word")
      assert.deepStrictEqual([after?.content, after?.revision === before!.revision], [before!.content, false])
    })
  )
})

describe("and nothing where the policy does not let the run in", () => {
  it.effect.each([
    [["allow_cron"], {}, "notes_refused: cron_refused"],
    [["allow_subagents"], {}, "notes_refused: subagent_refused"],
    [["allow_cron"], { allow_cron: true }, "boat.md garden.md private/boat.md"],
    [["allow_cron", "allow_subagents"], { allow_cron: true }, "notes_refused: subagent_refused"],
    [[], { root: "/nowhere" }, "notes_refused: missing"],
    [[], { version: 9 }, "notes_refused: version"]
  ] as const)("%j under %j: %s", ([needs, policy, expected]) =>
    Effect.gen(function* () {
      const outcome = yield* found(drawn(garden, policy), "boat", needs)
      assert.strictEqual(outcome.replace(/: Expected.*/, ": version"), expected)
    })
  )
})

const present = (tree: MemoryTree) =>
  Effect.provide(
    RecallNotes.use((notes) => notes.present("/h")),
    over(tree)
  )

describe("whether a profile has a policy", () => {
  it.effect("it has one when it is there, a broken one too", () =>
    Effect.gen(function* () {
      const tree = drawn(garden)
      assert.isTrue(yield* present(tree))
      tree.edit(policyPath, { content: "{" })
      assert.isTrue(yield* present(tree))
      tree.edit(policyPath, { mode: 0o666 })
      assert.isTrue(yield* present(tree))
      tree.remove(policyPath)
      assert.isFalse(yield* present(tree))
      tree.remove("/h/plugin-data")
      assert.isFalse(yield* present(tree))
    })
  )
})

describe("the telling words of a turn", () => {
  it.each([
    ["Where did I put the Boat keys? The boat!", "put boat keys"],
    ["and or but the", ""],
    ["a of it", ""],
    ["我的船在哪里？", "我的 哪里"],
    [
      Array.from({ length: 30 }, (_, index) => `word${index}`).join(" "),
      "word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11"
    ]
  ])("of %j are %j", (query, expected) => {
    assert.strictEqual(tellingWords(query).join(" "), expected)
  })
})
