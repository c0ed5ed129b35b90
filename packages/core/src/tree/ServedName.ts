/**
 * Which names are ever served, by the character set that a root's policy has. (seed 000 "Symlinks, hidden names, names
 * outside…"; design.md section 7 "names")
 *
 * `portable` is the seed's. `unicode` serves what people call their notes: spaces, accents, CJK, emoji, signs. It refuses
 * what an eye cannot see or what means something else to another program: control, bidi, zero-width and other invisible
 * characters, unassigned and private ones, line separators, the three that separate paths or streams elsewhere, a leading
 * dot, a trailing dot or space. An emoji of Unicode's own list may hold the joiners that it is made of.
 *
 * A name is never changed: an id holds it exactly as the directory does, so two spellings are two ids.
 */
import { isServedName as isPortable } from "./DocumentId.ts"

export const nameSets = ["portable", "unicode"] as const
export type NameSet = (typeof nameSets)[number]

/** Bytes. What file systems agree on. */
export const maxNameBytes = 255

// From a string, because the compiler's target does not know the flag; every Node that runs this does.
const emoji = new RegExp("\\p{RGI_Emoji}", "gv")
// \p{C} holds control, format (bidi, zero-width, tags), private, unassigned and unpaired surrogates.
const refused = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}:\\/]/u
const edges = /^\.|[.\p{Zs}]$/u

const bytesOf = (name: string): number => {
  let bytes = 0
  for (const character of name) {
    const point = character.codePointAt(0)!
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
  }
  return bytes
}

const isUnicode = (name: string): boolean =>
  name !== "" &&
  name.length <= maxNameBytes &&
  !edges.test(name) &&
  // Looking for emoji costs more than all else and is seldom needed.
  (!refused.test(name) || !refused.test(name.replace(emoji, ""))) &&
  bytesOf(name) <= maxNameBytes

/** Whether a name of a file or directory is of the served kind. */
export const servedBy: Readonly<Record<NameSet, (name: string) => boolean>> = {
  portable: isPortable,
  unicode: isUnicode
}
