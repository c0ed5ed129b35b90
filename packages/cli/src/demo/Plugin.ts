/**
 * Where is the built plugin? Beside this program: the build puts both under one folder.
 *
 * Only a folder with a sidecar in it counts, so that the sources, which look alike, are never taken for it.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { show } from "../operator/Quote.ts"

export class PluginMissing extends Schema.TaggedError<PluginMissing>()("PluginMissing", {
  /** The folders that were looked at, for the operator. */
  looked: Schema.String
}) {}

export type PluginName = "memory-bridge" | "hermes-guardian" | "hy_memory"

/** From dist/cli/ and from packages/cli/src/demo/. */
const places = ["../hermes", "../../../../dist/hermes"]

const beside = (name: PluginName): ReadonlyArray<string> =>
  places.map((place) => fileURLToPath(new URL(`${place}/${name}`, import.meta.url)))

export const findPlugin = Effect.fnUntraced(function* (name: PluginName, given: string | undefined) {
  const files = yield* FileSystem.FileSystem
  const folders = given === undefined ? beside(name) : [resolve(given)]
  for (const folder of folders) {
    if (yield* Effect.orElseSucceed(files.exists(`${folder}/sidecar.cjs`), () => false)) return folder
  }
  return yield* new PluginMissing({ looked: show(folders.at(-1) ?? "") })
})
