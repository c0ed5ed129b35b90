/**
 * macOS: the core on the descriptor tree of macOS. (design.md section 5)
 *
 * There is no Landlock, and `sandbox_init`, the nearest thing, is deprecated (its manual says so since 10.8). What keeps
 * the process from writing is Node's permission model alone, and the log and `status` name the fence that is missing.
 */
import { Bridge } from "@memory-bridge/core/host/Bridge"
import { Notes } from "@memory-bridge/core/notes/Notes"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { RecallNotes } from "@memory-bridge/core/recall/RecallNotes"
import * as DarwinTree from "@memory-bridge/platform-darwin/DarwinTree"
import * as Mac from "@memory-bridge/platform-posix/recall/Mac"
import * as Layer from "effect/Layer"
import type { Adapter } from "./Adapter.ts"

export const darwin: Adapter = {
  bridge: Bridge.layer.pipe(Layer.provide(DarwinTree.layer)),
  notes: RecallNotes.layer.pipe(
    Layer.provide(Layer.mergeAll(Notes.layer, PolicyStore.layer, Mac.layer)),
    Layer.provide(DarwinTree.layer)
  ),
  landlock: () => ({ name: "landlock", holds: false, detail: "not_on_macos" })
}
