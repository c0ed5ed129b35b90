/**
 * Cuts a word out of a list, or a key with its value out of a mapping, and nothing around it: comments beside it, and
 * between it and the key above, stay where they are. (issue 7 item 4: comments of the user survive)
 *
 * As in `YamlSplices`, the answers are candidates; who asked reads each of them.
 */
import * as Result from "effect/Result"
import { isMap, isSeq, type Node } from "yaml"
import type { Change } from "../config/YamlEdit.ts"
import { findPlace, itemsOf, type MapPair, type Place } from "../config/YamlPlace.ts"
import { parse, type Source } from "../config/YamlSource.ts"
import { isItem } from "../config/YamlSplices.ts"

interface Piece {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The piece, with its line if nothing else stands there. */
const withLine = (text: string, start: number, end: number): Piece => {
  const from = text.lastIndexOf("\n", start - 1) + 1
  const found = text.indexOf("\n", end)
  const to = found < 0 ? text.length : found + 1
  const isAlone = (text.slice(from, start) + text.slice(end, to)).trim() === ""
  return isAlone ? { start: from, end: to, text: "" } : { start, end, text: "" }
}

const behindColon = (pair: MapPair, text: string): Piece | undefined => {
  const colon = pair.srcToken?.sep?.find(({ type }) => type === "map-value-ind")
  return colon === undefined ? undefined : { start: colon.offset + 1, end: colon.offset + 1, text }
}

const itemPieces = ({ text }: Source, { pair }: Place, item: string): ReadonlyArray<Piece | undefined> => {
  if (pair === undefined || !isSeq(pair.value)) return []
  const nodes = pair.value.items as ReadonlyArray<Node>
  const index = nodes.findIndex((node) => isItem(node, item))
  const [start = 0, end = 0] = nodes[index]?.range ?? []
  if (pair.value.flow === true) {
    const comma = text.indexOf(",", end)
    const alone = nodes.length === 1 ? [{ start, end, text: "" }] : []
    return comma < 0 ? alone : [...alone, { start, end: comma + 1, text: "" }]
  }
  const dash = text.lastIndexOf("-", start - 1)
  return [withLine(text, dash, end), ...(nodes.length === 1 ? [behindColon(pair, " []")] : [])]
}

const pairPieces = ({ text }: Source, { map, owner, pair }: Place): ReadonlyArray<Piece | undefined> => {
  if (pair === undefined || map === undefined) return []
  const end = pair.value?.range?.[1] ?? pair.key.range?.[1] ?? 0
  const isOnly = owner !== undefined && isMap(owner.pair.value) && itemsOf(map).length === 1
  return [withLine(text, pair.key.range?.[0] ?? 0, end), ...(isOnly ? [behindColon(owner.pair, " {}")] : [])]
}

const applied = (text: string, pieces: ReadonlyArray<Piece>): string =>
  pieces
    .toSorted((one, other) => other.start - one.start)
    .reduce((now, piece) => now.slice(0, piece.start) + piece.text + now.slice(piece.end), text)

/** The whole text after it. */
export const cutOut = (bytes: Uint8Array, change: Change): ReadonlyArray<string> =>
  Result.getOrElse(
    Result.gen(function* () {
      const source = yield* parse(bytes)
      const place = yield* findPlace(source, change.path)
      const pieces =
        change.op === "drop"
          ? itemPieces(source, place, change.item)
          : change.op === "remove"
            ? pairPieces(source, place)
            : []
      return pieces.length === 0 || pieces.includes(undefined)
        ? []
        : [applied(source.text, pieces as ReadonlyArray<Piece>)]
    }),
    () => []
  )
