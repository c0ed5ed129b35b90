/**
 * One decision, whoever asks: for arbitrary trees and policies the MCP tools, the MCP resources and the operator's
 * command say of every note what the bridge says. (issue 7, "One decision engine")
 */
import { assert, describe, it } from "@effect/vitest"
import { ScanCeilings } from "@memory-bridge/core/budget/ScanBudget"
import type { PublicAnswer } from "@memory-bridge/core/host/PublicAnswer"
import { Notes } from "@memory-bridge/core/notes/Notes"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { uriOf } from "@memory-bridge/mcp-server/NoteUri"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { policyFile, read, search } from "memory-bridge/operator/Ask"
import { plain } from "memory-bridge/screen/Paint"
import { Screen } from "memory-bridge/screen/Screen"
import { asThing, type Drawing, kindOf } from "../contract/Drawing.ts"
import { decided } from "../property/Generators.ts"
import { type Case, caseFrom, reading, searching, signals, treeOf } from "../property/Worlds.ts"
import { listAll, over, structured, withSession } from "./given/InProcess.ts"

const filesOf = (drawing: Drawing, path = ""): ReadonlyArray<string> =>
  Object.entries(drawing).flatMap(([name, drawn]) => {
    const thing = asThing(drawn)
    const here = path === "" ? name : `${path}/${name}`
    return kindOf(thing) === "directory" ? [here].concat(filesOf(thing.below, here)) : [here]
  })

/** Ids to ask for: all that the tree holds, and some that are no notes or no ids. */
const idsOf = ({ notes }: Case): ReadonlyArray<string> => [
  ...new Set([
    ...filesOf(notes),
    "missing.md",
    "private/x.md",
    "../policy.json",
    "/v/a.md",
    "d//a.md",
    "d\\a.md",
    "%2e"
  ])
]

const policy = policyFile("/h/plugin-data/memory-bridge/policy.json")

/** What the operator's command prints with `--json`, for a search and then for each id. */
const printed = (given: Case, ids: ReadonlyArray<string>) => {
  let out = ""
  const screen = Screen.of({
    out: (text) => Effect.sync(() => void (out = text)),
    err: () => Effect.void,
    paint: plain,
    width: undefined
  })
  const answer = <E, R>(run: Effect.Effect<void, E, R>) =>
    Effect.map(Effect.ignore(run), () => JSON.parse(out) as PublicAnswer)
  return Effect.all({
    found: answer(search(policy, { query: given.query, limit: given.limit }, "json")),
    reads: Effect.forEach(ids, (id) => answer(read(policy, id, "json")))
  }).pipe(
    Effect.provide(Layer.mergeAll(Notes.layer, PolicyStore.layer).pipe(Layer.provideMerge(treeOf(given).layer))),
    Effect.provideService(Screen, screen),
    Effect.provideService(ScanCeilings, given.ceilings)
  )
}

const underCeilings = ({ ceilings }: Case) => Layer.merge(Logger.layer([]), Layer.succeed(ScanCeilings, ceilings))

const asked = (given: Case) => {
  const ids = idsOf(given)
  const services = over(treeOf(given))
  return withSession(
    services,
    signals,
    (session) =>
      Effect.gen(function* () {
        const found = yield* session.ask("tools/call", {
          name: "memory_bridge_search",
          arguments: { query: given.query, limit: given.limit }
        })
        const tools = yield* Effect.forEach(ids, (id) =>
          session.ask("tools/call", { name: "memory_bridge_read", arguments: { id } })
        )
        const resources = yield* Effect.forEach(ids, (id) => session.ask("resources/read", { uri: uriOf(id) }))
        const list = yield* listAll(session)
        return { found, tools, resources, list }
      }),
    underCeilings(given)
  )
}

const cases = decided(caseFrom)

describe("for every tree and policy", () => {
  it.effect.prop(
    "tools, resources and the command line give the bridge's answer",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        const ids = idsOf(given)
        const { found, resources, tools } = yield* asked(given)
        const expected = yield* searching(given)
        assert.deepStrictEqual(structured(found), expected)
        const operator = yield* printed(given, ids)
        assert.deepStrictEqual(operator.found, expected)
        const reads = yield* reading(given, ids)
        for (const [index, answer] of reads.entries()) {
          const id = ids[index]!
          assert.deepStrictEqual(structured(tools[index]!), answer, id)
          assert.deepStrictEqual(operator.reads[index]!, answer, id)
          const resource = resources[index]!
          if (answer.ok && "content" in answer) {
            assert.deepInclude(resource.result!["contents"], {
              uri: uriOf(id),
              mimeType: "text/markdown",
              text: answer.content
            })
          } else assert.deepStrictEqual(resource.error?.data, answer, id)
        }
      }),
    { arbitrary: { runs: 250, seed: 71, size: 60 } }
  )

  it.effect.prop(
    "the list names a note just when it can be read, unless a limit cut it short and it says so",
    [cases],
    ([given]) =>
      Effect.gen(function* () {
        const ids = idsOf(given)
        const { found, list } = yield* asked(given)
        if (!("pages" in list)) {
          assert.deepStrictEqual(list.data, structured(found))
          return
        }
        const names = list.pages.flat().map(({ name }) => name)
        const reads = yield* reading(given, ids)
        const readable = ids.filter((_, index) => reads[index]!.ok)
        assert.deepStrictEqual(
          names.filter((name) => !readable.includes(name)),
          []
        )
        if (!list.truncated) assert.deepStrictEqual(names.toSorted(), readable.toSorted())
        assert.strictEqual(new Set(names).size, names.length)
      }),
    { arbitrary: { runs: 400, seed: 72, size: 60 } }
  )
})
