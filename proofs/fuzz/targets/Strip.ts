/** Stripping recalled blocks: nothing of a boundary stays, twice is once, and a stream is as good as the whole. */
import { blockOf, maxBlockChars } from "@memory-bridge/core/recall/Block"
import { escaped } from "@memory-bridge/core/recall/Escape"
import { afterStrayClose, strip, stripper } from "@memory-bridge/core/recall/Strip"
import { holds, same, type Target } from "../Target.ts"

const names = "memhub_memory_context|memory-context"

/** White space but the line feed, which is what a removed block leaves, as far as the stripper looks. */
const space = "[^\\S\\n]{0,16}"

/** A tag as a reader after us may see it, once entities have been read. */
const boundary = new RegExp(`<${space}/?${space}(?:${names})(?![\\w-])`, "iu")

const entitiesRead = (text: string): string =>
  text
    .replaceAll(/&lt;|&#0*60;|&#x0*3c;/giu, "<")
    .replaceAll(/&gt;|&#0*62;|&#x0*3e;/giu, ">")
    .replaceAll(/&amp;/gu, "&")

export const stripping: Target = {
  name: "strip",
  input: "text",
  json: false,
  words: [
    "<",
    ">",
    "</",
    "/",
    "&lt;",
    "&gt;",
    "&amp;",
    "&amp;lt;",
    "&#60;",
    "&#x3C;",
    "&LT;",
    "memhub_memory_context",
    "memory-context",
    "<memhub_memory_context>",
    "</memhub_memory_context>",
    "<memory-context>",
    "</memory-context>",
    "&lt;memory-context&gt;",
    "&lt;/memhub_memory_context&gt;",
    "<MEMORY-context a=b>",
    "\u200b",
    "\u00a0",
    "\v",
    "\f",
    "\r",
    "\u0085",
    "\u2003",
    "\u3000",
    "\n",
    "-",
    "_",
    "memory-contextual",
    ' x="',
    "\u0130"
  ],
  seeds: [
    "before <memhub_memory_context>inside</memhub_memory_context> after",
    "a<memory-context>b<memhub_memory_context>c</memhub_memory_context>d</memory-context>e",
    "x &lt;memory-context&gt; y &lt;/memory-context&gt; z",
    "never closed <memhub_memory_context> all of it",
    "</memory-context> alone",
    "<\u000bmemory-context> as the host's patterns know it",
    "<mem<memory-context></memory-context>ory-context>"
  ],
  check: (text) => {
    const stripped = strip(text)
    holds("twice is once", strip(stripped) === stripped)
    holds("nothing is added", stripped.length <= text.length)
    for (let level = 0, read = stripped; level < 4; level++, read = entitiesRead(read)) {
      holds("no boundary stays", !boundary.test(read), read.slice(0, 200))
    }
    const pieces = stripper()
    let streamed = ""
    for (let at = 0, step = 1; at < text.length; at += step) {
      step = 1 + ((text.charCodeAt(at) * 5 + at) % 37)
      streamed += pieces.feed(text.slice(at, at + step))
    }
    holds("a stream gives what the whole gives", streamed + pieces.end() === stripped)
    holds("after a stray close stands an end of the text", text.endsWith(afterStrayClose(text)))
    const line = escaped(text)
    holds("an escaped text is one line without markup", !/[<>\n\r]|\p{Cc}/u.test(line) && line.isWellFormed())
    const block = blockOf([{ id: "m", content: text, revision: "" }], maxBlockChars)
    if (block.items.length === 0) return
    const around = `a${block.text}b`
    same("a memory cannot end its own block", strip(around), "a\nb")
    holds("nor does a close in it stand alone", afterStrayClose(around) === around)
  }
}
