/** A temporary folder that goes with its scope. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "recall-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export const isRoot = process.geteuid?.() === 0
