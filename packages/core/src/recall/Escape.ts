/**
 * How recalled text is written inside the boundary: one line, no markup, nothing unseen. (recall-contract 1.4 "Block", T1)
 *
 * The host deletes everything between two tags that it knows, in any spelling, so no `<` of a memory may survive. What
 * is invisible could hide instructions or reorder what a person reads; it is left out, and what stands for nothing
 * (controls, lone surrogates) is shown as U+FFFD.
 */

/** White space of any kind, line breaks above all, because an item is one line. */
const space = /[\s\u0085\u2028\u2029]+/gu

/** Format characters (zero width, bidi, tags), and whatever else a font is to show as nothing. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

const control = /\p{Cc}/gu

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** One escaped line. The same text gives the same line. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(invisible, "")
    .replace(space, " ")
    .replace(control, "\ufffd")
    .trim()
    .replace(/[&<>]/g, (character) => entities[character] ?? "")
