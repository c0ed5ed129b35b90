/**
 * The sidecar of the Hermes plugin hermes-guardian: what is plugged into what. (design.md sections 6 and 9)
 *
 * Its arguments come from the shim: the Hermes home that it serves, and `chain` where the operator wants each audit
 * record to carry the hash of the one before. It may write in that home's audit directory and nowhere else.
 *
 * Built as one CommonJS file; see Fences.ts for why it must not become an ES module.
 */
import { Guard } from "@memory-bridge/core/guard/Guard"
import * as AuditFile from "@memory-bridge/platform-posix/guard/AuditFile"
import * as FreshIds from "@memory-bridge/platform-posix/FreshIds"
import * as PathFacts from "@memory-bridge/platform-posix/guard/PathFacts"
import * as Layer from "effect/Layer"
import { guardianTable } from "./Methods.ts"
import { platformFor } from "./Platform.ts"
import { runSidecar } from "./Sidecar.ts"

const [home = "", chain] = process.argv.slice(2)

const services = Guard.layer.pipe(
  Layer.provide([PathFacts.layer, FreshIds.layer, AuditFile.layer({ chain: chain === "chain" })])
)

void runSidecar({
  services,
  landlock: () => platformFor(process.platform).landlock(AuditFile.openDirectory(home)),
  methods: guardianTable
})
