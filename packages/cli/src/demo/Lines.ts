/** What the transcripts of all demos have in common: texts beside a margin, and JSON that is cut to fit. */
import type { Look } from "../screen/Results.ts"
import { wrap } from "../screen/Wrap.ts"

/** Cells before everything that belongs to a step; its number stands there. */
export const margin = 5

/** The text beside the margin, broken where it must be, its `head` painted if that stays in one line. */
export const block = (
  mark: string,
  head: string,
  rest: string,
  paint: (text: string) => string,
  width: Look["width"]
): string =>
  wrap(head + rest, width === undefined ? undefined : width - margin)
    .map((line, i) =>
      i > 0
        ? " ".repeat(margin) + line
        : mark.padEnd(margin) + (line.startsWith(head) ? paint(head) + line.slice(head.length) : line)
    )
    .join("\n")

/** How every demo opens. `real` says what is no stand-in. */
export const opening = (title: string, real: string, top: string, python: string, { paint, width }: Look): string =>
  [
    paint.strong(title),
    ...wrap(
      "The host is simulated: stand-in modules play Hermes, and no Hermes is read, started or changed. " + real,
      width
    ),
    ...wrap(`Files: ${top} (removed at the end). Python ${python}, Node ${process.versions.node}.`, width),
    "",
    ""
  ].join("\n")

/** Characters of one text in an answer; enough to see what it is. */
const shownChars = 56

const shortened = (value: unknown): unknown => {
  if (typeof value === "string") return value.length > shownChars ? `${value.slice(0, shownChars)}…` : value
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member)]))
}

/** The answer with its long texts cut. What is not JSON is shown as it is. */
export const shortAnswer = (answer: string): string => {
  try {
    return JSON.stringify(shortened(JSON.parse(answer)))
  } catch {
    return answer
  }
}
