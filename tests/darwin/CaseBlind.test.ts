/**
 * Rules are decided on names, and a volume may be blind to how a name is spelled. No spelling gets past a deny: not in
 * search or read, which through macOS's adapter see no name but the volume's own, and not past the guard, which knows what
 * exists by device and inode and what does not exist yet by its folded name. (seed 000 "match path segments without
 * regard to case", design.md section 7; seed 004 "Path checks")
 */
import { decide } from "@memory-bridge/core/guard/Decide"
import type { View } from "@memory-bridge/core/guard/PathFacts"
import { Notes } from "@memory-bridge/core/notes/Notes"
import { decode } from "@memory-bridge/core/policy/Policy"
import { type DocumentId, parse } from "@memory-bridge/core/tree/DocumentId"
import type { Tree } from "@memory-bridge/core/tree/Tree"
import { layerOver } from "@memory-bridge/platform-darwin/DarwinTree"
import { darwinCalls } from "@memory-bridge/platform-darwin/Syscalls"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { type Drawn, policyOf, treeOf } from "../../packages/core/test/guard/Given.ts"
import { darwinWorld } from "../contract/DarwinWorld.ts"
import { memoryTree } from "../contract/MemoryTree.ts"
import { alike, foldingTree } from "./FoldingTree.ts"
import { lackOfSimulation, library, simulation, unless } from "./Library.ts"

const drawing = {
  "open.md": "needle in the open",
  projects: { "garden.md": "needle in the garden", Private: { "diary.md": "secret needle" } },
  private: { "note.md": "secret needle" },
  "Secret.md": "secret needle"
}
const open: Readonly<Record<string, string>> = {
  "open.md": drawing["open.md"],
  "projects/garden.md": drawing.projects["garden.md"]
}
const denied = ["projects/Private/diary.md", "private/note.md", "Secret.md"]

const policyAt = (root: string) => {
  const text = JSON.stringify({ version: 1, root, allow: ["**"], deny: ["**/private/**", "SECRET.md"] })
  return Result.getOrThrow(decode(text))
}

/** Other ways of writing a path that some volume may take for the same; the last two leave ASCII. */
const spellings = (path: string): ReadonlyArray<string> => {
  const base = path.replace(/\.md$/, "")
  const extension = path.slice(base.length)
  const others = [
    base.toUpperCase(),
    base.toLowerCase(),
    base.replaceAll(/(?<![a-z])[a-z]/gi, (letter) => letter.toUpperCase()),
    Array.from(base, (letter, index) => (index % 2 === 0 ? letter.toUpperCase() : letter.toLowerCase())).join(""),
    base.replaceAll(/s/gi, "\u017f"),
    base.normalize("NFD").replaceAll(/[ae]/gi, "$&\u0301").normalize("NFC")
  ].flatMap((other) => [`${other}${extension}`, `${other}${extension.toUpperCase()}`])
  return [...new Set([path, path.toUpperCase(), ...others])]
}

const readThrough = (layer: Layer.Layer<Tree>, root: string) =>
  Effect.gen(function* () {
    const notes = yield* Notes
    const policy = policyAt(root)
    const read = (id: string) => {
      const parsed = parse(id)
      return typeof parsed === "string"
        ? Effect.match(notes.read(policy, parsed as DocumentId), {
            onFailure: () => undefined,
            onSuccess: ({ content }) => content
          })
        : Effect.succeed(undefined)
    }
    for (const path of denied) {
      for (const spelled of spellings(path)) assert.isUndefined(yield* read(spelled), spelled)
    }
    const answers: Array<readonly [id: string, spelled: string, content: string | undefined]> = []
    for (const path of Object.keys(open)) {
      for (const spelled of spellings(path)) answers.push([path, spelled, yield* read(spelled)])
    }
    const { results } = yield* notes.search(policy, { query: "needle", limit: undefined })
    assert.deepStrictEqual(results.map(({ id }) => String(id)).toSorted(), Object.keys(open))
    return answers
  }).pipe(Effect.provide(Notes.layer.pipe(Layer.provide(layer))))

