/** What the sidecar needs of an operating system. One file per system beside this one; `Platform.ts` picks. */
import type { Bridge } from "@memory-bridge/core/host/Bridge"
import type * as Layer from "effect/Layer"
import type { Fence } from "../Fences.ts"

export interface Adapter {
  readonly bridge: Layer.Layer<Bridge>
  /**
   * Gives up, for the whole process, what the kernel can take away; says whether it did. Below `logDirectory`, an open
   * descriptor, files may still be written.
   */
  readonly landlock: (logDirectory: number | undefined) => Fence
}
