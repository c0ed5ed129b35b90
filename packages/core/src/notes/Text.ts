/** How text is compared and shown: folding for search, clean lines for people and models. */

const isAscii = (text: string): boolean => !/\P{ASCII}/u.test(text)

/**
 * Folds case and Unicode form, so that composed and decomposed, upper and lower spellings are one. The final sigma
 * folds to the common one: lower case alone depends on where it stands.
 */
export const fold = (text: string): string =>
  isAscii(text) ? text.toLowerCase() : text.normalize("NFC").toLowerCase().replaceAll("ς", "σ").normalize("NFC")

// Tab, line feed, form feed and carriage return are text.
const control = /(?![\t\n\f\r])\p{Cc}/gu

/** Replaces each control character by U+FFFD: none reaches a terminal or a model raw. */
export const withoutControls = (text: string): string => text.replace(control, "\ufffd")

/** One line: runs of white space become one space, none at the ends, no control characters. */
export const collapse = (text: string): string => withoutControls(text).replace(/\s+/gu, " ").trim()

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })

/** Code points. */
export const lengthOf = (text: string): number => {
  let length = text.length
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0xd800 && unit < 0xdc00) length--
  }
  return length
}

/** The longest beginning of at most `atMost` code points that cuts no grapheme in two. */
export const cut = (text: string, atMost: number): string => {
  if (text.length <= atMost) return text
  let units = 0
  let points = 0
  for (const { segment } of graphemes.segment(text)) {
    points += lengthOf(segment)
    if (points > atMost) break
    units += segment.length
  }
  return text.slice(0, units)
}
