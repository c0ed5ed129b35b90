/** The title of a document: its first heading. (seed 000 "Tools") */
import { collapse, cut } from "./Text.ts"

/** Code points. */
export const maxTitleChars = 200

const atx = /^ {0,3}#{1,6}(?=[ \t]|$)/u
const fence = /^ {0,3}(`{3,}|~{3,})/u
const underline = /^ {0,3}=+[ \t]*$/u

/**
 * The text of the first ATX or `=`-underlined heading that is not empty, outside code fences and a leading front
 * matter block, on one line.
 */
export const titleOf = (text: string): string | undefined => {
  const lines = text.split(/\r\n|\r|\n/u)
  let open: string | undefined
  for (let i = afterFrontMatter(lines); i < lines.length; i++) {
    const line = lines[i] ?? ""
    const mark = fenceOf(line)
    if (open !== undefined) {
      if (mark !== undefined && mark.startsWith(open) && line.trim() === mark) open = undefined
      continue
    }
    if (mark !== undefined) {
      open = mark
      continue
    }
    const heading = atxText(line) ?? (underline.test(lines[i + 1] ?? "") ? line : undefined)
    const title = heading === undefined ? "" : collapse(heading)
    if (title !== "") return cut(title, maxTitleChars)
  }
  return undefined
}

/** What stands in an ATX heading, "" if nothing does. By hand, since a pattern for both ends is not linear. */
export const atxText = (line: string): string | undefined => {
  const mark = atx.exec(line)?.[0]
  if (mark === undefined) return undefined
  const text = line.slice(mark.length).trim()
  let end = text.length
  while (text[end - 1] === "#") end--
  return end === 0 || text[end - 1] === " " || text[end - 1] === "\t" ? text.slice(0, end) : text
}

/** The mark that opens or closes a fence. A line of inline code has backticks after its first ones. */
export const fenceOf = (line: string): string | undefined => {
  const mark = fence.exec(line)?.[1]
  return mark?.startsWith("`") && line.includes("`", line.indexOf("`") + mark.length) ? undefined : mark
}

const afterFrontMatter = (lines: ReadonlyArray<string>): number => {
  if (lines[0]?.trimEnd() !== "---") return 0
  const end = lines.findIndex((line, i) => i > 0 && (line.trimEnd() === "---" || line.trimEnd() === "..."))
  return end < 0 ? 0 : end + 1
}
