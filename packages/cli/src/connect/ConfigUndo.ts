/**
 * Takes the changes of connecting back out of a configuration that others may have edited since. (issue 7 item 4:
 * "restores byte for byte what is still ours and leaves alone what the user changed since"; cases/recall.md 32)
 *
 * A file that is just as it was left gets the old text back, byte for byte. Otherwise each change is looked for by
 * itself, newest first: where the key still says what was written, the text that stood there before is put back if that
 * comes to the right data, and the editor's own way is taken if not. No comment is lost either way.
 */
import * as Result from "effect/Result"
import { isDeepStrictEqual } from "node:util"
import { Lexer } from "yaml"
import { type Change, edit } from "../config/YamlEdit.ts"
import { type EditRefused, parse, parseText, refuse } from "../config/YamlSource.ts"
import type { Data } from "../config/YamlValue.ts"
import { nothing, prefixesOf, shapeAt, textOf } from "./ConfigEdits.ts"
import { cutOut } from "./ConfigCut.ts"
import type { EditRecord, Shape, Step } from "./Journal.ts"
import { enabledPath, pathOf, type PluginName, providerPath } from "./Plugins.ts"
import { sha256Of } from "./Shipped.ts"

type Edited = Result.Result<Uint8Array, EditRefused>

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The comments of a text, in order. */
const commentsOf = (text: string): ReadonlyArray<string> => {
  const comments: Array<string> = []
  let isScalar = false
  for (const token of new Lexer().lex(text)) {
    if (!isScalar && token.startsWith("#")) comments.push(token.trimEnd())
    isScalar = token === "\u001F"
  }
  return comments
}

/** Whether each comment is still there, as often as it was. */
const keepsComments = (before: string, after: string): boolean => {
  const left = [...commentsOf(after)]
  return commentsOf(before).every((comment) => {
    const at = left.indexOf(comment)
    return at >= 0 && left.splice(at, 1).length === 1
  })
}

const dataOf = (text: string): unknown =>
  Result.getOrElse(
    Result.map(parseText(text), ({ readings }) => readings.map((reading) => reading ?? new Map())),
    () => undefined
  )

/** Whether both are files, and mean the same. */
const meansSame = (text: string, other: string): boolean => {
  const [data, wanted] = [dataOf(text), dataOf(other)]
  return data !== undefined && isDeepStrictEqual(data, wanted)
}

// ---- One change.

