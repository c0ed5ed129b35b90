/** The Linux adapter over real system calls of which a test changes some. */
import { type DirectoryHandle, Tree, type Walk } from "@memory-bridge/core/tree/Tree"
import { layerOver } from "@memory-bridge/platform-linux/LinuxTree"
import { type LinuxCalls, linuxCalls } from "@memory-bridge/platform-linux/Syscalls"
import * as Effect from "effect/Effect"
import type { Drawing } from "../../../tests/contract/Drawing.ts"
import { linuxWorld } from "../../../tests/contract/LinuxWorld.ts"
import { descend } from "../../../tests/contract/Walking.ts"

/** The real calls, changed. */
const changed = (change: (calls: LinuxCalls) => Partial<LinuxCalls>) =>
  layerOver(() => {
    const calls = linuxCalls()
    return { ...calls, ...change(calls) }
  })

/** Draws a tree and walks it once for each function, with system calls changed. */
export const walks = (
  change: (calls: LinuxCalls) => Partial<LinuxCalls>,
  drawing: Drawing,
  ...looks: ReadonlyArray<(walk: Walk, top: DirectoryHandle) => void>
) =>
  Effect.gen(function* () {
    const world = yield* linuxWorld(changed(change))(drawing)
    yield* Effect.gen(function* () {
      const tree = yield* Tree
      for (const look of looks) {
        yield* Effect.scoped(Effect.map(tree.walk, (walk) => look(walk, descend(walk, world.at))))
      }
    }).pipe(Effect.provide(world.layer))
  })
