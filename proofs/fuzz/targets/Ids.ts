/** Document ids: what is accepted can only lead down from the root, and is spelled in one way. */
import { readRequest } from "@memory-bridge/core/notes/Request"
import {
  childId,
  isServedName,
  maxIdLength,
  maxIdSegments,
  parse,
  segmentsOf
} from "@memory-bridge/core/tree/DocumentId"
import * as Result from "effect/Result"
import { posix } from "node:path"
import { holds, same, type Target } from "../Target.ts"

const odd = (code: number) =>
  code < 0x20 ||
  (code >= 0x7f && code < 0xa0) ||
  code === 0x5c ||
  code === 0x2028 ||
  code === 0x2029 ||
  (code >= 0xd800 && code < 0xe000)

/** The rule once more, name by name. */
const isId = (text: string): boolean => {
  const names = text.split("/")
  const codes = Array.from(text, (sign) => sign.codePointAt(0) ?? 0)
  return (
    text.length <= maxIdLength &&
    names.length <= maxIdSegments &&
    names.every((name) => !["", ".", ".."].includes(name)) &&
    !codes.some(odd)
  )
}

export const id: Target = {
  name: "id",
  input: "text",
  json: false,
  words: [
    "/",
    "//",
    ".",
    "..",
    "../",
    "/./",
    "\\",
    "\0",
    "%2e%2e",
    "\u2028",
    "\ufeff",
    "\ud800",
    ".md",
    "a/".repeat(16),
    "a".repeat(511),
    "~",
    "\u202e"
  ],
  seeds: [
    "a.md",
    "projects/garden.md",
    "a/b/c/d.md",
    ".hidden/x.md",
    "a b/\u00e9.md",
    "-x/_y.md",
    "a/../b.md",
    "/etc/passwd"
  ],
  check: (text) => {
    const result = parse(text)
    holds("accepts exactly what the rule says", (typeof result === "string") === isId(text))
    holds("a request is decided alike", Result.isSuccess(readRequest({ id: text })) === (typeof result === "string"))
    if (typeof result !== "string") return
    const names = segmentsOf(result)
    same("its names make it up again", names.join("/"), text)
    holds("is its own normal form", posix.normalize(text) === text)
    holds("leads below the root", posix.resolve("/r", text).startsWith("/r/"))
    holds("is a text that can be sent", encodeURIComponent(text) !== "")
    same(
      "the scan names it alike",
      names.reduce((above, name, depth) => childId(above, depth, name) ?? "", ""),
      text
    )
    for (const name of names) {
      holds("a served name has no separator and is not hidden", !isServedName(name) || /^[^./\\][^/\\]*$/.test(name))
    }
  }
}
