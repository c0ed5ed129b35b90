/**
 * The front matter of a note: title, tags and aliases, and nothing that could run. (cases/notes.md 54, 55, 56)
 *
 * The YAML library only builds the tree of nodes here, and of it only plain scalars are taken. Anchors are never
 * followed, so an alias bomb stays as small as it is written; a tag of any kind, an error or a warning makes the whole
 * block plain text, as it is to a reader. Keys are not text.
 */
import * as Result from "effect/Result"
import { type Document, isMap, isScalar, isSeq, parseDocument } from "yaml"

/** UTF-16 units of a block; a longer one is plain text. */
export const maxFrontMatter = 8_192
/** Levels of nesting below the top; what lies deeper is not looked at. */
const maxDepth = 8

export interface FrontMatter {
  readonly title: string | undefined
  readonly aliases: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  /** Every other scalar value, found by substring alone. */
  readonly others: ReadonlyArray<string>
  /** Where the body starts, in UTF-16 units. */
  readonly bodyAt: number
}

const opening = /^---[ \t]*(?:\r\n|\r|\n)/u
const closing = /(?:^|\r\n|\r|\n)(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|$)/u

/** The front matter at the start of a text, or undefined where there is none that can be understood. */
export const frontMatterOf = (text: string): FrontMatter | undefined => {
  const start = opening.exec(text)?.[0].length
  if (start === undefined) return undefined
  const rest = text.slice(start, start + maxFrontMatter)
  const end = closing.exec(rest)
  if (end === null || end.index + end[0].length > maxFrontMatter) return undefined
  const block = rest.slice(0, end.index)
  const bodyAt = start + end.index + end[0].length
  // Nesting that exhausts the stack is broken front matter, not a crash.
  const parsed = Result.try({ try: () => valuesOf(block), catch: () => undefined })
  return Result.isSuccess(parsed) && parsed.success !== undefined ? { ...parsed.success, bodyAt } : undefined
}

type Values = Omit<FrontMatter, "bodyAt">

const valuesOf = (block: string): Values | undefined => {
  const document: Document = parseDocument(block, {
    schema: "core",
    customTags: [],
    resolveKnownTags: false,
    merge: false,
    uniqueKeys: true,
    prettyErrors: false,
    logLevel: "silent"
  })
  if (document.errors.length > 0 || document.warnings.length > 0) return undefined
  const { contents } = document
  if (contents === null) return { title: undefined, aliases: [], tags: [], others: [] }
  if (!isMap(contents)) return undefined
  let title: string | undefined
  const aliases: Array<string> = []
  const tags: Array<string> = []
  const others: Array<string> = []
  for (const { key, value } of contents.items) {
    const name = isScalar(key) ? String(key.value).toLowerCase() : undefined
    if (name === "title") title = wordsOf(value)
    else if (name === "tags" || name === "tag") tags.push(...listOf(value).flatMap(tagsIn))
    else if (name === "aliases" || name === "alias") aliases.push(...listOf(value))
    else {
      collect(value, others, 0)
      continue
    }
    // What is no title, tag or alias for its shape is a value like any other.
    for (const item of name === "title" ? [value] : itemsOf(value)) if (!isScalar(item)) collect(item, others, 0)
  }
  return { title, aliases, tags, others }
}

/** A scalar as it was written; nothing for null, an anchor's alias or a collection. */
const wordsOf = (node: unknown): string | undefined => {
  if (!isScalar(node) || node.tag !== undefined || node.value === null) return undefined
  const text = typeof node.value === "string" ? node.value : (node.source ?? String(node.value))
  return text.trim() === "" ? undefined : text.trim()
}

const itemsOf = (node: unknown): ReadonlyArray<unknown> => (isSeq(node) ? node.items : [node])

const listOf = (node: unknown): ReadonlyArray<string> =>
  itemsOf(node)
    .map(wordsOf)
    .filter((text) => text !== undefined)

/** `tags: one, two` and `tags: "#one #two"` are two tags each. */
const tagsIn = (text: string): ReadonlyArray<string> =>
  text
    .split(/[,\s]+/u)
    .map((tag) => tag.replace(/^#+/u, ""))
    .filter((tag) => tag !== "")

const collect = (node: unknown, into: Array<string>, depth: number): void => {
  const text = wordsOf(node)
  if (text !== undefined) into.push(text)
  else if (depth === maxDepth) return
  else if (isSeq(node)) for (const item of node.items) collect(item, into, depth + 1)
  else if (isMap(node)) for (const { value } of node.items) collect(value, into, depth + 1)
}
