/** The macOS adapter over the real calls of the library at hand, of which a test changes some. */
import { type DirectoryHandle, Tree, type Walk } from "@memory-bridge/core/tree/Tree"
import { layerOver } from "@memory-bridge/platform-darwin/DarwinTree"
import { type DarwinCalls, darwinCalls } from "@memory-bridge/platform-darwin/Syscalls"
import * as Effect from "effect/Effect"
import { darwinWorld } from "../../../tests/contract/DarwinWorld.ts"
import type { Drawing } from "../../../tests/contract/Drawing.ts"
import { descend } from "../../../tests/contract/Walking.ts"
import type { World } from "../../../tests/contract/World.ts"
import { library } from "../../../tests/darwin/Library.ts"

export type Change = (calls: DarwinCalls) => Partial<DarwinCalls>

/** Draws a tree and walks it once for each function, with calls changed. */
export const walks = (
  change: Change,
  drawing: Drawing,
  ...looks: ReadonlyArray<(walk: Walk, top: DirectoryHandle, world: World) => void>
) =>
  Effect.gen(function* () {
    const layer = layerOver(() => {
      const calls = darwinCalls(library)
      return { ...calls, ...change(calls) }
    })
    const world = yield* darwinWorld(layer, library)(drawing)
    yield* Effect.gen(function* () {
      const tree = yield* Tree
      for (const look of looks) {
        yield* Effect.scoped(Effect.map(tree.walk, (walk) => look(walk, descend(walk, world.at), world)))
      }
    }).pipe(Effect.provide(world.layer))
  })

export const unchanged: Change = () => ({})

export const pathOf = (world: World, name: string): string => `/${[...world.at, name].join("/")}`
