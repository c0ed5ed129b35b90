/**
 * How recalled text is written inside the boundary: one line, no markup, nothing unseen. (recall-contract 1.4 "Block", T1)
 *
 * The host deletes everything between two tags that it knows, in any spelling, so no `<` of a memory may survive. What
 * is invisible could hide instructions or reorder what a person reads; it is left out, and what stands for nothing
 * (controls, lone surrogates) is shown as U+FFFD.
 */

/** White space of any kind, line breaks above all, because an item is one line. */
const space = /[\s\u0085\u2028\u2029]+/gu

const tag = "\\u{e0000}-\\u{e007f}"
const selectors = "\\u{fe00}-\\u{fe0f}\\u{e0100}-\\u{e01ef}"
/** Format characters: zero width, bidi, soft hyphen and the like; fillers that show as nothing; selectors and tags. */
const invisible = new RegExp(
  `[\\p{Cf}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\uffa0${selectors}${tag}]`,
  "gu"
)

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
