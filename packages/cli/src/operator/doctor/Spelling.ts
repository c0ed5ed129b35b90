/**
 * Which served names could be taken for another, or be lost on the way? (design.md section 7 "names"; issue 8)
 *
 * An id holds a name as the directory does. What normalises text on its way to a model and back cannot read a name that
 * is not in NFC, and two names that differ in case or Unicode form alone are one to many a reader and file system. Each
 * name counts once, a directory's too.
 */
import { foldName } from "@memory-bridge/core/policy/Pattern"

export interface Counted {
  readonly count: number
  readonly examples: ReadonlyArray<string>
}

/** Every path that the ids go through, directories with a slash at their end, in the order of the ids. */
const pathsOf = (ids: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    ids.flatMap((id) => {
      const names = id.split("/")
      return names.map((_, depth) => names.slice(0, depth + 1).join("/") + (depth === names.length - 1 ? "" : "/"))
    })
  )

/** A path as its directory and its name; the name of a root is not part of it. */
const partsOf = (path: string): readonly [directory: string, name: string] => {
  const end = Math.max(path.lastIndexOf("/", path.length - 2), path.lastIndexOf(":")) + 1
  return [path.slice(0, end), path.slice(end).replace(/\/$/, "")]
}

/** Names that are not in NFC. */
export const notComposed = (ids: ReadonlyArray<string>): Counted => {
  const found = Array.from(pathsOf(ids)).filter((path) => {
    const [, name] = partsOf(path)
    return name !== name.normalize("NFC")
  })
  return { count: found.length, examples: found.slice(0, 1) }
}

/** Names that have a twin in their directory; the examples are two of one kind. */
export const twinsIn = (ids: ReadonlyArray<string>): Counted => {
  const alike = new Map<string, Array<string>>()
  for (const path of pathsOf(ids)) {
    const [directory, name] = partsOf(path)
    const key = directory + foldName(name)
    const before = alike.get(key)
    if (before === undefined) alike.set(key, [path])
    else before.push(path)
  }
  const groups = Array.from(alike.values()).filter((group) => group.length > 1)
  return {
    count: groups.reduce((sum, group) => sum + group.length, 0),
    examples: groups[0]?.slice(0, 2) ?? []
  }
}

/** The text with every character escaped that its composed form lacks, so that a reader sees how it is spelled. */
export const spelledOut = (text: string): string => {
  const composed = new Set(text.normalize("NFC"))
  return Array.from(text, (character) =>
    composed.has(character) ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`
  ).join("")
}
