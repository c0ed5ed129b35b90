/** The contract's worlds in memory. */
import * as Effect from "effect/Effect"
import { memoryTree } from "./MemoryTree.ts"
import type { MakeWorld } from "./World.ts"

export const memoryWorld: MakeWorld = (drawing) =>
  Effect.sync(() => {
    const tree = memoryTree({ tmp: { drawn: drawing } })
    return {
      layer: tree.layer,
      at: ["tmp", "drawn"],
      user: tree.user,
      held: tree.held,
      write: (name, content) => tree.edit(`/tmp/drawn/${name}`, { content }),
      put: (name, drawn) => tree.put(`/tmp/drawn/${name}`, drawn),
      remove: (name) => tree.remove(`/tmp/drawn/${name}`)
    }
  })
