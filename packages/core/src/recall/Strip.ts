/**
 * Takes recalled blocks out of a text again, so that what was injected is never sent on, shown or stored.
 * (recall-contract 1.4 "Strip", cases/recall.md 15 and 46)
 *
 * Both boundaries go: ours and the host's own round it. A block reaches to the close that matches its open, one that is
 * never closed to the end of the text, and a close without an open goes alone. Tags are known in any case, with blanks,
 * attributes or nothing after the name, and as entities; but inside a block what is escaped once more than its open is
 * content, or a memory that holds an escaped close would end its own block. What is removed leaves a line feed, which no
 * tag may have before its name: so no two remains can join to a tag, stripping twice is stripping once, and a stream
 * gives the same as the whole.
 */
import { elementName } from "./Block.ts"

const ours = elementName
const hosts = "memory-context"

/** White space as the host's own patterns know it, the line feed apart, and what is invisible. */
const blank =
  "[ \\t\\v\\f\\r\\x1c-\\x1f\\u0085\\u00a0\\u00ad\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u2069\\u3000\\ufeff]{0,16}"
const entity = (code: string, decimal: string, hexadecimal: string): string =>
  `&(?:amp;){0,4}(?:${code}|#0{0,6}${decimal}|#[xX]0{0,6}${hexadecimal});`
const less = `(<|${entity("[lL][tT]", "60", "3[cC]")})`
const greater = `(?:>|${entity("[gG][tT]", "62", "3[eE]")})`

/** The attributes are let go where the end of the tag is not in sight: the name alone makes a tag. */
const tag = new RegExp(`${less}${blank}(/?)${blank}(${ours}|${hosts})(?![\\w-])(?:[^<>]{0,200}?${greater})?`, "giu")

/** Longer than any tag: 28 for each entity, twice 16 blanks, the slash, the name, 200 for the attributes. */
const longestTag = 320

interface Tag {
  readonly start: number
  readonly end: number
  readonly name: string
  readonly closes: boolean
  /** How often it is escaped: 0 for `<`, 1 for `&lt;`, 2 for `&amp;lt;`. */
  readonly level: number
}

const levelOf = (less: string): number => (less === "<" ? 0 : less.split("amp;").length)

function* tagsOf(text: string): Generator<Tag> {
  for (const match of text.matchAll(tag)) {
    const [whole, less = "", slash, name = ""] = match
    yield {
      start: match.index,
      end: match.index + whole.length,
      name: name.toLowerCase(),
      closes: slash === "/",
      level: levelOf(less)
    }
  }
}

const gap = "\n"

/** The blocks that are open, outermost first. */
interface Nesting {
  readonly depth: () => number
  /** Takes the next tag; answers whether it is a close that has no open before it. */
  readonly strays: (tag: Tag) => boolean
}

const nesting = (): Nesting => {
  const open: Array<Tag> = []
  const counts = new Map<string, number>()
  const count = ({ level, name }: Tag, by: number): number => {
    const key = `${level} ${name}`
    const now = (counts.get(key) ?? 0) + by
    counts.set(key, now)
    return now
  }
  return {
    depth: () => open.length,
    strays: (tag) => {
      if (tag.level > (open.at(-1)?.level ?? tag.level)) return false
      if (!tag.closes) {
        open.push(tag)
        count(tag, 1)
        return false
      }
      if (count(tag, 0) === 0) return true
      // What was opened inside and not closed ends with it.
      for (let inner = open.pop(); inner !== undefined; inner = open.pop()) {
        count(inner, -1)
        if (inner.name === tag.name && inner.level === tag.level) break
      }
      return false
    }
  }
}

export interface Stripper {
  /** What of the text so far is certain to stay. */
  readonly feed: (chunk: string) => string
  /** The rest. An open block takes all of it. */
  readonly end: () => string
}

/** For a text that comes in pieces. Together they give what `strip` gives for the whole. */
export const stripper = (): Stripper => {
  const blocks = nesting()
  let held = ""

  /** Judges the held text up to `until`, and gives out what of it stands outside. */
  const settle = (tags: ReadonlyArray<Tag>, until: number): string => {
    let out = ""
    let from = 0
    for (const tag of tags) {
      if (blocks.depth() === 0) out += held.slice(from, tag.start) + gap
      blocks.strays(tag)
      from = tag.end
    }
    if (blocks.depth() === 0) out += held.slice(from, until)
    held = held.slice(Math.max(from, until))
    return out
  }

  /** Where a tag may begin that is not whole yet. */
  const uncertainFrom = (): number => {
    const reach = Math.max(0, held.length - longestTag)
    const found = held.slice(reach).search(/[<&]/u)
    return found < 0 ? held.length : reach + found
  }

  return {
    feed: (chunk) => {
      held += chunk
      const uncertain = uncertainFrom()
      return settle(
        [...tagsOf(held)].filter(({ start }) => start < uncertain),
        uncertain
      )
    },
    end: () => settle([...tagsOf(held)], held.length)
  }
}

export const strip = (text: string): string => {
  const { end, feed } = stripper()
  return feed(text) + end()
}

/** What stands after the last close that has no open before it: a text that was cut at its start begins in a block. */
export const afterStrayClose = (text: string): string => {
  let blocks = nesting()
  let from = 0
  for (const tag of tagsOf(text)) {
    if (!blocks.strays(tag)) continue
    from = tag.end
    blocks = nesting()
  }
  return text.slice(from)
}
