/**
 * `$HERMES_HOME/.one-memory/hy-memory-seen.json`. (core `SeenStore`; recall-contract 1.4, cases/recall.md 31 and 33)
 *
 * Read without a lock, since it is only ever replaced whole; written under one, from what it holds at that moment. What
 * is not a state of ours is set aside as `.bad` and a new one begins. A link, somebody else's file, a home that cannot
 * be written, a lock that is not had within a second: no state, never an error.
 */
import type { SeenState } from "@memory-bridge/core/recall/Seen"
import {
  maxStateBytes,
  stateDirectoryName,
  stateFileName,
  stateOf,
  stateText
} from "@memory-bridge/core/recall/SeenFile"
import { SeenStore } from "@memory-bridge/core/recall/SeenStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { promises } from "node:fs"
import { type FileLock, fileLock } from "../FileLock.ts"
import { ignoring, openOwnDirectory, openOwnFile, replaceFile } from "./OwnFiles.ts"
import { readTrusted } from "./TrustedFiles.ts"

const lockName = ".hy-memory-seen.lock"
const lockTries = 40
const lockPauseMillis = 25

type Found = { readonly kind: "state"; readonly state: SeenState } | { readonly kind: "none" | "bad" | "refused" }

const find = async (directory: string): Promise<Found> => {
  const reading = await readTrusted(`${directory}/${stateFileName}`, "public", maxStateBytes)
  if (reading.kind === "text") {
    const state = stateOf(reading.text)
    return state === undefined ? { kind: "bad" } : { kind: "state", state }
  }
  switch (reading.fault) {
    case "missing":
      return { kind: "none" }
    // Ours, but not to be believed: somebody else could have written it, or it is no text of ours.
    case "writable_by_others":
    case "too_large":
    case "not_utf8":
      return { kind: "bad" }
    default:
      return { kind: "refused" }
  }
}

/** `undefined` where the native library does not load: what cannot be locked is not written. */
const lockOrNone = (): FileLock | undefined => {
  try {
    return fileLock()
  } catch {
    return undefined
  }
}

const directoryOf = (home: string): string => `${home === "/" ? "" : home}/${stateDirectoryName}`

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, lockPauseMillis))

const lockWithin = async (lock: FileLock, descriptor: number): Promise<boolean> => {
  for (let tries = 1; ; tries++) {
    const outcome = lock.take(descriptor)
    if (outcome !== "taken" || tries === lockTries) return outcome === "locked"
    await pause()
  }
}

const updateLocked = async (
  directory: Awaited<ReturnType<typeof openOwnDirectory>>,
  path: string,
  key: string,
  change: (state: SeenState) => SeenState
): Promise<SeenState | undefined> => {
  const found = await find(path)
  if (found.kind === "refused") return undefined
  const file = `${path}/${stateFileName}`
  if (found.kind === "bad") await promises.rename(file, `${file}.bad`).catch(ignoring("ENOENT"))
  const before = found.kind === "state" ? found.state : { key, sessions: new Map() }
  const state = change(before)
  if (found.kind !== "state" || state !== before) await replaceFile(directory, path, stateFileName, stateText(state))
  return state
}

const update = async (lock: FileLock, home: string, key: string, change: (state: SeenState) => SeenState) => {
  const path = directoryOf(home)
  const directory = await openOwnDirectory(path)
  try {
    const file = await openOwnFile(`${path}/${lockName}`)
    try {
      return (await lockWithin(lock, file.fd)) ? await updateLocked(directory, path, key, change) : undefined
    } finally {
      await file.close()
    }
  } finally {
    await directory.close()
  }
}

export const layer: Layer.Layer<SeenStore> = Layer.effect(
  SeenStore,
  Effect.gen(function* () {
    const lock = lockOrNone()
    // One after the other, so that this process never waits for its own lock.
    const turn = yield* Semaphore.make(1)

    const updated = (home: string, key: string, change: (state: SeenState) => SeenState) =>
      Semaphore.withPermit(
        turn,
        Effect.promise(async () =>
          lock === undefined ? undefined : update(lock, home, key, change).catch(() => undefined)
        )
      )

    const load = (home: string, key: string) =>
      Effect.flatMap(
        Effect.promise(() => find(directoryOf(home))),
        (found) => (found.kind === "state" ? Effect.succeed(found.state) : updated(home, key, (state) => state))
      )

    return SeenStore.of({ load, update: updated })
  })
)
