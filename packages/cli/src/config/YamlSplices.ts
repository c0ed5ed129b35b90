/**
 * Which piece of a YAML file would have to be another for a change. (issue 5 item 4)
 *
 * Each function answers with pieces in the order in which they are to be tried; none needs to be right, because
 * `YamlEdit` reads the result of each.
 */
import * as Result from "effect/Result"
import { isMap, isScalar, isSeq, type Node, type YAMLSeq } from "yaml"
import { isNothing, itemsOf, type KeyPath, type MapNode, type MapPair, type Place } from "./YamlPlace.ts"
import { type EditRefused, refuse, sharedAnchor, type Source } from "./YamlSource.ts"
import { bodyLines, type Data, fitsBehindKey, flowText, pairLines } from "./YamlValue.ts"

/** `set` and `add` make what is missing on the way; `add` and `drop` are about one word of a list. */
export type Change =
  | { readonly op: "set"; readonly path: KeyPath; readonly value: Data }
  | { readonly op: "remove"; readonly path: KeyPath }
  | { readonly op: "add" | "drop"; readonly path: KeyPath; readonly item: string }

/** `text` stands where the characters from `start` to `end` stood. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

const breakOf = (text: string): string => /\r?\n/.exec(text)?.[0] ?? "\n"

const lineStart = (text: string, offset: number): number => text.lastIndexOf("\n", offset - 1) + 1

/** After the line break of the line in which the offset lies, or the end of the text. */
const lineEnd = (text: string, offset: number): number => {
  if (offset > 0 && text[offset - 1] === "\n") return offset
  const found = text.indexOf("\n", offset)
  return found < 0 ? text.length : found + 1
}

/** Before the break of the line before: the last line of a file without an end goes, and the one before becomes it. */
const breakBefore = (text: string, start: number): number =>
  start === 0 ? 0 : text[start - 2] === "\r" ? start - 2 : start - 1

/** What one deeper level is indented by in this file. */
const stepOf = ({ text, tree }: Source): string => {
  const root = tree.contents
  if (!isMap(root)) return "  "
  for (const { value } of itemsOf(root as MapNode)) {
    const first = isMap(value) && value.flow !== true ? itemsOf(value as MapNode)[0]?.key.range?.[0] : undefined
    if (first !== undefined && first > lineStart(text, first)) return " ".repeat(first - lineStart(text, first))
  }
  return "  "
}

const columnOf = (map: MapNode, { text }: Source): string => {
  const first = itemsOf(map)[0]?.key.range?.[0] ?? 0
  // A byte order mark is no column.
  return " ".repeat(text.slice(lineStart(text, first), first).replace("\uFEFF", "").length)
}

const afterColon = (pair: MapPair): number | undefined => {
  const colon = pair.srcToken?.sep?.find(({ type }) => type === "map-value-ind")
  return colon === undefined ? undefined : colon.offset + 1
}

/** Where the value ends; behind the colon or the key where there is none. */
const endOf = (pair: MapPair): number => {
  const [start = 0, end = 0] = pair.value?.range ?? []
  // The place of an empty value is somewhere behind the colon, maybe behind a comment.
  return end > start ? end : (afterColon(pair) ?? pair.key.range?.[1] ?? 0)
}

/** A block of text at the end of a file means another text once a line break follows, for some readers. */
const endsInBlockText = (node: Node | null): boolean => {
  if (isScalar(node)) return node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED"
  if (isMap(node)) return endsInBlockText(itemsOf(node as MapNode).at(-1)?.value ?? null)
  return isSeq(node) && endsInBlockText((node.items.at(-1) ?? null) as Node | null)
}

/** Behind the colon, or behind a comment in the key's own line: what is said there stays. */
const valueStart = (pair: MapPair, colon: number): number => {
  for (const { offset, type } of pair.srcToken?.sep ?? []) {
    if (offset < colon || type === "space" || type === "comment") continue
    return type === "newline" ? offset : colon
  }
  return colon
}

/** Lines put in at the start of a line, or behind a last line that has no end. */
const insertedLines = (text: string, at: number, lines: ReadonlyArray<string>): Splice => {
  const newline = breakOf(text)
  const body = lines.join(newline)
  const behindText = at > 0 && text[at - 1] !== "\n" && text.slice(0, at) !== "\uFEFF"
  return { start: at, end: at, text: behindText ? newline + body : body + newline }
}

/** The value of a pair in block style, whatever it was. */
const blockValue = (source: Source, pair: MapPair, map: MapNode, value: Data): ReadonlyArray<Splice> => {
  const colon = afterColon(pair)
  if (colon === undefined) return []
  const { text } = source
  const end = endOf(pair)
  const old = pair.value
  if (fitsBehindKey(value)) {
    const kept = { start: old?.range?.[0] ?? 0, end, text: flowText(value) }
    const whole = { start: colon, end, text: ` ${flowText(value)}${text[end - 1] === "\n" ? breakOf(text) : ""}` }
    const isWord = isScalar(old) && old.anchor === undefined && old.tag === undefined && end === old.range?.[1]
    return isWord && text[end - 1] !== "\n" ? [kept, whole] : [whole]
  }
  const newline = breakOf(text)
  const step = stepOf(source)
  const body = newline + bodyLines(value, columnOf(map, source) + step, step).join(newline)
  const ending = text[end - 1] === "\n" && end > colon ? newline : ""
  return [valueStart(pair, colon), colon].map((start) => ({ start: Math.min(start, end), end, text: body + ending }))
}

const flowValue = (pair: MapPair, value: Data): ReadonlyArray<Splice> => {
  const colon = afterColon(pair)
  const end = endOf(pair)
  return colon === undefined
    ? [{ start: end, end, text: `: ${flowText(value)}` }]
    : [{ start: colon, end, text: ` ${flowText(value)}` }]
}

