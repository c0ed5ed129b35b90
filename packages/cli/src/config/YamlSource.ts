/**
 * A YAML file as bytes, as a tree with places, and as the data that a host would read. (issue 5 item 4, issue 7 item 4)
 *
 * Hosts read with YAML 1.1 or 1.2, so a file is data only where both agree that it is well-formed, and every comparison
 * is made for both. What could be read in two ways is refused with its line, never guessed at.
 */
import { decodeUtf8 } from "@memory-bridge/platform-posix/Utf8"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Document, isAlias, isMap, LineCounter, type Node, parseAllDocuments, parseDocument, visit } from "yaml"

/** Bytes of a file that is edited. */
export const maxBytes = 1024 * 1024

/**
 * - `too_large`, `not_utf8`, `not_yaml`, `several_documents`: the file as a whole
 * - `odd_line_break`: a character that only some readers take for the end of a line
 * - `duplicate_key`: the same key twice in one mapping, anywhere
 * - `merge_key`, `alias`, `tag`, `odd_key`, `not_mapping`, `not_list`: something on the way to the key, or the value itself
 * - `shared_anchor`: what would change is used in another place of the file too
 * - `ambiguous`: readers of YAML 1.1 and of 1.2 take the value for something else
 * - `path_unsupported`, `value_unsupported`: the caller asks for a key or a value that has no plain form
 * - `not_verified`: no way to write the change read back as meant
 */
export const editReasons = [
  "too_large",
  "not_utf8",
  "not_yaml",
  "several_documents",
  "odd_line_break",
  "duplicate_key",
  "merge_key",
  "alias",
  "tag",
  "odd_key",
  "not_mapping",
  "not_list",
  "shared_anchor",
  "ambiguous",
  "path_unsupported",
  "value_unsupported",
  "not_verified"
] as const
export type EditReason = (typeof editReasons)[number]

export class EditRefused extends Schema.TaggedError<EditRefused>()("EditRefused", {
  reason: Schema.Literals(editReasons),
  /** From 1; 0 where the reason is about the whole. */
  line: Schema.Number
}) {}

export const refuse = (reason: EditReason, line = 0): Result.Result<never, EditRefused> =>
  Result.fail(new EditRefused({ reason, line }))

/** What the two kinds of reader make of a text; mappings are maps, because a key may be a number. */
type Readings = readonly [of11: unknown, of12: unknown]

export interface Source {
  readonly text: string
  /** Of YAML 1.2; the places are the same in both versions. */
  readonly tree: Document.Parsed
  readonly readings: Readings
  readonly lineOf: (offset: number) => number
}

/** Break lines for readers of YAML 1.1, or for some of them, and are content for the others. */
const oddBreak = /\r(?!\n)|[\u0085\u2028\u2029]/

const versions = ["1.1", "1.2"] as const

const documentOf = (text: string, version: (typeof versions)[number]): Result.Result<Document.Parsed, EditRefused> => {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, {
    version,
    keepSourceTokens: true,
    lineCounter: lines,
    logLevel: "silent",
    prettyErrors: false
  })
  if (documents.length > 1) return refuse("several_documents")
  // Nothing but comments is a file without a document; it means the same as an empty one.
  const [document = emptyDocument()] = documents
  const [error] = document.errors
  if (error === undefined) return Result.succeed(document as Document.Parsed)
  const { line } = lines.linePos(error.pos[0])
  return refuse(error.code === "DUPLICATE_KEY" ? "duplicate_key" : "not_yaml", line)
}

const emptyDocument = () => parseDocument("")

/** Aliases that expand too far, merges of what is no mapping and other things that only show when data are made. */
const dataOf = (document: Document.Parsed): Result.Result<unknown, EditRefused> =>
  Result.try({
    try: (): unknown => document.toJS({ mapAsMap: true }) ?? null,
    catch: () => new EditRefused({ reason: "not_yaml", line: 0 })
  })

/** Reads bytes as a host would, or says why that is not the same for every host. */
export const parse = (bytes: Uint8Array): Result.Result<Source, EditRefused> => {
  if (bytes.length > maxBytes) return refuse("too_large")
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const text = decodeUtf8(buffer, 0, buffer.length)
  return text === undefined ? refuse("not_utf8") : parseText(text)
}

export const parseText = (text: string): Result.Result<Source, EditRefused> => {
  const odd = oddBreak.exec(text)
  const lineOf = (offset: number): number => text.slice(0, offset).split("\n").length
  if (odd !== null) return refuse("odd_line_break", lineOf(odd.index))
  // The parser recurses; nesting that exhausts the stack is refused, not crashed on.
  return Result.flatMap(
    Result.try({
      try: () => Result.all([documentOf(text, "1.1"), documentOf(text, "1.2")] as const),
      catch: () => new EditRefused({ reason: "not_yaml", line: 0 })
    }),
    (parsed) =>
      Result.flatMap(parsed, ([old, tree]) =>
        Result.map(Result.all([dataOf(old), dataOf(tree)] as const), (readings) => ({ text, tree, readings, lineOf }))
      )
  )
}

/** Names of anchors that are used between two offsets, or outside of them. */
export const aliasNames = (tree: Document.Parsed, counts: (offset: number) => boolean): ReadonlySet<string> => {
  const names = new Set<string>()
  visit(tree, {
    Alias: (_key, alias) => {
      if (counts(alias.range?.[0] ?? 0)) names.add(alias.source)
    }
  })
  return names
}

export const anchorNames = (node: Node | null): ReadonlyArray<string> => {
  const names: Array<string> = []
  if (node === null) return names
  visit(node, {
    Node: (_key, inner) => {
      if (!isAlias(inner) && inner.anchor !== undefined && inner.anchor !== "") names.push(inner.anchor)
    }
  })
  return names
}

const standardMap = "tag:yaml.org,2002:map"

/** Whether one may go through this node: a mapping that is itself and whose keys are words. */
export const wayRefusal = (node: Node, source: Source): EditRefused | undefined => {
  const line = source.lineOf(node.range?.[0] ?? 0)
  const because = (reason: EditReason) => new EditRefused({ reason, line })
  if (isAlias(node)) return because("alias")
  if (!isMap(node)) return because("not_mapping")
  if (node.tag !== undefined && node.tag !== standardMap) return because("tag")
  if (sharedAnchor(node, source)) return because("shared_anchor")
  for (const { key } of node.items) {
    if (isAlias(key)) return because("alias")
    if (typeof key === "object" && key !== null && "value" in key && key.value === "<<") return because("merge_key")
  }
  return undefined
}

export const sharedAnchor = (node: Node, { tree }: Source): boolean =>
  !isAlias(node) && node.anchor !== undefined && aliasNames(tree, () => true).has(node.anchor)
