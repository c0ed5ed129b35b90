/** What the sidecar needs of an operating system. One file per system beside this one; `Platform.ts` picks. */
import type { Bridge } from "@memory-bridge/core/host/Bridge"
import type { RecallNotes } from "@memory-bridge/core/recall/RecallNotes"
import type * as Layer from "effect/Layer"
import type { Fence } from "../Fences.ts"

export interface Adapter {
  readonly bridge: Layer.Layer<Bridge>
  /** Recall from the notes that a profile's policy permits, on the calling thread. */
  readonly notes: Layer.Layer<RecallNotes>
  /**
   * Gives up, for the whole process, what the kernel can take away; says whether it did. Below `directory`, an open
   * descriptor, files may still be written. With `recall` they may be replaced too, and TCP connections stay possible.
   */
  readonly landlock: (directory: number | undefined, purpose?: "log" | "recall") => Fence
}
