/** HMAC-SHA-256 from Node's own cryptography. (core `Mac`) */
import { Mac } from "@memory-bridge/core/recall/Mac"
import * as Layer from "effect/Layer"
import { createHmac } from "node:crypto"

export const sign = (key: string, text: string): string =>
  createHmac("sha256", Buffer.from(key, "utf8")).update(text, "utf8").digest("hex")

export const layer: Layer.Layer<Mac> = Layer.succeed(Mac, Mac.of({ sign }))
