/**
 * One change to a YAML file, byte for byte the same outside of what is changed. (issue 5 item 4: "comments and order
 * kept"; issue 7 item 4 uses it too)
 *
 * The text is never printed anew: a piece is cut out and another put in its place. Whether that piece was the right one
 * is not argued but checked: the result is read again, by the rules of YAML 1.1 and of 1.2, and its data must be the old
 * data with the one change. What cannot be edited that way is refused with a reason and left as it is.
 */
import * as Result from "effect/Result"
import { isDeepStrictEqual } from "node:util"
import { isSeq } from "yaml"
import { findPlace, type KeyPath, type MapPair, type Place } from "./YamlPlace.ts"
import {
  aliasNames,
  anchorNames,
  type EditReason,
  type EditRefused,
  parse,
  parseText,
  refuse,
  type Source
} from "./YamlSource.ts"
import { type Change, isItem, itemSplices, listOf, removeSplices, setSplices, type Splice } from "./YamlSplices.ts"
import { type Data, isData, isPlain } from "./YamlValue.ts"

export type { Change, KeyPath, Splice }

export interface Edited {
  readonly bytes: Uint8Array
  /** `undefined` where the file says it already. */
  readonly splice: Splice | undefined
}

export type Setting = { readonly state: "unset" } | { readonly state: "value"; readonly value: Data }

const asRead = (value: Data): unknown => {
  if (typeof value === "number") return value === 0 ? 0 : value
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(asRead)
  return new Map(Object.entries(value).map(([key, member]) => [key, asRead(member)]))
}

const isMapping = (data: unknown): data is ReadonlyMap<unknown, unknown> => data instanceof Map

const leaf = (change: Change, old: unknown): unknown => {
  switch (change.op) {
    case "set":
      return asRead(change.value)
    case "add":
      return [...(Array.isArray(old) ? old : []), change.item]
    case "drop":
      return Array.isArray(old) ? old.filter((item) => item !== change.item) : old
    case "remove":
      return undefined
  }
}

const changed = (data: unknown, [key, ...deeper]: ReadonlyArray<string>, change: Change): unknown => {
  const copy = new Map(isMapping(data) ? data : [])
  if (deeper.length > 0) return copy.set(key, changed(copy.get(key), deeper, change))
  if (change.op === "remove") copy.delete(key)
  else copy.set(key, leaf(change, copy.get(key)))
  return copy
}

/** A file whose last key was removed holds nothing, which is no other than an empty mapping. */
const top = (data: unknown): unknown => data ?? new Map()

const isVerified = (text: string, source: Source, change: Change): boolean => {
  const after = parseText(text)
  if (Result.isFailure(after)) return false
  return source.readings.every((before, index) =>
    isDeepStrictEqual(top(after.success.readings[index]), changed(before, change.path, change))
  )
}

const apply = (text: string, { end, start, text: added }: Splice): string =>
  text.slice(0, start) + added + text.slice(end)

/** What goes away must not be used elsewhere. */
const losesAnchor = ({ tree }: Source, pair: MapPair | undefined): boolean => {
  const value = pair?.value ?? null
  const lost = anchorNames(value)
  const [from = 0, to = 0] = value?.range ?? []
  const used = lost.length === 0 ? undefined : aliasNames(tree, (offset) => offset < from || offset >= to)
  return lost.some((name) => used?.has(name))
}

const saysItAlready = (source: Source, change: Change): boolean =>
  source.readings.every((before) => isDeepStrictEqual(top(before), changed(before, change.path, change)))

const splicesFor = (
  source: Source,
  place: Place,
  change: Change
): Result.Result<ReadonlyArray<Splice>, EditRefused> => {
  const { pair } = place
  const line = source.lineOf(pair?.key.range?.[0] ?? 0)
  switch (change.op) {
    case "set":
    case "remove":
      if (losesAnchor(source, pair)) return refuse("shared_anchor", line)
      return Result.succeed(
        change.op === "set" ? setSplices(source, place, change.value) : removeSplices(source, place)
      )
    case "add":
    case "drop":
      if (pair === undefined) return Result.succeed(setSplices(source, place, [change.item]))
      return Result.map(listOf(source, pair), (list) =>
        list === undefined || list.items.length === 0
          ? setSplices(source, place, [change.item])
          : itemSplices(source, place, list, change)
      )
  }
}

/** Whether the way to something that is to be taken away does not lead anywhere. */
const isAbsent = ({ pair }: Place, change: Change): boolean =>
  pair === undefined && (change.op === "remove" || change.op === "drop")

const hasItem = ({ pair }: Place, item: string): boolean =>
  isSeq(pair?.value) && pair.value.items.some((node) => isItem(node, item))

const isDone = (source: Source, place: Place, change: Change): boolean => {
  if (isAbsent(place, change)) return true
  switch (change.op) {
    case "add":
      return hasItem(place, change.item)
    case "drop":
      return isSeq(place.pair?.value) && !hasItem(place, change.item)
    case "set":
      return saysItAlready(source, change)
    case "remove":
      return false
  }
}

const badChange = (change: Change): EditReason | undefined => {
  if (!change.path.every(isPlain)) return "path_unsupported"
  if (change.op === "set" && !isData(change.value)) return "value_unsupported"
  return (change.op === "add" || change.op === "drop") && !isPlain(change.item) ? "value_unsupported" : undefined
}

export const edit = (bytes: Uint8Array, change: Change): Result.Result<Edited, EditRefused> => {
  const bad = badChange(change)
  if (bad !== undefined) return refuse(bad)
  return Result.flatMap(parse(bytes), (source) =>
    Result.flatMap(findPlace(source, change.path), (place): Result.Result<Edited, EditRefused> => {
      if (isDone(source, place, change)) return Result.succeed({ bytes, splice: undefined })
      return Result.flatMap(splicesFor(source, place, change), (splices): Result.Result<Edited, EditRefused> => {
        const splice = splices.find((candidate) => isVerified(apply(source.text, candidate), source, change))
        if (splice === undefined) return refuse("not_verified", source.lineOf(place.pair?.key.range?.[0] ?? 0))
        return Result.succeed({ bytes: new TextEncoder().encode(apply(source.text, splice)), splice })
      })
    })
  )
}

/** Plain data, where every key is text. */
const plainData = (read: unknown): unknown => {
  if (Array.isArray(read)) return read.map(plainData)
  if (!isMapping(read)) return read
  const pairs = [...read].map(
    ([key, member]) => [typeof key === "string" ? key : undefined, plainData(member)] as const
  )
  return pairs.some(([key]) => key === undefined) ? undefined : Object.fromEntries(pairs)
}

/** What stands at a path now. A value that readers of YAML 1.1 and 1.2 disagree about is none. */
export const valueAt = (bytes: Uint8Array, path: KeyPath): Result.Result<Setting, EditRefused> =>
  Result.flatMap(parse(bytes), (source) =>
    Result.flatMap(findPlace(source, path), ({ pair }): Result.Result<Setting, EditRefused> => {
      if (pair === undefined) return Result.succeed({ state: "unset" })
      const line = source.lineOf(pair.key.range?.[0] ?? 0)
      const [old, now] = source.readings.map((data) =>
        path.reduce<unknown>((inner, key) => (isMapping(inner) ? inner.get(key) : undefined), data)
      )
      if (!isDeepStrictEqual(old, now)) return refuse("ambiguous", line)
      const value = plainData(now)
      return isData(value) ? Result.succeed({ state: "value", value }) : refuse("value_unsupported", line)
    })
  )
