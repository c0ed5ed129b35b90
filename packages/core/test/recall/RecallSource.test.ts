/** Which source serves a profile, from its files and settings as they are now. (issue 4 part 1) */
import { assert, describe, it } from "@effect/vitest"
import { Notes } from "@memory-bridge/core/notes/Notes"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { RecallNotes } from "@memory-bridge/core/recall/RecallNotes"
import { isServing, RecallSource } from "@memory-bridge/core/recall/RecallSource"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { drawn, policyPath } from "../given/World.ts"
import { profile } from "./given/Host.ts"
import { countedIds, type Files, filesLayer, json, macLayer, network } from "./given/Peers.ts"

const connection = "/h/plugins/hy_memory/connection.json"
const connectionText = JSON.stringify({ version: 1, discovery_file: "/m/d", credential_file: "/m/c" })
const direct = { HY_MEMORY_USER_ID: "ana", HY_MEMORY_AGENT_ID: "hermes" }

const world = (files: Files = {}) => {
  const tree = drawn({ "boat.md": "# The boat\n\nAda lies in the harbour." })
  const reads: Array<string> = []
  const { layer: http, log } = network(() => json({ memories: [] }))
  const notes = RecallNotes.layer.pipe(
    Layer.provide([Notes.layer, PolicyStore.layer, macLayer]),
    Layer.provide(tree.layer)
  )
  const layer = Layer.fresh(RecallSource.layer).pipe(
    Layer.provide([filesLayer(files, reads), http, macLayer, countedIds, notes])
  )
  /** The mode, and what is found or why nothing is. */
  const served = (environment: Readonly<Record<string, string>> = {}, run = "primary") =>
    Effect.gen(function* () {
      const sources = yield* RecallSource
      const asking = profile({ environment, run })
      const mode = yield* sources.mode(asking)
      if (!isServing(mode)) return `${mode.kind} ${mode.reason}`
      const found = yield* sources.open(asking, mode).pipe(
        Effect.flatMap((source) => source.search({ query: "boat harbour", limit: 5, session: "" })),
        Effect.match({ onSuccess: (items) => `[${items.map(({ id }) => id)}]`, onFailure: ({ reason }) => reason })
      )
      return `${mode.kind} ${found}`
    }).pipe(Effect.provide(layer))
  return { files, log, reads, served, tree }
}

describe("a profile is served", () => {
  it.effect("by what is there now, without a restart", () =>
    Effect.gen(function* () {
      const { files, log, served, tree } = world()
      assert.strictEqual(yield* served(), "notes [boat.md]")
      assert.strictEqual(yield* served(direct), "direct []")
      assert.strictEqual(log[0], "#1 connect 127.0.0.1:19527")
      files[connection] = connectionText
      assert.strictEqual(yield* served(direct), "managed discovery_missing")
      assert.strictEqual(yield* served(), "managed discovery_missing")
      files[connection] = { fault: "link" }
      assert.strictEqual(yield* served(direct), "disabled connection_refused")
      delete files[connection]
      tree.remove(policyPath)
      assert.strictEqual(yield* served(), "off not_configured")
    })
  )

  it.effect("by its notes as the policy has it, for the kind of run that it is", () =>
    Effect.gen(function* () {
      const { served, tree } = world()
      assert.strictEqual(yield* served({}, "cron"), "notes notes_refused")
      assert.strictEqual(yield* served({ HY_MEMORY_NOTES: "false" }), "off notes_off")
      tree.edit(policyPath, { content: "{" })
      assert.strictEqual(yield* served(), "notes notes_refused", "a broken policy is a policy")
    })
  )

  it.effect("from the connection file that is named, which must be there", () =>
    Effect.gen(function* () {
      const { files, reads, served } = world({ [connection]: connectionText })
      const named = { HY_MEMORY_CONNECTION_FILE: "/m/connection.json" }
      assert.strictEqual(yield* served(named), "disabled connection_missing")
      assert.deepStrictEqual(reads, ["public /m/connection.json"])
      files["/m/connection.json"] = connectionText
      assert.strictEqual(yield* served(named), "managed discovery_missing")
    })
  )
})
