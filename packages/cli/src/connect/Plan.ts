/**
 * What connecting a home would do, decided before anything is touched. (issue 7 item 4)
 *
 * Every refusal comes from here, so that a home is changed as a whole or not at all; a plan that is carried out again
 * after a crash finds what is done already and asks for the rest alone.
 */
import { readConfig } from "@memory-bridge/platform-posix/lab/ConfigFile"
import type { Read } from "@memory-bridge/platform-posix/lab/Places"
import * as Result from "effect/Result"
import { join } from "node:path"
import { nothing, planEdits } from "./ConfigEdits.ts"
import { foldersOf, inspect, isWhole, sortOut } from "./Folder.ts"
import type { Journal, PluginRecord, Step } from "./Journal.ts"
import { type Kept, readJournal } from "./JournalFile.ts"
import {
  type ConnectCalls,
  homeDirectories,
  type HomePlaces,
  isThere,
  placesOf,
  trusted,
  trustedStaging
} from "./Places.ts"
import type { PluginName } from "./Plugins.ts"
import { judged, type Outcome, refuse } from "./Refused.ts"
import { type Shipped, sha256Of } from "./Shipped.ts"

/**
 * - `install`: there is no such folder; `update`: ours, of another version or not whole
 * - `none`: ours and whole; `present`: whole, but put there by somebody else, and so not ours to take away
 */
export interface PluginPlan {
  readonly shipped: Shipped
  readonly action: "install" | "update" | "none" | "present"
  /** Ours, and no part of the plugin any more. */
  readonly obsolete: ReadonlyArray<string>
  /** Folders of a former version that this one has no use for, deepest first. */
  readonly folders: ReadonlyArray<string>
}

export interface ConfigPlan {
  readonly read: Read | undefined
  /** `undefined` where it says all of it already. */
  readonly after: Uint8Array | undefined
  /** The memory provider that makes way, where there was one. */
  readonly provider: unknown
}

export interface ConnectPlan {
  readonly places: HomePlaces
  /** The journal as it is to be written before the first change. */
  readonly journal: Kept
  readonly plugins: ReadonlyArray<PluginPlan>
  readonly config: ConfigPlan
  readonly isDone: boolean
}

const recordOf = ({ files, name, version }: Shipped, former: PluginRecord["files"]): PluginRecord => ({
  name,
  version,
  files: files.map(({ path, sha256 }) => ({ path, sha256 })),
  former
})

const planPlugin = (
  calls: ConnectCalls,
  places: HomePlaces,
  shipped: Shipped,
  known: PluginRecord | undefined
): Outcome<{ readonly plan: PluginPlan; readonly record: PluginRecord | undefined }> =>
  Result.gen(function* () {
    const path = join(places.plugins, shipped.name)
    const found = yield* inspect(calls, path)
    const plan = (action: PluginPlan["action"]): PluginPlan => ({ shipped, action, obsolete: [], folders: [] })
    if (found === undefined) return { plan: plan("install"), record: recordOf(shipped, []) }
    const whole = isWhole(found, shipped)
    if (known === undefined) {
      return whole ? { plan: plan("present"), record: undefined } : yield* refuse("not_ours", path, shipped.name)
    }
    const former = [...known.files, ...known.former].filter(
      ({ path, sha256 }) => !shipped.files.some((file) => file.path === path && file.sha256 === sha256)
    )
    const record = recordOf(shipped, former)
    const { changed, ours } = sortOut(found, record)
    const [first] = changed
    if (first !== undefined) return yield* refuse("changed_by_user", join(path, first), shipped.name)
    const paths = shipped.files.map((file) => file.path)
    const [names, needed] = [new Set(paths), new Set(foldersOf(paths))]
    const obsolete = ours.filter((path) => !names.has(path) && !path.includes("__pycache__/"))
    const folders = foldersOf(former.map((file) => file.path)).filter((folder) => !needed.has(folder))
    if (whole && former.length === 0) return { plan: plan("none"), record }
    return { plan: { shipped, action: "update" as const, obsolete, folders }, record }
  })

/** Changes that are made anew replace the record of the same change, which somebody undid meanwhile. */
const stepsWith = (steps: ReadonlyArray<Step>, added: Step | undefined): ReadonlyArray<Step> => {
  if (added === undefined) return steps
  const anew = new Set(added.edits.map(({ plugin }) => plugin))
  const kept = steps.map((step) => ({ ...step, edits: step.edits.filter(({ plugin }) => !anew.has(plugin)) }))
  return [...kept.filter(({ edits }) => edits.length > 0), added]
}

const planConfig = (calls: ConnectCalls, places: HomePlaces, wanted: ReadonlyArray<PluginName>) =>
  Result.gen(function* () {
    const read = yield* judged(readConfig(calls, places.home), places.config)
    const before = read?.bytes ?? nothing
    const { bytes, edits } = yield* planEdits(before, wanted, places.config)
    const step: Step | undefined =
      edits.length === 0
        ? undefined
        : { before: read === undefined ? null : sha256Of(before), after: sha256Of(bytes), edits }
    const previous = edits.find(({ plugin }) => plugin === "hy_memory")?.previous
    const provider = previous?.state === "value" ? previous.value : undefined
    return { plan: { read, after: step === undefined ? undefined : bytes, provider } satisfies ConfigPlan, step }
  })

const isSettled = (kept: Kept | undefined, journal: Journal): boolean =>
  kept?.where === "in_place" && JSON.stringify(kept.journal) === JSON.stringify(journal)

export const planConnect = (calls: ConnectCalls, home: string, wanted: ReadonlyArray<Shipped>): Outcome<ConnectPlan> =>
  Result.gen(function* () {
    const places = placesOf(home)
    yield* trusted(calls, home)
    yield* trustedStaging(calls, places)
    const missing = new Set(homeDirectories.filter((directory) => !isThere(calls, join(home, directory))))
    for (const directory of homeDirectories) {
      if (!missing.has(directory)) yield* trusted(calls, join(home, directory))
    }
    const kept = yield* readJournal(calls, places)
    const old = kept?.journal
    const planned = []
    for (const shipped of wanted) {
      const known = old?.plugins.find(({ name }) => name === shipped.name)
      planned.push(yield* planPlugin(calls, places, shipped, known))
    }
    const config = yield* planConfig(
      calls,
      places,
      wanted.map(({ name }) => name)
    )
    const names = new Set(wanted.map(({ name }) => name))
    const records = planned.flatMap(({ record }) => (record === undefined ? [] : [record]))
    const journal: Journal = {
      version: 1,
      state: "connecting",
      made: homeDirectories.filter((name) => missing.has(name) || (old?.made.includes(name) ?? false)),
      plugins: [...(old?.plugins ?? []).filter(({ name }) => !names.has(name)), ...records],
      steps: stepsWith(old?.steps ?? [], config.step),
      restored: null
    }
    const isIdle =
      config.step === undefined && planned.every(({ plan: { action } }) => action === "none" || action === "present")
    const isOurs = journal.plugins.length > 0 || journal.steps.length > 0
    // What was cut off after its last change still has to be cleared away.
    const isClear = !isThere(calls, places.staging) && !isThere(calls, places.configBeside)
    const isDone =
      isIdle && isClear && (kept === undefined ? !isOurs : isSettled(kept, { ...journal, state: "connected" }))
    return {
      places,
      journal: { journal, where: kept?.where ?? "waiting" },
      plugins: planned.map(({ plan }) => plan),
      config: config.plan,
      isDone
    }
  })
