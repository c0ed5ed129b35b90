/** How text is compared and shown: folding for search, clean lines for people and models. */

export const isAscii = (text: string): boolean => !/\P{ASCII}/u.test(text)

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

/** Whether a text is printable ASCII with single spaces between words, as most lines are. */
const isCollapsed = (text: string): boolean => {
  // Asked for once: strings are of many kinds to the engine, which looks it up anew each time.
  const { length } = text
  let before = 0x20
  for (let at = 0; at < length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x20 || unit > 0x7e || (unit === 0x20 && before === 0x20)) return false
    before = unit
  }
  return before !== 0x20 || length === 0
}

/** One line: runs of white space become one space, none at the ends, no control characters. */
export const collapse = (text: string): string =>
  isCollapsed(text) ? text : withoutControls(text).replace(/\s+/gu, " ").trim()

/** A copy that holds on to nothing: the engine may keep a piece of a text as a place in that text. */
export const apart = (text: string): string => Array.from(text).join("")

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })

/** Whether every unit is a grapheme: ASCII, but for the one that is of two. */
export const isPlain = (text: string): boolean => isAscii(text) && !text.includes("\r")

/** Code points. */
export const lengthOf = (text: string): number => {
  let { length } = text
  const last = length - 1
  for (let i = 0; i < last; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0xd800 && unit < 0xdc00) length--
  }
  return length
}

/** The longest beginning of at most `atMost` code points that cuts no grapheme in two. */
export const cut = (text: string, atMost: number): string => {
  if (text.length <= atMost) return text
  // With the unit that follows, which might belong to the last.
  if (isPlain(text.slice(0, atMost + 1))) return text.slice(0, atMost)
  let units = 0
  let points = 0
  for (const { segment } of graphemes.segment(text)) {
    points += lengthOf(segment)
    if (points > atMost) break
    units += segment.length
  }
  return text.slice(0, units)
}