const valueIn = (reading: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((inner, key) => (inner instanceof Map ? inner.get(key) : undefined), reading)

/** Whether the key says what connecting wrote, for every reader. */
const isOurs = (bytes: Uint8Array, plugin: PluginName): Result.Result<boolean, EditRefused> =>
  Result.map(parse(bytes), ({ readings }) =>
    readings.every((reading) => {
      const value = valueIn(reading, pathOf(plugin))
      return plugin === "hy_memory" ? value === plugin : Array.isArray(value) && value.includes(plugin)
    })
  )

const takenBack = ({ plugin, previous }: EditRecord): Change => {
  if (plugin !== "hy_memory") return { op: "drop", path: enabledPath, item: plugin }
  return previous.state === "value"
    ? { op: "set", path: providerPath, value: previous.value as Data }
    : { op: "remove", path: providerPath }
}

/** What an emptied mapping or list becomes, where it was not one with something in it before. */
const emptied = (path: Change["path"], before: Shape): Change | undefined => {
  switch (before) {
    case "absent":
      return { op: "remove", path }
    case "null":
      return { op: "set", path, value: null }
    case "map":
      return { op: "set", path, value: {} }
    case "list":
      return { op: "set", path, value: [] }
    case "other":
      return undefined
  }
}

type Editing = (bytes: Uint8Array, change: Change) => Edited

/** Takes the change back, and then what was made around it, from the inside out. */
const backOut = (bytes: Uint8Array, record: EditRecord, first: Editing, further: Editing): Edited =>
  Result.gen(function* () {
    let now = yield* first(bytes, takenBack(record))
    const prefixes = prefixesOf(record.plugin)
    for (let depth = prefixes.length - 1; depth >= 0; depth--) {
      const [path, before] = [prefixes[depth], record.around[depth]]
      if (path === undefined || before === undefined) break
      const shape = yield* shapeAt(now, path)
      if (shape === "other" || shape === before) break
      const change = shape === "absent" ? undefined : emptied(path, before)
      if (change === undefined) break
      now = yield* further(now, change)
    }
    return now
  })

const plainly: Editing = (bytes, change) => Result.map(edit(bytes, change), (edited) => edited.bytes)

/** The change with every comment kept; where the editor would take one along, only the words themselves are cut out. */
const carefully: Editing = (bytes, change) =>
  Result.flatMap(plainly(bytes, change), (edited) => {
    const [before, after] = [textOf(bytes), textOf(edited)]
    if (keepsComments(before, after)) return Result.succeed(edited)
    const cut = cutOut(bytes, change).find((text) => meansSame(text, after) && keepsComments(before, text))
    return cut === undefined ? refuse("not_verified") : Result.succeed(utf8(cut))
  })

/** What is around stays, emptied, where it cannot be taken away: a comment in it would fall to what stands before. */
const ifPossible: Editing = (bytes, change) => Result.orElse(plainly(bytes, change), () => Result.succeed(bytes))

/** It stays, too, rather than lose a comment in it. */
const ifKept: Editing = (bytes, change) =>
  Result.map(ifPossible(bytes, change), (edited) => (keepsComments(textOf(bytes), textOf(edited)) ? edited : bytes))

/** Places of one text that are tried. */
const mostPlaces = 32

const placesOf = (text: string, part: string): ReadonlyArray<number> => {
  const places: Array<number> = []
  for (let at = text.indexOf(part); at >= 0 && places.length < mostPlaces; at = text.indexOf(part, at + 1)) {
    places.push(at)
  }
  return places
}

/** Whether lines that were added are still lines of their own: what a user wrote behind the last one is not ours. */
const isApart = (text: string, at: number, added: string): boolean =>
  !added.includes("\n") || added.endsWith("\n") || /^(\r?\n|$)/.test(text.slice(at + added.length))

/** The text that stood there before, where that is still to be found. */
const asItWas = (text: string, wanted: string, { splice }: EditRecord): string | undefined =>
  placesOf(text, splice.added)
    .filter((at) => isApart(text, at, splice.added))
    .map((at) => text.slice(0, at) + splice.removed + text.slice(at + splice.added.length))
    .find((candidate) => meansSame(candidate, wanted) && keepsComments(text, candidate))

const undoEdit = (bytes: Uint8Array, record: EditRecord): Edited =>
  Result.flatMap(backOut(bytes, record, plainly, ifPossible), (wanted) => {
    const old = asItWas(textOf(bytes), textOf(wanted), record)
    return old === undefined ? backOut(bytes, record, carefully, ifKept) : Result.succeed(utf8(old))
  })

// ---- All of them.

const hashOf = (bytes: Uint8Array | undefined): string | null => (bytes === undefined ? null : sha256Of(bytes))

/** The text before a step, where the file is just as the step left it. */
const exactly = (
  bytes: Uint8Array,
  { before, edits }: Step
): { readonly bytes: Uint8Array | undefined } | undefined => {
  let text = textOf(bytes)
  for (const { splice } of edits.toReversed()) {
    const { added, removed, start } = splice
    if (!text.startsWith(added, start)) return undefined
    text = text.slice(0, start) + removed + text.slice(start + added.length)
  }
  if (before === null) return text === "" ? { bytes: undefined } : undefined
  const old = utf8(text)
  return sha256Of(old) === before ? { bytes: old } : undefined
}

export interface Undone {
  /** `undefined` for no file. */
  readonly bytes: Uint8Array | undefined
  /** Whose setting is left alone, because it says something else by now. */
  readonly left: ReadonlyArray<PluginName>
}

const undoStep = (now: Undone, step: Step): Result.Result<Undone, EditRefused> =>
  Result.gen(function* () {
    if (hashOf(now.bytes) === step.before) return now
    if (now.bytes !== undefined && sha256Of(now.bytes) === step.after) {
      const old = exactly(now.bytes, step)
      if (old !== undefined) return { ...now, ...old }
    }
    let bytes = now.bytes ?? nothing
    const left = [...now.left]
    for (const record of step.edits.toReversed()) {
      if (yield* isOurs(bytes, record.plugin)) bytes = yield* undoEdit(bytes, record)
      else left.push(record.plugin)
    }
    const isNone = bytes.length === 0 && (now.bytes === undefined || step.before === null)
    return { bytes: isNone ? undefined : bytes, left }
  })

export const undoSteps = (
  bytes: Uint8Array | undefined,
  steps: ReadonlyArray<Step>
): Result.Result<Undone, EditRefused> =>
  steps
    .toReversed()
    .reduce<Result.Result<Undone, EditRefused>>(
      (now, step) => Result.flatMap(now, (undone) => undoStep(undone, step)),
      Result.succeed({ bytes, left: [] })
    )
