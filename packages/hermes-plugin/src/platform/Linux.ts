/** Linux: the core on the descriptor tree of Linux, behind Landlock. (design.md section 5) */
import { Bridge } from "@memory-bridge/core/host/Bridge"
import { Notes } from "@memory-bridge/core/notes/Notes"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { RecallNotes } from "@memory-bridge/core/recall/RecallNotes"
import { restrictSelf, type Restriction } from "@memory-bridge/platform-linux/Landlock"
import * as LinuxTree from "@memory-bridge/platform-linux/LinuxTree"
import * as Mac from "@memory-bridge/platform-posix/recall/Mac"
import * as Layer from "effect/Layer"
import type { Fence } from "../Fences.ts"
import type { Adapter } from "./Adapter.ts"

const fenceOf = (restriction: Restriction): Fence =>
  restriction.kind === "in_force"
    ? {
        name: "landlock",
        holds: true,
        detail: `abi ${restriction.abi}${restriction.tcp ? ", tcp" : ""}${restriction.scopes ? ", scopes" : ""}`
      }
    : {
        name: "landlock",
        holds: false,
        detail: restriction.reason === "refused" ? `refused, errno ${restriction.errno}` : restriction.reason
      }

export const linux: Adapter = {
  bridge: Bridge.layer.pipe(Layer.provide(LinuxTree.layer)),
  notes: RecallNotes.layer.pipe(
    Layer.provide(Layer.mergeAll(Notes.layer, PolicyStore.layer, Mac.layer)),
    Layer.provide(LinuxTree.layer)
  ),
  landlock: (directory, purpose) => fenceOf(restrictSelf(undefined, directory, purpose))
}
