/**
 * What every `Tree` answers, whatever it stands on. (core `Tree`; design.md sections 4 and 5)
 *
 * One table, all adapters: the tree in memory that the tests of the core run on has to pass what the real ones pass.
 */
import { contentContract } from "./ContentContract.ts"
import { glanceContract } from "./GlanceContract.ts"
import { handleContract } from "./HandleContract.ts"
import { openingContract } from "./OpeningContract.ts"
import type { Lacks, MakeWorld } from "./World.ts"

export const treeContract = (name: string, makeWorld: MakeWorld, lacks: Lacks = {}): void => {
  openingContract(name, makeWorld, lacks)
  contentContract(name, makeWorld, lacks)
  glanceContract(name, makeWorld, lacks)
  handleContract(name, makeWorld, lacks)
}
