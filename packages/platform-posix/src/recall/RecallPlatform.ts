/** What the core's recall needs of a POSIX system, in one layer. Sources over notes need a tree besides. */
import type { FreshId } from "@memory-bridge/core/guard/FreshId"
import type { Http } from "@memory-bridge/core/recall/Http"
import type { Mac as MacService } from "@memory-bridge/core/recall/Mac"
import type { SeenStore } from "@memory-bridge/core/recall/SeenStore"
import type { TrustedFiles as TrustedFilesService } from "@memory-bridge/core/recall/TrustedFile"
import * as Layer from "effect/Layer"
import * as FreshIds from "../FreshIds.ts"
import * as Mac from "./Mac.ts"
import * as SeenFiles from "./SeenFiles.ts"
import * as StrictHttp from "./StrictHttp.ts"
import * as TrustedFiles from "./TrustedFiles.ts"

export const layer: Layer.Layer<Http | MacService | SeenStore | TrustedFilesService | FreshId> = Layer.mergeAll(
  StrictHttp.layer,
  Mac.layer,
  SeenFiles.layer,
  TrustedFiles.layer,
  FreshIds.layer
)
