/**
 * What connecting did to a home, in as much detail as it takes to undo it. (issue 7 item 4: "journals what was there")
 *
 * It is written before the first change, so that it never knows less than the disk. It holds hashes of the files that
 * were written, and of the configuration the changed places alone: a host keeps keys in that file. Strictly decoded, and
 * every path in it is one that connecting could have written, since disconnecting removes what it names.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as StrictJson from "@memory-bridge/core/policy/StrictJson"
import { homeDirectories } from "./Places.ts"
import { pluginNames } from "./Plugins.ts"

/** Bytes. */
export const maxJournalBytes = 4 * 1024 * 1024

const Sha256 = Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9a-f]{64}$/)))
const segment = /^(?!\.{1,2}$)[A-Za-z0-9@._-]{1,100}$/
const FilePath = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter((path: string) => {
      const segments = path.split("/")
      return segments.length <= 8 && segments.every((part) => segment.test(part)) ? undefined : "is no path of a plugin"
    })
  )
)
const Files = Schema.Array(Schema.Struct({ path: FilePath, sha256: Sha256 })).pipe(
  Schema.check(Schema.isMaxLength(1024))
)

export const PluginRecord = Schema.Struct({
  name: Schema.Literals(pluginNames),
  version: Schema.String,
  files: Files,
  /** Files of the version before, while another takes its place. */
  former: Files
})
export type PluginRecord = typeof PluginRecord.Type

/** What stood at a key before: nothing, a key without a value, an empty mapping or list, or something. */
export const Shape = Schema.Literals(["absent", "null", "map", "list", "other"])
export type Shape = typeof Shape.Type

export const EditRecord = Schema.Struct({
  plugin: Schema.Literals(pluginNames),
  /** At each key on the way, from the top. */
  around: Schema.Array(Shape),
  /** The value that was replaced; for a list there is none. */
  previous: Schema.Union([
    Schema.Struct({ state: Schema.Literal("unset") }),
    Schema.Struct({ state: Schema.Literal("value"), value: Schema.Unknown })
  ]),
  /** `added` stands at `start` in the new text, where `removed` stood in the old one. */
  splice: Schema.Struct({ start: Schema.Natural, removed: Schema.String, added: Schema.String })
})
export type EditRecord = typeof EditRecord.Type

/** One writing of the configuration; `before` is null where there was no file. */
export const Step = Schema.Struct({
  before: Schema.NullOr(Sha256),
  after: Sha256,
  edits: Schema.Array(EditRecord)
})
export type Step = typeof Step.Type

export const Journal = Schema.Struct({
  version: Schema.Literal(1),
  state: Schema.Literals(["connecting", "connected", "disconnecting"]),
  /** Directories of the home that were not there. */
  made: Schema.Array(Schema.Literals(homeDirectories)),
  plugins: Schema.Array(PluginRecord).pipe(Schema.check(Schema.isMaxLength(pluginNames.length))),
  steps: Schema.Array(Step).pipe(Schema.check(Schema.isMaxLength(64))),
  /** The configuration as disconnecting leaves it: its hash, or "absent". */
  restored: Schema.NullOr(Schema.Union([Sha256, Schema.Literal("absent")]))
})
export type Journal = typeof Journal.Type

export const textOf = (journal: Journal): string => JSON.stringify(journal, undefined, 1) + "\n"

const decode = Schema.decodeUnknownResult(Journal, { onExcessProperty: "error" })

/** `undefined` where the text is no journal. */
export const fromText = (text: string): Journal | undefined =>
  Result.getOrElse(Result.flatMap(StrictJson.parse(text), decode), () => undefined)
