/** The sidecar of hy_memory as a process: its methods, strictly, and what it answers out of turn. (issue 4 part 4) */
import { assert, describe, it } from "@effect/vitest"
import { nothing } from "@memory-bridge/core/recall/Recalling"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { allowNotes, emptyHome, type Home, note } from "../recall/support/Home.ts"
import { hostile } from "../recall/support/Peers.ts"
import { fenceFlags, nodes } from "../sidecar/support/Nodes.ts"
import { request, type Running, start } from "../sidecar/support/Sidecar.ts"
import { directAt } from "./support/Provider.ts"

const bundle = join(import.meta.dirname, "..", "..", "dist", "hermes", "hy_memory", "sidecar.cjs")
const [node] = nodes

const sidecarOf = (home: Home): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const state = join(home.path, ".one-memory")
      mkdirSync(state, { mode: 0o700 })
      const flags = [...fenceFlags(node!), `--allow-fs-write=${state}/*`, "--allow-worker"]
      return start(node!, bundle, flags, [home.path])
    }),
    ({ child, ended }) =>
      Effect.promise(() => {
        child.stdin.end()
        return ended
      })
  )

const placeOf = (home: Home, environment: Readonly<Record<string, string>> = {}) => ({
  profile: { home: home.path, plugin_directory: home.plugin, environment, run: "primary", history: "kept" },
  session: "s1"
})

const answerTo = (sidecar: Running, id: number, method: string, params?: unknown) =>
  Effect.promise(() => {
    sidecar.send(request(id, method, params))
    return sidecar.next()
  })

const switched = { kind: "switch", previous: "", parent: "", reset: false, rewound: false, reason: "" }

describe("the methods of recall", () => {
  it.live("take what they are for and nothing besides", () =>
    Effect.gen(function* () {
      const home = yield* emptyHome
      const sidecar = yield* sidecarOf(home)
      const place = placeOf(home)
      const bad = [
        ["recall.offer", { place, session: "other" }],
        ["recall.offer", { place: { ...place, home: "/" } }],
        ["recall.offer", { place: { ...place, session: "" } }],
        ["recall.offer", { place: { ...place, profile: { ...place.profile, home: "relative" } } }],
        ["recall.taken", { place, result: "1", marks: [] }],
        ["recall.taken", { place, result: 1, marks: [{ id: "m1", digest: "the content" }] }],
        ["recall.taken", { place, result: 1, marks: [{ id: "m1", digest: "0".repeat(32), content: "c" }] }],
        [
          "recall.taken",
          { place, result: 1, marks: Array.from({ length: 21 }, () => ({ id: "m1", digest: "0".repeat(32) })) }
        ],
        ["recall.queue", { place, query: 1 }],
        ["recall.queue", { place }],
        ["recall.search", { place, query: "q" }],
        ["recall.event", { place, event: { kind: "unknown" } }],
        ["recall.event", { place, event: { ...switched, more: 1 } }],
        ["recall.capture", { place, text: "t", who: "assistant" }],
        ["recall.status", { profile: place.profile, place }],
        ["recall.status", undefined]
      ] as const
      for (const [index, [method, params]] of bad.entries()) {
        const answer = yield* answerTo(sidecar, index, method, params)
        assert.deepInclude(answer["error"], { code: -32602 }, `${method} ${JSON.stringify(params)}`)
      }
      const good = [
        ["recall.queue", { place, query: "which boat" }, nothing],
        ["recall.offer", { place }, nothing],
        ["recall.taken", { place, result: 1, marks: [{ id: "m1", digest: "0".repeat(32) }] }, null],
        ["recall.fresh", { place, query: "which boat" }, nothing],
        ["recall.capture", { place, text: "mine" }, null],
        ["recall.event", { place, event: switched }, null]
      ] as const
      for (const [index, [method, params, result]] of good.entries()) {
        assert.deepStrictEqual((yield* answerTo(sidecar, 100 + index, method, params))["result"], result)
      }
    }).pipe(Effect.scoped)
  )

  it.live("a question under way does not keep the process, which ends in order", () =>
    Effect.gen(function* () {
      const home = yield* emptyHome
      allowNotes(home)
      note(home, "boat.md", "The boat is Ada.")
      const sidecar = yield* sidecarOf(home)
      // Both come before the thread that would answer has started.
      sidecar.send(request(1, "recall.queue", { place: placeOf(home), query: "which boat" }))
      sidecar.child.stdin.end()
      assert.deepStrictEqual(yield* Effect.promise(() => sidecar.ended), [0, null])
    }).pipe(Effect.scoped)
  )

  it.live("a search under way holds up no hand-over, and too many searches are told to do without", () =>
    Effect.gen(function* () {
      const home = yield* emptyHome
      const peer = yield* hostile("silent")
      const sidecar = yield* sidecarOf(home)
      const place = placeOf(home, directAt(peer.endpoint.port, { HY_MEMORY_TIMEOUT: "30" }))
      const search = { place, arguments: { query: "which boat" } }
      for (let id = 0; id < 16; id++) sidecar.send(request(id, "recall.search", search))
      sidecar.send(request(99, "recall.queue", { place, query: "which boat" }))
      assert.strictEqual((yield* answerTo(sidecar, 100, "recall.offer", { place }))["id"], 100)
      const more = yield* answerTo(sidecar, 101, "recall.search", search)
      assert.strictEqual(more["id"], 101)
      assert.deepInclude((more["result"] as { readonly error: object }).error, { code: "unavailable", retry: false })
      assert.strictEqual((yield* answerTo(sidecar, 102, "ping"))["result"], "pong")
    }).pipe(Effect.scoped)
  )
})
