/**
 * What connecting changes in the host's configuration, with what is needed to take each change back. (issue 7 item 4;
 * seed 003 "The install journal records the previous value")
 *
 * What the file says already is not changed, and so it is not ours: a plugin that the user enabled stays enabled.
 */
import * as Result from "effect/Result"
import { isMap, isSeq } from "yaml"
import { edit, type KeyPath, valueAt } from "../config/YamlEdit.ts"
import { findPlace, isNothing } from "../config/YamlPlace.ts"
import { type EditRefused, parse } from "../config/YamlSource.ts"
import type { EditRecord, Shape } from "./Journal.ts"
import { changeFor, disabledPath, enabledPath, pathOf, type PluginName, providerPath } from "./Plugins.ts"
import { type ConnectRefused, type Outcome, refusal, unsupported } from "./Refused.ts"

export const nothing = new Uint8Array()

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
/** As the editor reads it: a byte order mark is part of the text. */
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes)

/** What stands at a key now. */
export const shapeAt = (bytes: Uint8Array, path: KeyPath): Result.Result<Shape, EditRefused> =>
  Result.flatMap(parse(bytes), (source) =>
    Result.map(findPlace(source, path), ({ pair }): Shape => {
      if (pair === undefined) return "absent"
      if (isNothing(pair.value)) return "null"
      const isEmpty = (isMap(pair.value) || isSeq(pair.value)) && pair.value.items.length === 0
      return !isEmpty ? "other" : isMap(pair.value) ? "map" : "list"
    })
  )

/** The mappings and lists on the way that may have to go, or become empty, when the change is taken back. */
export const prefixesOf = (plugin: PluginName): ReadonlyArray<KeyPath> => {
  const path = pathOf(plugin)
  const [first] = path
  return plugin === "hy_memory" ? [[first]] : [[first], path]
}

const recordFor = (bytes: Uint8Array, plugin: PluginName): Result.Result<Omit<EditRecord, "splice">, EditRefused> =>
  Result.gen(function* () {
    const around: Array<Shape> = []
    for (const prefix of prefixesOf(plugin)) around.push(yield* shapeAt(bytes, prefix))
    const previous = plugin === "hy_memory" ? yield* valueAt(bytes, providerPath) : ({ state: "unset" } as const)
    return { plugin, around, previous }
  })

const isDisabled = (bytes: Uint8Array, plugin: PluginName): Result.Result<boolean, EditRefused> =>
  Result.map(valueAt(bytes, disabledPath), (setting) =>
    setting.state === "value" && Array.isArray(setting.value) ? setting.value.includes(plugin) : false
  )

export interface ConfigEdits {
  readonly bytes: Uint8Array
  /** Empty where the file says all of it already. */
  readonly edits: ReadonlyArray<EditRecord>
}

export const planEdits = (
  before: Uint8Array,
  plugins: ReadonlyArray<PluginName>,
  path: string
): Outcome<ConfigEdits> => {
  const about = (refused: EditRefused) => unsupported(refused, path)
  return Result.gen(function* () {
    let bytes = before
    const edits: Array<EditRecord> = []
    for (const plugin of plugins) {
      if (pathOf(plugin) === enabledPath && (yield* Result.mapError(isDisabled(bytes, plugin), about))) {
        return yield* Result.fail<ConnectRefused>(refusal("plugin_disabled", path, plugin))
      }
      const done = yield* Result.mapError(edit(bytes, changeFor(plugin)), about)
      if (done.splice === undefined) continue
      const { end, start, text } = done.splice
      const record = yield* Result.mapError(recordFor(bytes, plugin), about)
      edits.push({ ...record, splice: { start, removed: textOf(bytes).slice(start, end), added: text } })
      bytes = done.bytes
    }
    return { bytes, edits }
  })
}
