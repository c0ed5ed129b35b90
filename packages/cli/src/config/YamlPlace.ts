/**
 * Where in a YAML file a key stands, or would stand. (issue 5 item 4)
 *
 * The way leads through mappings that are themselves and whose keys are plain words; anything else is refused.
 */
import * as Result from "effect/Result"
import { isMap, isScalar, type Node, type Pair, type YAMLMap } from "yaml"
import { type EditRefused, refuse, type Source, wayRefusal } from "./YamlSource.ts"

/** Keys from the top; each a plain word. */
export type KeyPath = readonly [string, ...ReadonlyArray<string>]

export type MapNode = YAMLMap.Parsed
export type MapPair = Pair<Node, Node | null>

export const itemsOf = (map: MapNode): ReadonlyArray<MapPair> => map.items as unknown as ReadonlyArray<MapPair>

/** The last mapping on the way that is there, and what is missing below it. */
export interface Place {
  readonly map: MapNode | undefined
  /** The pair that `map` is the value of, and the mapping in which that stands. */
  readonly owner: { readonly pair: MapPair; readonly map: MapNode } | undefined
  /** Whether the mapping, or one around it, is written in braces. */
  readonly flow: boolean
  /** The pair for the whole path, where it is there. */
  readonly pair: MapPair | undefined
  readonly missing: ReadonlyArray<string>
}

export const isNothing = (node: Node | null): boolean =>
  node === null || (isScalar(node) && node.value === null && node.anchor === undefined && node.tag === undefined)

/** Braces with nothing between them, which may as well not be there. */
const isEmptyBraces = (node: Node | null, { text }: Source): boolean =>
  isMap(node) &&
  node.flow === true &&
  node.anchor === undefined &&
  node.tag === undefined &&
  /^\{ *\}$/.test(text.slice(node.range?.[0] ?? 0, node.range?.[1] ?? 0))

const isExplicit = (pair: MapPair): boolean =>
  pair.srcToken?.start.some(({ type }) => type === "explicit-key-ind") ?? true

/** A key's own properties: such a key is not the plain word that is looked for. */
const isDecorated = ({ key }: MapPair): boolean => isScalar(key) && (key.anchor !== undefined || key.tag !== undefined)

export const findPlace = (source: Source, path: KeyPath): Result.Result<Place, EditRefused> => {
  let node: Node | null = source.tree.contents as Node | null
  let owner: Place["owner"]
  let flow = false
  for (const [depth, key] of path.entries()) {
    const missing = path.slice(depth)
    if (isNothing(node) || (depth > 0 && !flow && isEmptyBraces(node, source))) {
      return Result.succeed({ map: undefined, owner, flow, pair: undefined, missing })
    }
    const refusal = wayRefusal(node as Node, source)
    if (refusal !== undefined) return Result.fail(refusal)
    const map = node as MapNode
    flow ||= map.flow === true
    const pair = itemsOf(map).find((item) => isScalar(item.key) && item.key.value === key)
    if (pair === undefined) return Result.succeed({ map, owner, flow, pair, missing })
    if (isExplicit(pair) || isDecorated(pair)) return refuse("odd_key", source.lineOf(pair.key.range?.[0] ?? 0))
    if (depth === path.length - 1) return Result.succeed({ map, owner, flow, pair, missing: [] })
    owner = { pair, map }
    node = pair.value
  }
  return refuse("path_unsupported")
}