const wrapped = (keys: ReadonlyArray<string>, value: Data): Data =>
  keys.reduceRight<Data>((inner, key) => ({ [key]: inner }), value)

/** A further pair or item in braces or brackets. `last`: where the last one ends. */
const intoFlow = (open: number, last: number | undefined, text: string): ReadonlyArray<Splice> =>
  last === undefined ? [{ start: open + 1, end: open + 1, text }] : [{ start: last, end: last, text: `, ${text}` }]

export const setSplices = (source: Source, place: Place, value: Data): ReadonlyArray<Splice> => {
  const { flow, map, missing, owner, pair } = place
  const { text } = source
  if (map !== undefined && pair !== undefined) {
    return flow ? flowValue(pair, value) : blockValue(source, pair, map, value)
  }
  if (map === undefined) {
    const below = wrapped(missing, value)
    if (owner !== undefined)
      return flow ? flowValue(owner.pair, below) : blockValue(source, owner.pair, owner.map, below)
    return [insertedLines(text, text.length, pairLines(missing, value, "", "  "))]
  }
  if (flow) {
    const last = itemsOf(map).at(-1)
    const added = flowText(wrapped(missing, value)).slice(1, -1)
    return intoFlow(map.range[0], last === undefined ? undefined : endOf(last), added)
  }
  const last = itemsOf(map).at(-1)
  if (last === undefined) return []
  const lines = pairLines(missing, value, columnOf(map, source), stepOf(source))
  const end = lineEnd(text, endOf(last))
  const open = end === text.length && text[end - 1] !== "\n" && endsInBlockText(last.value)
  return [insertedLines(text, open ? lineStart(text, itemsOf(map)[0]?.key.range?.[0] ?? 0) : end, lines)]
}

export const removeSplices = (source: Source, { flow, map, owner, pair }: Place): ReadonlyArray<Splice> => {
  if (map === undefined || pair === undefined) return []
  const { text } = source
  const items = itemsOf(map)
  const index = items.indexOf(pair)
  const start = pair.key.range?.[0] ?? 0
  if (flow) {
    const next = items[index + 1]?.key.range?.[0]
    const previous = items[index - 1]
    if (next !== undefined) return [{ start, end: next, text: "" }]
    if (previous !== undefined) return [{ start: endOf(previous), end: endOf(pair), text: "" }]
    const open = map.range[0] + 1
    return [
      { start: open, end: endOf(pair), text: "" },
      { start: open, end: map.range[1] - 1, text: "" }
    ]
  }
  if (items.length === 1 && owner !== undefined) return blockValue(source, owner.pair, owner.map, {})
  const from = lineStart(text, start)
  if (text.slice(from, start).trim() !== "") return []
  const end = lineEnd(text, endOf(pair))
  const open = end === text.length && text[end - 1] !== "\n" && !endsInBlockText(items[index - 1]?.value ?? null)
  return [{ start: open ? breakBefore(text, from) : from, end, text: "" }]
}

export const listOf = (source: Source, pair: MapPair): Result.Result<YAMLSeq.Parsed | undefined, EditRefused> => {
  const { value } = pair
  if (isNothing(value)) return Result.succeed(undefined)
  const line = source.lineOf(value?.range?.[0] ?? 0)
  if (!isSeq(value)) return refuse("not_list", line)
  if (value.tag !== undefined && value.tag !== "tag:yaml.org,2002:seq") return refuse("tag", line)
  if (sharedAnchor(value, source)) return refuse("shared_anchor", line)
  return Result.succeed(value as YAMLSeq.Parsed)
}

export const isItem = (node: unknown, item: string): boolean => isScalar(node) && node.value === item

const dashOf = (list: YAMLSeq.Parsed, index: number): number | undefined => {
  const token = list.srcToken
  return token?.type === "block-seq"
    ? token.items[index]?.start.find(({ type }) => type === "seq-item-ind")?.offset
    : undefined
}

export const itemSplices = (
  source: Source,
  place: Place,
  list: YAMLSeq.Parsed,
  change: Change
): ReadonlyArray<Splice> => {
  if (change.op !== "add" && change.op !== "drop") return []
  const { text } = source
  const nodes = list.items as unknown as ReadonlyArray<Node>
  const ends = nodes.map((node) => node.range?.[1] ?? 0)
  if (change.op === "add") {
    if (list.flow === true) return intoFlow(list.range[0], ends.at(-1), flowText(change.item))
    const dash = dashOf(list, nodes.length - 1)
    if (dash === undefined) return []
    const indent = text.slice(lineStart(text, dash), dash)
    return [insertedLines(text, lineEnd(text, ends.at(-1) ?? dash), [`${indent}- ${flowText(change.item)}`])]
  }
  const index = nodes.findIndex((node) => isItem(node, change.item))
  if (nodes.length === 1 && place.pair !== undefined && place.map !== undefined) {
    return place.flow ? flowValue(place.pair, []) : blockValue(source, place.pair, place.map, [])
  }
  const start = nodes[index]?.range?.[0] ?? 0
  const end = ends[index] ?? 0
  if (list.flow === true) {
    const next = nodes[index + 1]?.range?.[0]
    return [next === undefined ? { start: ends[index - 1] ?? start, end, text: "" } : { start, end: next, text: "" }]
  }
  const dash = dashOf(list, index)
  if (dash === undefined || text.slice(lineStart(text, dash), dash).trim() !== "") return []
  const from = lineStart(text, dash)
  const to = lineEnd(text, end)
  const open = to === text.length && text[to - 1] !== "\n" && !endsInBlockText(nodes[index - 1] ?? null)
  return [{ start: open ? breakBefore(text, from) : from, end: to, text: "" }]
}
