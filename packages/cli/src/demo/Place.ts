/**
 * The disposable place of a demo: one fresh directory with a copy of the built plugin and the script that plays its
 * host. (seed 000 "Synthetic demo")
 *
 * Only its owner can enter it, and it goes with the scope, whatever ends it. What writes is not interruptible: a write
 * still under way would bring files back while they are removed.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { tmpdir } from "node:os"
import { dirname } from "node:path"
import { nativeFor } from "../connect/Shipped.ts"
import { show } from "../operator/Quote.ts"
import { Screen } from "../screen/Screen.ts"
import { hostScript } from "./BundledText.ts"
import type { PluginName } from "./Plugin.ts"

export interface Place {
  /** The directory that holds everything; canonical. */
  readonly top: string
  /** The copy of the built plugin. */
  readonly plugin: string
  /** The script that plays the host. */
  readonly host: string
}

export const ownerDirectory = 0o700
export const ownerFile = 0o600

/** `built` is the built plugin directory. */
export const make = Effect.fnUntraced(function* (name: PluginName, built: string) {
  const files = yield* FileSystem.FileSystem
  const screen = yield* Screen
  const top = yield* Effect.acquireRelease(
    Effect.flatMap(files.realPath(tmpdir()), (directory) =>
      files.makeTempDirectory({ directory, prefix: "memory-bridge-demo-" })
    ),
    (path) =>
      files.remove(path, { recursive: true, force: true }).pipe(
        Effect.retry({ times: 3 }),
        Effect.catch(() => screen.err(`memory-bridge: Not all of ${show(path)} could be removed.\n`)),
        Effect.ignore
      )
  )
  const place: Place = { top, plugin: `${top}/plugins/${name}`, host: `${top}/host.py` }
  yield* files.makeDirectory(`${top}/plugins`, { mode: ownerDirectory })
  yield* files.copy(built, place.plugin)
  // An installed package has one native library for all; a copy has to have its own.
  for (const { bytes, path } of nativeFor(built) ?? []) {
    yield* files.makeDirectory(dirname(`${place.plugin}/${path}`), { recursive: true, mode: ownerDirectory })
    yield* files.writeFile(`${place.plugin}/${path}`, bytes, { mode: ownerFile })
  }
  yield* files.writeFileString(place.host, hostScript, { mode: ownerFile })
  return place
}, Effect.uninterruptible)
