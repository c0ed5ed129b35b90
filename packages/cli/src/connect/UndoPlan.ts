/**
 * What disconnecting a home would take away, and what it would leave because it is not ours any more. (issue 7 item 4;
 * seed 003 "restores it if the setting and provider files have not been modified since installation")
 */
import { readConfig } from "@memory-bridge/platform-posix/lab/ConfigFile"
import type { Read } from "@memory-bridge/platform-posix/lab/Places"
import * as Result from "effect/Result"
import { join } from "node:path"
import { undoSteps } from "./ConfigUndo.ts"
import { foldersOf, inspect, sortOut } from "./Folder.ts"
import type { Journal, PluginRecord } from "./Journal.ts"
import { type Kept, readJournal } from "./JournalFile.ts"
import { type ConnectCalls, type HomePlaces, isThere, placesOf, trusted, trustedStaging } from "./Places.ts"
import type { PluginName } from "./Plugins.ts"
import { judged, type Outcome, unsupported } from "./Refused.ts"
import { sha256Of } from "./Shipped.ts"

export interface PluginUndo {
  readonly name: PluginName
  /** Below the plugin's folder. */
  readonly remove: ReadonlyArray<string>
  /** Taken away where nothing is left in them, in this order. */
  readonly folders: ReadonlyArray<string>
  readonly changed: ReadonlyArray<string>
  readonly others: ReadonlyArray<string>
}

export interface ConfigUndo {
  readonly read: Read | undefined
  /** `undefined` for no file. */
  readonly after: Uint8Array | undefined
  /** Whose setting says something else by now. */
  readonly left: ReadonlyArray<PluginName>
  readonly isDone: boolean
}

export interface UndoPlan {
  readonly places: HomePlaces
  /** The journal as it is to be written before the first change. */
  readonly journal: Kept
  readonly config: ConfigUndo
  readonly plugins: ReadonlyArray<PluginUndo>
}

const planPlugin = (calls: ConnectCalls, places: HomePlaces, record: PluginRecord): Outcome<PluginUndo> =>
  Result.gen(function* () {
    const path = join(places.plugins, record.name)
    const nothing: PluginUndo = { name: record.name, remove: [], folders: [], changed: [], others: [] }
    const facts = calls.factsAt(path)
    if (typeof facts !== "string" && facts.kind !== "directory") return { ...nothing, changed: [""] }
    const found = yield* inspect(calls, path)
    if (found === undefined) return nothing
    const { changed, others, ours } = sortOut(found, record)
    const folders = foldersOf([...ours, ...[...record.files, ...record.former].map((file) => file.path)])
    return { name: record.name, remove: ours, folders, changed, others }
  })

const hashOf = (bytes: Uint8Array | undefined): string => (bytes === undefined ? "absent" : sha256Of(bytes))

const planConfig = (calls: ConnectCalls, places: HomePlaces, journal: Journal): Outcome<ConfigUndo> =>
  Result.gen(function* () {
    const read = yield* judged(readConfig(calls, places.home), places.config)
    const now = hashOf(read?.bytes)
    if (journal.state === "disconnecting" && journal.restored === now) {
      return { read, after: read?.bytes, left: [], isDone: true }
    }
    const undone = yield* Result.mapError(undoSteps(read?.bytes, journal.steps), (refused) =>
      unsupported(refused, places.config)
    )
    return { read, after: undone.bytes, left: undone.left, isDone: hashOf(undone.bytes) === now }
  })

/** `undefined` where nothing was connected. */
export const planUndo = (calls: ConnectCalls, home: string): Outcome<UndoPlan | undefined> =>
  Result.gen(function* () {
    const places = placesOf(home)
    yield* trusted(calls, home)
    yield* trustedStaging(calls, places)
    const kept = yield* readJournal(calls, places)
    if (kept === undefined) return undefined
    if (isThere(calls, places.plugins)) yield* trusted(calls, places.plugins)
    const config = yield* planConfig(calls, places, kept.journal)
    const plugins: Array<PluginUndo> = []
    for (const record of kept.journal.plugins) plugins.push(yield* planPlugin(calls, places, record))
    const journal: Journal = { ...kept.journal, state: "disconnecting", restored: hashOf(config.after) }
    return { places, journal: { journal, where: kept.where }, config, plugins }
  })
