/** How a case of the contract is written: a drawing, and a look at it through a walk. */
import { type DirectoryHandle, type Reading, Tree, type Walk } from "@memory-bridge/core/tree/Tree"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Drawing } from "./Drawing.ts"
import { descend, got } from "./Walking.ts"
import type { MakeWorld, World } from "./World.ts"

export type Within = (
  drawing: Drawing,
  look: (walk: Walk, top: DirectoryHandle, world: World) => void
) => Effect.Effect<void, never, Scope.Scope>

/** Draws a tree, walks to it and looks. */
export const withinWorld =
  (makeWorld: MakeWorld): Within =>
  (drawing, look) =>
    Effect.gen(function* () {
      const world = yield* makeWorld(drawing)
      yield* Effect.gen(function* () {
        const walk = yield* (yield* Tree).walk
        look(walk, descend(walk, world.at), world)
      }).pipe(Effect.scoped, Effect.provide(world.layer))
    })

/** Opens and reads. */
export const readNamed = (walk: Walk, top: DirectoryHandle, name: string, expected: number): Reading =>
  walk.read(got(walk.file(top, name, "within")), expected)

/** A case that is skipped, with the reason in its title, where something is lacking. */
export const needs =
  (lack: string | undefined) =>
  (title: string, self: () => Effect.Effect<void, never, Scope.Scope>): void =>
    it.effect.skipIf(lack !== undefined)(lack === undefined ? title : `${title} (skipped: ${lack})`, self)
