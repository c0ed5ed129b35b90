/**
 * The places of a home that connecting touches, and the steps it takes there. (issue 7 item 4; cases/recall.md 20, 33)
 *
 * Everything that is made is the owner's alone from its first moment. What is not yet whole lies in `staging`, where the
 * host does not look for plugins, and comes to its place by a rename.
 */
import { pluginDataOf } from "@memory-bridge/core/guard/Installation"
import { besideOf, configFileOf } from "@memory-bridge/platform-posix/lab/ConfigFile"
import { type LabCalls, labCalls } from "@memory-bridge/platform-posix/lab/LabCalls"
import { type Closed, openPlace, type Read, readPlace, writeNew } from "@memory-bridge/platform-posix/lab/Places"
import * as Result from "effect/Result"
import { rmdirSync } from "node:fs"
import { join } from "node:path"
import { judged, type Outcome, refuse, settled, synced } from "./Refused.ts"

/** The seam at which tests let a step fail, or kill the process. */
export interface ConnectCalls extends LabCalls {
  readonly removeDirectory: (path: string) => undefined | string
}

export const connectCalls = (lab: LabCalls = labCalls()): ConnectCalls => ({
  ...lab,
  removeDirectory: (path) => {
    try {
      return rmdirSync(path) as undefined
    } catch (error) {
      return (error as { readonly code?: string }).code ?? "EIO"
    }
  }
})

/** Directories below the home that connecting makes where they are missing; a parent comes before what is in it. */
export const homeDirectories = ["plugins", "plugin-data", "plugin-data/memory-bridge"] as const
export type HomeDirectory = (typeof homeDirectories)[number]

export interface HomePlaces {
  readonly home: string
  readonly config: string
  /** Where the configuration is written before it is renamed; a crash may leave it. */
  readonly configBeside: string
  readonly plugins: string
  readonly journal: string
  readonly staging: string
  /** Where the journal lies while its directory is not there. */
  readonly waiting: string
  /** A file that is being written. */
  readonly beside: string
}

export const placesOf = (home: string): HomePlaces => {
  const staging = join(home, ".memory-bridge-connect")
  return {
    home,
    config: configFileOf(home),
    configBeside: besideOf(home),
    plugins: join(home, "plugins"),
    journal: join(pluginDataOf(home), "memory-bridge", "connect-journal.json"),
    staging,
    waiting: join(staging, "journal.json"),
    beside: join(staging, "new")
  }
}

/** Gives `use` the open directory, which must be ours and closed to others. */
export const within = <A>(
  calls: ConnectCalls,
  path: string,
  closed: Closed,
  use: (directory: number) => Outcome<A>
): Outcome<A> =>
  Result.flatMap(judged(openPlace(calls, path, "home", closed), path), (directory) => {
    try {
      return use(directory)
    } finally {
      calls.close(directory)
    }
  })

export const trusted = (calls: ConnectCalls, path: string): Outcome<void> =>
  within(calls, path, "to_write", () => Result.succeed(undefined))

export const syncDirectory = (calls: ConnectCalls, path: string): Outcome<void> =>
  within(calls, path, "to_write", (directory) => synced(calls, directory, path))

/** Whether the name is taken, by whatever. */
export const isThere = (calls: ConnectCalls, path: string): boolean => calls.factsAt(path) !== "ENOENT"

export const makeDirectory = (calls: ConnectCalls, path: string): Outcome<void> => {
  const made = calls.makeDirectory(path)
  if (made !== undefined && made !== "EEXIST") return settled(made, path)
  return trusted(calls, path)
}

export const readFile = (
  calls: ConnectCalls,
  path: string,
  closed: Closed,
  maxBytes: number
): Outcome<Read | undefined> => judged(readPlace(calls, path, "home", closed, maxBytes), path)

export const writeFile = (calls: ConnectCalls, path: string, bytes: Uint8Array): Outcome<void> =>
  judged(writeNew(calls, path, bytes, undefined, "home"), path)

export const rename = (calls: ConnectCalls, from: string, to: string): Outcome<void> =>
  settled(calls.rename(from, to), to)

const gone = new Set(["ENOENT", undefined])
const occupied = new Set(["ENOENT", "ENOTEMPTY", "EEXIST", undefined])

export const removeFile = (calls: ConnectCalls, path: string): Outcome<void> => {
  const result = calls.unlink(path)
  return gone.has(result) ? Result.succeed(undefined) : settled(result, path)
}

/** Takes a directory away if nothing is in it. */
export const removeEmpty = (calls: ConnectCalls, path: string): Outcome<void> => {
  const result = calls.removeDirectory(path)
  return occupied.has(result) ? Result.succeed(undefined) : settled(result, path)
}

/** Takes away a directory in `staging` with all that is in it; links are taken away, not followed. */
export const removeTree = (calls: ConnectCalls, path: string): Outcome<void> => {
  const facts = calls.factsAt(path)
  if (facts === "ENOENT") return Result.succeed(undefined)
  if (typeof facts === "string") return settled(facts, path)
  if (facts.kind !== "directory") return removeFile(calls, path)
  const names = calls.names(path)
  if (typeof names === "string") return settled(names, path)
  for (const name of names) {
    const removed = removeTree(calls, join(path, name))
    if (Result.isFailure(removed)) return removed
  }
  return removeEmpty(calls, path)
}

/** What an attempt that was cut off left must be ours alone. */
export const trustedStaging = (calls: ConnectCalls, { staging }: HomePlaces): Outcome<void> =>
  isThere(calls, staging)
    ? within(calls, staging, "to_all", () => Result.succeed(undefined))
    : Result.succeed(undefined)

/** Ends what an attempt that was cut off left in `staging`; the journal that waits there stays. */
export const clearStaging = (calls: ConnectCalls, places: HomePlaces, plugins: ReadonlyArray<string>): Outcome<void> =>
  Result.gen(function* () {
    const { beside, staging } = places
    if (!isThere(calls, staging)) return undefined
    yield* trustedStaging(calls, places)
    for (const path of [beside, ...plugins.map((name) => join(staging, name))]) yield* removeTree(calls, path)
    return yield* removeEmpty(calls, staging)
  })

/** The home, open and locked, so that nobody else connects or disconnects it. The kernel gives the lock back. */
export const lockHome = (calls: ConnectCalls, home: string): Outcome<number> =>
  Result.flatMap(judged(openPlace(calls, home, "home", "to_write"), home), (directory) => {
    const taken = calls.lock(directory)
    if (taken === "locked") return Result.succeed(directory)
    calls.close(directory)
    return refuse(taken === "taken" ? "locked" : "storage", home)
  })
