/** macOS's adapter answers the contract that Linux's answers, on a new kernel and on one without O_NOFOLLOW_ANY. */
import { layerOver } from "@memory-bridge/platform-darwin/DarwinTree"
import { darwinCalls, type DarwinCalls, O_NOFOLLOW_ANY } from "@memory-bridge/platform-darwin/Syscalls"
import { describe } from "@effect/vitest"
import { darwinLacks, darwinWorld } from "../contract/DarwinWorld.ts"
import { treeContract } from "../contract/TreeContract.ts"
import { lack, library, unless } from "./Library.ts"

/** As a kernel before macOS 11 does: the bit means nothing to it. */
const older = (calls: DarwinCalls): DarwinCalls => ({
  ...calls,
  openAt: (directory, name, flags) => calls.openAt(directory, name, flags & ~O_NOFOLLOW_ANY)
})

describe.skipIf(lack !== undefined)(unless("macOS", lack), () => {
  if (lack !== undefined) return
  treeContract(
    "O_NOFOLLOW_ANY",
    darwinWorld(
      layerOver(() => darwinCalls(library)),
      library
    ),
    darwinLacks
  )
  treeContract(
    "O_NOFOLLOW alone",
    darwinWorld(
      layerOver(() => older(darwinCalls(library))),
      library
    ),
    darwinLacks
  )
})
