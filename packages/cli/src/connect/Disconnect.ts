/**
 * Takes a connection back: the configuration first, so that the host asks for nothing that is on its way out, then the
 * plugins, and the journal last. (issue 7 item 4; what the plugins wrote in `plugin-data` stays)
 */
import { replaceConfig } from "@memory-bridge/platform-posix/lab/ConfigFile"
import * as Result from "effect/Result"
import { join } from "node:path"
import { dropJournal, liftJournal, saveJournal } from "./JournalFile.ts"
import {
  clearStaging,
  type ConnectCalls,
  homeDirectories,
  type HomePlaces,
  isThere,
  removeEmpty,
  removeFile,
  removeTree,
  syncDirectory
} from "./Places.ts"
import { pluginNames } from "./Plugins.ts"
import { judged, type Outcome, refuse } from "./Refused.ts"
import type { ConfigUndo, PluginUndo, UndoPlan } from "./UndoPlan.ts"

/** Removes a file that connecting made, if it is still the one that was read. */
const removeConfig = (calls: ConnectCalls, places: HomePlaces, { read }: ConfigUndo): Outcome<void> =>
  Result.gen(function* () {
    const now = calls.markAt(places.config)
    if (typeof now === "string" || now.mark !== read?.mark) return yield* refuse("changed", places.config)
    yield* removeFile(calls, places.config)
    yield* removeFile(calls, places.configBeside)
    return yield* syncDirectory(calls, places.home)
  })

const restoreConfig = (calls: ConnectCalls, places: HomePlaces, config: ConfigUndo): Outcome<void> => {
  if (config.isDone) return removeFile(calls, places.configBeside)
  if (config.after === undefined) return removeConfig(calls, places, config)
  return judged(replaceConfig(calls, places.home, config.read, config.after), places.config)
}

const removePlugin = (calls: ConnectCalls, places: HomePlaces, plan: PluginUndo): Outcome<void> =>
  Result.gen(function* () {
    const folder = join(places.plugins, plan.name)
    for (const path of plan.remove) yield* removeFile(calls, join(folder, path))
    for (const inner of plan.folders) yield* removeEmpty(calls, join(folder, inner))
  })

export const disconnect = (calls: ConnectCalls, { config, journal, places, plugins }: UndoPlan): Outcome<void> =>
  Result.gen(function* () {
    yield* saveJournal(calls, places, journal)
    yield* restoreConfig(calls, places, config)
    for (const plan of plugins) yield* removePlugin(calls, places, plan)
    for (const name of pluginNames) yield* removeTree(calls, join(places.staging, name))
    if (isThere(calls, places.plugins)) yield* syncDirectory(calls, places.plugins)
    if (journal.where === "in_place") yield* liftJournal(calls, places)
    for (const directory of homeDirectories.toReversed()) {
      if (journal.journal.made.includes(directory)) yield* removeEmpty(calls, join(places.home, directory))
    }
    yield* dropJournal(calls, places)
    return yield* clearStaging(calls, places, pluginNames)
  })

/** What a connection that was cut off before its journal, or after it, left lying. */
export const sweep = (calls: ConnectCalls, places: HomePlaces): Outcome<void> =>
  clearStaging(calls, places, pluginNames)
