/**
 * The id of a document: its path relative to the root. (seed 000 "Tools" and "Search ids have valid read syntax")
 *
 * Two separate questions are answered here, both by the string alone:
 * - is it an id at all? If not, the request is invalid: absolute, empty or dot segments, too long, control characters.
 * - is each name one that is ever served? If not, the document is simply not found: hidden, odd or not Markdown.
 * A `DocumentId` can only come from `parse` or from the scan, which builds ids under the same limits.
 */
declare const brand: unique symbol
export type DocumentId = string & { readonly [brand]: true }

/** UTF-16 code units. */
export const maxIdLength = 512
export const maxIdSegments = 16

export type IdDefect = "empty" | "too_long" | "too_deep" | "absolute" | "bad_segment" | "control_character"

// Backslash is a separator elsewhere and never part of a served name.
const controlOrBackslash = /[\p{Cc}\u2028\u2029\\]/u

/** The names of an id from its root on, or what is wrong with the string. */
export const parse = (text: string): DocumentId | { readonly defect: IdDefect } => {
  if (text === "") return { defect: "empty" }
  if (text.length > maxIdLength) return { defect: "too_long" }
  if (text.startsWith("/")) return { defect: "absolute" }
  if (controlOrBackslash.test(text) || !text.isWellFormed()) return { defect: "control_character" }
  const segments = text.split("/")
  if (segments.length > maxIdSegments) return { defect: "too_deep" }
  return segments.some((segment) => segment === "" || segment === "." || segment === "..")
    ? { defect: "bad_segment" }
    : (text as DocumentId)
}

export const segmentsOf = (id: DocumentId): ReadonlyArray<string> => id.split("/")

/** The name of the file alone, without its folders and the name of its root. No served name holds a colon. */
export const fileNameOf = (id: string): string => id.slice(Math.max(id.lastIndexOf("/"), id.lastIndexOf(":")) + 1)

const portable = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/

/** Whether a name is of the served kind: the portable character set, not hidden. */
export const isServedName = (name: string): boolean => portable.test(name)

/** Whether a file of that name is Markdown. Exact: `.MD` is not. */
export const isMarkdownName = (name: string): boolean => name.endsWith(".md") && name.length > 3

/** The id of `name` below `parent` ("" is the root), or `undefined` where it would break the id limits. */
export const childId = (parent: string, depth: number, name: string): DocumentId | undefined =>
  depth >= maxIdSegments || parent.length + name.length + (parent === "" ? 0 : 1) > maxIdLength
    ? undefined
    : ((parent === "" ? name : `${parent}/${name}`) as DocumentId)
