/** Runs the contract against every tree of this machine; both ways of opening on Linux are held to the same answers. */
import { layer, layerOver } from "@memory-bridge/platform-linux/LinuxTree"
import { linuxCalls } from "@memory-bridge/platform-linux/Syscalls"
import { ENOSYS } from "@memory-bridge/platform-posix/Errno"
import { describe } from "@effect/vitest"
import { linuxLacks, linuxWorld } from "./LinuxWorld.ts"
import { memoryWorld } from "./MemoryWorld.ts"
import { treeContract } from "./TreeContract.ts"

treeContract("memory", memoryWorld)

describe.skipIf(process.platform !== "linux")("Linux", () => {
  treeContract("openat2", linuxWorld(layer), linuxLacks)
  treeContract("openat alone", linuxWorld(layerOver(() => ({ ...linuxCalls(), openAt2: () => -ENOSYS }))), linuxLacks)
})
