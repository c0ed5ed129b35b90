/**
 * Carries out a plan: the journal first, then the plugins, and the configuration last, so that it never names a plugin
 * that is not there. (issue 7 item 4: "crash-safe")
 */
import { replaceConfig } from "@memory-bridge/platform-posix/lab/ConfigFile"
import * as Result from "effect/Result"
import { dirname, join } from "node:path"
import { foldersOf, inspect } from "./Folder.ts"
import { saveJournal, settleJournal } from "./JournalFile.ts"
import {
  clearStaging,
  type ConnectCalls,
  homeDirectories,
  type HomePlaces,
  makeDirectory,
  removeEmpty,
  removeFile,
  removeTree,
  rename,
  syncDirectory,
  writeFile
} from "./Places.ts"
import type { ConnectPlan, PluginPlan } from "./Plan.ts"
import { pluginNames } from "./Plugins.ts"
import { judged, type Outcome } from "./Refused.ts"

/** A plugin's folders from the outside in. */
const foldersDown = (paths: ReadonlyArray<string>): ReadonlyArray<string> => foldersOf(paths).toReversed()

/** Made whole in `staging`, then renamed: the host meets all of it or nothing. */
const install = (calls: ConnectCalls, places: HomePlaces, { shipped }: PluginPlan): Outcome<void> =>
  Result.gen(function* () {
    const staged = join(places.staging, shipped.name)
    yield* removeTree(calls, staged)
    const folders = foldersDown(shipped.files.map(({ path }) => path)).map((folder) => join(staged, folder))
    for (const folder of folders) yield* makeDirectory(calls, folder)
    for (const { bytes, path } of shipped.files) yield* writeFile(calls, join(staged, path), bytes)
    for (const folder of folders) yield* syncDirectory(calls, folder)
    yield* rename(calls, staged, join(places.plugins, shipped.name))
    yield* syncDirectory(calls, places.plugins)
  })

/** File by file, because others may keep files of theirs in it. */
const update = (calls: ConnectCalls, places: HomePlaces, { folders, obsolete, shipped }: PluginPlan): Outcome<void> =>
  Result.gen(function* () {
    const folder = join(places.plugins, shipped.name)
    const found = yield* inspect(calls, folder)
    const differing = shipped.files.filter(({ path, sha256 }) => found?.files.get(path) !== sha256)
    for (const inner of foldersDown(differing.map(({ path }) => path))) yield* makeDirectory(calls, join(folder, inner))
    for (const { bytes, path } of differing) {
      yield* writeFile(calls, places.beside, bytes)
      yield* rename(calls, places.beside, join(folder, path))
    }
    for (const path of obsolete) yield* removeFile(calls, join(folder, path))
    for (const inner of folders) yield* removeEmpty(calls, join(folder, inner))
    const touched = new Set(differing.map(({ path }) => dirname(join(folder, path))))
    for (const path of touched) yield* syncDirectory(calls, path)
    return yield* syncDirectory(calls, folder)
  })

const placePlugin = (calls: ConnectCalls, places: HomePlaces, plan: PluginPlan): Outcome<void> => {
  switch (plan.action) {
    case "install":
      return install(calls, places, plan)
    case "update":
      return update(calls, places, plan)
    case "none":
    case "present":
      return Result.succeed(undefined)
  }
}

export const connect = (calls: ConnectCalls, { config, journal, places, plugins }: ConnectPlan): Outcome<void> =>
  Result.gen(function* () {
    yield* saveJournal(calls, places, journal)
    for (const directory of homeDirectories) yield* makeDirectory(calls, join(places.home, directory))
    yield* syncDirectory(calls, join(places.home, "plugin-data"))
    yield* syncDirectory(calls, places.home)
    if (journal.where === "waiting") yield* settleJournal(calls, places)
    for (const plan of plugins) yield* placePlugin(calls, places, plan)
    if (config.after === undefined) yield* removeFile(calls, places.configBeside)
    else {
      yield* judged(replaceConfig(calls, places.home, config.read, config.after), places.config)
    }
    const placed = new Set<string>(plugins.map(({ shipped }) => shipped.name))
    const records = journal.journal.plugins.map((record) =>
      placed.has(record.name) ? { ...record, former: [] } : record
    )
    yield* saveJournal(calls, places, {
      journal: { ...journal.journal, state: "connected", plugins: records },
      where: "in_place"
    })
    return yield* clearStaging(calls, places, pluginNames)
  })
