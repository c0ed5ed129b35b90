/** Trees as drawings, from the contract suite's own in-memory tree. */
export type { As, Drawing, Drawn, Thing } from "../../../../tests/contract/Drawing.ts"
export { dir, fifo, file, link, socket } from "../../../../tests/contract/Drawing.ts"
export { type MemoryTree, memoryTree } from "../../../../tests/contract/MemoryTree.ts"
