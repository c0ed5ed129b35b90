/**
 * Paths for people and for their shell. (design.md section 1: the operator must be able to find out why)
 *
 * A quoted path can be pasted into a POSIX shell and names exactly the path, whatever is in it. Characters that a
 * terminal would act on, or not show, are written as escapes, so that a path cannot draw something else.
 */

/** Control, format (bidi, zero width) and line separator characters. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

const byteEscapes = (character: string): string =>
  Array.from(new TextEncoder().encode(character), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")

const ansiC = (path: string): string =>
  Array.from(path, (character) =>
    invisible.test(character) ? byteEscapes(character) : /['\\]/.test(character) ? `\\${character}` : character
  ).join("")

/** One shell word. */
export const quote = (path: string): string =>
  invisible.test(path) ? `$'${ansiC(path)}'` : `'${path.replaceAll("'", String.raw`'\''`)}'`

/** The path as it is, or quoted where a terminal would not show it as it is. */
export const show = (path: string): string => (invisible.test(path) ? quote(path) : path)
