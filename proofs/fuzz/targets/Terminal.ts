/**
 * Terminal strings: what is accepted is made of its argv alone. That real shells read it alike is a proof of its own, in
 * tests/guard/Shells.test.ts; this one goes further from the grammar.
 */
import { inspect } from "@memory-bridge/core/guard/Inspection"
import { pathDefect } from "@memory-bridge/core/guard/LiteralPath"
import {
  commandNames,
  isCommandRefused,
  maxCommandLength,
  maxOperands,
  parse
} from "@memory-bridge/core/guard/Terminal"
import { command } from "../../../tests/guard/support/Cases.ts"
import { posix } from "node:path"
import { holds, same, type Target } from "../Target.ts"

export const terminal: Target = {
  name: "terminal",
  input: "text",
  json: false,
  words: [
    ...commandNames,
    "-r",
    "-rf",
    "-p",
    "--",
    " ",
    "  ",
    "'",
    '"',
    "/a",
    "/a b",
    "/..",
    "~",
    "$(id)",
    "`id`",
    ";",
    "&&",
    "|",
    ">",
    "*",
    "\\",
    "\n",
    "\u00a0",
    "/proc/self",
    "a=b",
    "#",
    "!!",
    "{a,b}"
  ],
  seeds: ["pwd", "cat /a", "rm -rf /a /b", "cp '/a b' /c", 'mv "/a" /b/', "mkdir -p /a/b", "touch -- /a", "cat -- -a"],
  make: command,
  check: (text) => {
    const result = parse(text)
    const inspected = inspect("terminal", { command: text })
    if (isCommandRefused(result)) {
      holds("a refusal points into the text", result.at >= 0 && result.at <= Math.max(text.length, maxCommandLength))
      holds("a refused command is not inspected", inspected.kind === "unsupported")
      return
    }
    const { argv, name, operands, options } = result
    holds("only listed commands", commandNames.includes(name))
    same("argv is the command, its options and its operands", argv, [name, ...options, ...operands])
    holds("at most so many operands", operands.length <= maxOperands)
    holds(
      "operands are literal absolute paths",
      operands.every((path) => pathDefect(path) === undefined)
    )
    holds("one space between words, and quotes round words", text.replaceAll(/["']/g, "") === argv.join(" "))
    holds("no character that means something to a shell", !/[^A-Za-z0-9%+,\-./:@_ "']/.test(text))
    const quoted = argv.map((word) => (word.startsWith("/") ? `'${word}'` : word)).join(" ")
    if (quoted.length <= maxCommandLength) same("quoted it is the same command", parse(quoted), result)
    const nameless = (name === "cp" || name === "mv") && ["", ".."].includes(posix.basename(operands[0] ?? ""))
    holds(
      "an accepted command is inspected, unless it copies what has no name",
      (inspected.kind === "paths") !== nameless
    )
    if (inspected.kind === "paths") {
      same("every operand is looked at", new Set(inspected.operands.map(({ path }) => path)), new Set(operands))
    }
  }
}
