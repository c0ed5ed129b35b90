/**
 * The sidecar of the Hermes plugin memory-bridge: what is plugged into what. (design.md sections 2 and 6)
 *
 * Built as one CommonJS file; see Fences.ts for why it must not become an ES module.
 */
import { methodTable } from "./Methods.ts"
import { platformFor } from "./Platform.ts"
import { runSidecar } from "./Sidecar.ts"

const platform = platformFor(process.platform)

void runSidecar({
  services: platform.bridge,
  landlock: () => platform.landlock(undefined),
  methods: methodTable
})
