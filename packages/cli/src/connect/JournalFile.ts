/**
 * The journal on the disk: the owner's alone, replaced whole, and never further from home than its directory is there.
 *
 * Before the directory of the journal is made, and after it has been taken away, the journal waits in `staging`: so there
 * is no moment in which something was made that no journal names.
 */
import { decodeUtf8 } from "@memory-bridge/platform-posix/Utf8"
import * as Result from "effect/Result"
import { dirname } from "node:path"
import { fromText, type Journal, maxJournalBytes, textOf } from "./Journal.ts"
import {
  type ConnectCalls,
  type HomePlaces,
  isThere,
  makeDirectory,
  readFile,
  removeEmpty,
  rename,
  syncDirectory,
  trusted,
  writeFile
} from "./Places.ts"
import { type Outcome, refuse } from "./Refused.ts"

export interface Kept {
  readonly journal: Journal
  readonly where: "in_place" | "waiting"
}

const readAt = (calls: ConnectCalls, path: string): Outcome<Journal | undefined> =>
  Result.gen(function* () {
    if (!isThere(calls, dirname(path))) return undefined
    yield* trusted(calls, dirname(path))
    const read = yield* readFile(calls, path, "to_all", maxJournalBytes)
    if (read === undefined) return undefined
    const text = decodeUtf8(Buffer.from(read.bytes), 0, read.bytes.length)
    const journal = text === undefined ? undefined : fromText(text)
    return journal ?? (yield* refuse("journal_invalid", path))
  })

export const readJournal = (calls: ConnectCalls, places: HomePlaces): Outcome<Kept | undefined> =>
  Result.gen(function* () {
    const inPlace = yield* readAt(calls, places.journal)
    if (inPlace !== undefined) return { journal: inPlace, where: "in_place" as const }
    const waiting = yield* readAt(calls, places.waiting)
    return waiting === undefined ? undefined : { journal: waiting, where: "waiting" as const }
  })

/** Has succeeded only when the journal is on stable storage. */
export const saveJournal = (calls: ConnectCalls, places: HomePlaces, { journal, where }: Kept): Outcome<void> =>
  Result.gen(function* () {
    const path = where === "in_place" ? places.journal : places.waiting
    yield* makeDirectory(calls, places.staging)
    yield* writeFile(calls, places.beside, new TextEncoder().encode(textOf(journal)))
    yield* rename(calls, places.beside, path)
    yield* syncDirectory(calls, dirname(path))
    yield* syncDirectory(calls, places.home)
  })

/** From where it waited to its place, whose directory is there by now. */
export const settleJournal = (calls: ConnectCalls, places: HomePlaces): Outcome<void> =>
  Result.gen(function* () {
    yield* rename(calls, places.waiting, places.journal)
    yield* syncDirectory(calls, dirname(places.journal))
  })

/** From its place to where it waits, so that its directory can go. */
export const liftJournal = (calls: ConnectCalls, places: HomePlaces): Outcome<void> =>
  Result.gen(function* () {
    yield* makeDirectory(calls, places.staging)
    yield* rename(calls, places.journal, places.waiting)
    yield* syncDirectory(calls, places.staging)
    yield* syncDirectory(calls, places.home)
  })

/** The last step of disconnecting. */
export const dropJournal = (calls: ConnectCalls, places: HomePlaces): Outcome<void> =>
  Result.gen(function* () {
    const gone = calls.unlink(places.waiting)
    if (gone !== undefined && gone !== "ENOENT") return yield* refuse("storage", places.waiting, gone)
    yield* removeEmpty(calls, places.staging)
    return yield* syncDirectory(calls, places.home)
  })
