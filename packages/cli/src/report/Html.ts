/**
 * HTML text that cannot hold markup by accident. (issue 5 item 6: paths and reasons of a policy are untrusted)
 *
 * Text becomes part of a page only through the template, which escapes every piece that is not a page's own markup.
 * Characters that a browser would not show, or that turn the direction of what follows, are written out as code points.
 */

/** Markup made by `html` alone. */
export interface Html {
  readonly markup: string
}

export type Piece = Html | string | number | ReadonlyArray<Html>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Control, format (bidi, zero width), separator and private characters, and halves of a pair. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu

const codePoint = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`

/** Safe between tags and within a quoted attribute. */
export const escape = (text: string): string =>
  text.replace(unseen, codePoint).replace(/[&<>"']/g, (character) => entities[character] ?? "")

const markupOf = (piece: Piece): string => {
  if (typeof piece === "string") return escape(piece)
  if (typeof piece === "number") return String(piece)
  return "markup" in piece ? piece.markup : piece.map(({ markup }) => markup).join("")
}

export const html = (texts: TemplateStringsArray, ...pieces: ReadonlyArray<Piece>): Html => ({
  markup: texts.reduce((markup, text, index) => markup + markupOf(pieces[index - 1] ?? "") + text)
})

export const nothing: Html = html``

/** For a style sheet, which is the page's own. */
export const trusted = (markup: string): Html => ({ markup })
