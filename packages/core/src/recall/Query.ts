/**
 * What is asked of a source, made from what the user wrote. (recall-contract 1.4 "query (bounded)", T5, cases/recall.md 29)
 *
 * A turn's text may be a megabyte; what is sent is its beginning, cut between two code points. A text that asks nothing
 * starts no recall and uses none up: the host has the same rule in newer versions and lacks it in older ones.
 */

/** Code points. */
export const maxQueryChars = 2_000

const control = /\p{Cc}/gu

/** Never cuts a surrogate pair; a lone surrogate becomes U+FFFD, a control character a space. */
export const boundedQuery = (text: string): string => {
  // Two units for a code point at most, so this much is enough to look at.
  const start = text.slice(0, maxQueryChars * 2 + 1)
  let units = 0
  let points = 0
  for (const character of start) {
    if (points === maxQueryChars) break
    units += character.length
    points++
  }
  return start.slice(0, units).toWellFormed().replace(control, " ").trim()
}

/** What says nothing to look for, as the host's own list has it. */
const trivial = new Set(
  (
    "yes|y|yep|yeah|no|n|nope|ok|okay|k|sure|thanks|thank you|thx|ty|hi|hello|hey|continue|go on|go ahead|next|done|stop|" +
    "good|great|nice|cool|bye"
  ).split("|")
)

const slashCommand = /^\/[A-Za-z][\w-]*(?:\s|$)/

export const isTrivial = (query: string): boolean => {
  const text = query.trim()
  return (
    text === "" ||
    slashCommand.test(text) ||
    (text.length <= 20 && trivial.has(text.toLowerCase().replace(/[\s.!?,…]+$/u, "")))
  )
}