describe("on a volume that is blind to spelling, search and read", () => {
  it.effect("deny whatever is denied, however it is spelled, and open nothing of it", () =>
    Effect.gen(function* () {
      const tree = memoryTree({ v: drawing })
      const answers = yield* readThrough(foldingTree(tree.layer), "/v")
      for (const [id, spelled, content] of answers) {
        if (content !== undefined) assert.strictEqual(content, open[id], spelled)
        if (spelled === id) assert.strictEqual(content, open[id])
      }
      // The folding tree does what it is there for: some other spelling did open.
      assert.isTrue(answers.some(([id, spelled, content]) => spelled !== id && content !== undefined))
      for (const path of denied) assert.notInclude(tree.log, `open /v/${path}`)
    })
  )

  it.effect.skipIf(lackOfSimulation !== undefined)(
    unless("through macOS's adapter serve a note under the name that the volume shows, and no other", lackOfSimulation),
    () =>
      Effect.gen(function* () {
        const { caseBlind } = simulation()
        const layer = layerOver(() => darwinCalls(library))
        const world = yield* darwinWorld(layer, library)(drawing)
        yield* Effect.acquireRelease(
          Effect.sync(() => caseBlind(true)),
          () => Effect.sync(() => caseBlind(false))
        )
        for (const [id, spelled, content] of yield* readThrough(layer, `/${world.at.join("/")}`)) {
          assert.strictEqual(content, spelled === id ? open[id] : undefined, spelled)
        }
      })
  )
})

/** A tree of the guard's tests on a volume that is blind to spelling. */
const blindView = (given: Readonly<Record<string, Drawn>>): View => {
  const { look, mounts } = treeOf(given)
  const parents = (path: string): ReadonlyArray<string> =>
    path === "" ? ["/"] : [path, ...parents(path.slice(0, path.lastIndexOf("/")))]
  const stored = new Map(Object.keys(given).flatMap((path) => parents(path).map((each) => [alike(each), each])))
  return { look: (path) => look(stored.get(alike(path)) ?? path), mounts }
}

describe("on a volume that is blind to spelling, the guard", () => {
  const policy = policyOf(
    { write_file: "allow", read_file: "allow", terminal: "allow" },
    {
      "/srv/Secret": "block",
      "/srv/Future/Place": "block"
    }
  )
  const view = blindView({ "/srv/Secret/key": "file", "/srv/free/a": "file" })
  // An accent makes another name on every volume.
  const likeOf = (path: string) => spellings(path).filter((other) => alike(other) === alike(path))
  const action = (tool: string, path: string) => decide(policy, [], view, tool, { path, content: "" }).decision.action

  it.each(["/srv/Secret", "/srv/Secret/key", "/srv/Secret/new", "/srv/Secret/new/er"])(
    "blocks what exists, and what is to exist below it, however it is spelled: %s",
    (path) => {
      for (const spelled of likeOf(path)) assert.strictEqual(action("write_file", spelled), "block", spelled)
    }
  )

  it.each(["/srv/Future/Place", "/srv/Future/Place/new", "/srv/Future"])(
    "blocks a root that does not exist yet, however it is spelled: %s",
    (path) => {
      for (const spelled of likeOf(path)) assert.strictEqual(action("write_file", spelled), "block", spelled)
    }
  )

  it("blocks a command likewise", () => {
    const command = (text: string) => decide(policy, [], view, "terminal", { command: text }).decision.action
    assert.strictEqual(command("cat /SRV/SECRET/KEY"), "block")
    assert.strictEqual(command("mkdir /srv/FUTURE/place"), "block")
    assert.strictEqual(command("cat /srv/FREE/a"), "allow")
  })

  it("leaves other names alone", () => {
    for (const path of ["/srv/free/a", "/SRV/FREE/B", "/srv/Futures/Place", "/srv/Secrets"]) {
      assert.strictEqual(action("write_file", path), "allow", path)
    }
  })
})
