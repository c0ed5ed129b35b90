/** A drawing made real for the contract suite: in memory, or on a disk. */
import type { Tree } from "@memory-bridge/core/tree/Tree"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Drawing, Drawn } from "./Drawing.ts"

export interface World {
  readonly layer: Layer.Layer<Tree>
  /** Names from `/` down to where the drawing hangs. */
  readonly at: ReadonlyArray<string>
  /** Whom the walk runs under. */
  readonly user: number
  /** What is now held open, in any unit that a forgotten handle raises. */
  readonly held: () => number
  /** Writes into the file itself, as an editor does that saves in place. */
  readonly write: (name: string, content: string) => void
  /** Puts something new where nothing is. */
  readonly put: (name: string, drawn: Drawn) => void
  readonly remove: (name: string) => void
}

export type MakeWorld = (drawing: Drawing) => Effect.Effect<World, never, Scope.Scope>

/** What this machine cannot make real, each with the reason that a skipped test prints. */
export interface Lacks {
  readonly mounts?: string
  readonly privilege?: string
  readonly acls?: string
  /** Names that are not UTF-8. */
  readonly undecodable?: string
  /** A tree that tells at a glance. */
  readonly glance?: string
}
