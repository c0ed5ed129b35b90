/** SHA-256 from the system's library. (core `Fingerprint`) */
import { createHash } from "node:crypto"
import * as Layer from "effect/Layer"
import { Fingerprint } from "@memory-bridge/core/lab/Fingerprint"

export const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex")

export const layer: Layer.Layer<Fingerprint> = Layer.succeed(Fingerprint, Fingerprint.of({ sha256 }))
