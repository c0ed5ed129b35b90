/**
 * The commands that the guard can read: a text becomes an argv, or is refused at a position. (seed 004 "Terminal
 * grammar")
 *
 * Not a shell classifier but a language so small that every shell reads it in one way: one word from a closed list,
 * listed options, absolute paths, one space between words, quotes only round a whole path. Every other character that
 * means something to some shell is refused wherever it stands, quotes included.
 */
import { type PathDefect, pathDefect } from "./LiteralPath.ts"

/** UTF-16 units of a command. */
export const maxCommandLength = 4096
/** Paths in one command. */
export const maxOperands = 32

export type CommandName = "pwd" | "cat" | "rm" | "touch" | "mkdir" | "cp" | "mv"

interface Shape {
  readonly options: ReadonlyArray<string>
  readonly least: number
  readonly most: number
}

const shapes: ReadonlyMap<string, Shape> = new Map<CommandName, Shape>([
  ["pwd", { options: [], least: 0, most: 0 }],
  ["cat", { options: [], least: 1, most: maxOperands }],
  ["rm", { options: ["-r", "-f", "-rf", "-fr"], least: 1, most: maxOperands }],
  ["touch", { options: [], least: 1, most: maxOperands }],
  ["mkdir", { options: ["-p"], least: 1, most: maxOperands }],
  ["cp", { options: [], least: 2, most: 2 }],
  ["mv", { options: [], least: 2, most: 2 }]
])

/** The command names, for those who explain the grammar. */
export const commandNames: ReadonlyArray<string> = [...shapes.keys()]

export interface Command {
  readonly name: CommandName
  readonly options: ReadonlyArray<string>
  /** Absolute paths without defect. */
  readonly operands: ReadonlyArray<string>
  /** What a shell passes on, the command word included. */
  readonly argv: ReadonlyArray<string>
}

/**
 * - `character` one that no command of the grammar holds; `spacing` more or less than one space
 * - `quote` not round a whole word, not closed, or round something that is no path
 * - `command`, `option`, `operand_count` not in the list for the word; `operand` a path with a defect
 */
export type CommandDefect =
  | "empty"
  | "too_long"
  | "character"
  | "spacing"
  | "quote"
  | "command"
  | "option"
  | "operand_count"
  | "operand"

export interface CommandRefused {
  readonly defect: CommandDefect
  /** UTF-16 units from the start of the text. */
  readonly at: number
  /** With `operand`: what is wrong with the path. */
  readonly path?: PathDefect
}

interface Word {
  readonly text: string
  /** Where it starts and ends in the command, quotes included. */
  readonly at: number
  readonly end: number
}

const refuse = (defect: CommandDefect, at: number): CommandRefused => ({ defect, at })

const isRefused = <A extends object>(result: A | CommandRefused): result is CommandRefused => "defect" in result

/** Whatever is not in this class has a meaning to a shell, or none that all shells share. */
const foreign = /[^A-Za-z0-9%+,\-./:@_ "']/
const quotes = /["']/

/** The word that starts at `at`. */
const readWord = (text: string, at: number): Word | CommandRefused => {
  const quote = text.charAt(at)
  if (quote === " " || quote === "") return refuse("spacing", at)
  if (!quotes.test(quote)) {
    const end = text.indexOf(" ", at)
    const word = end < 0 ? text.slice(at) : text.slice(at, end)
    const inside = word.search(quotes)
    return inside < 0 ? { text: word, at, end: at + word.length } : refuse("quote", at + inside)
  }
  const end = text.indexOf(quote, at + 1)
  if (end < 0) return refuse("quote", at)
  const word = text.slice(at + 1, end)
  const after = text.charAt(end + 1)
  if (after !== "" && after !== " ") return refuse("quote", end + 1)
  return quotes.test(word) || !word.startsWith("/") ? refuse("quote", at) : { text: word, at, end: end + 1 }
}

const readWords = (text: string): ReadonlyArray<Word> | CommandRefused => {
  const words: Array<Word> = []
  for (let at = 0; ;) {
    const word = readWord(text, at)
    if (isRefused(word)) return word
    words.push(word)
    if (word.end === text.length) return words
    at = word.end + 1
  }
}

const operandDefect = (words: ReadonlyArray<Word>): CommandRefused | undefined => {
  for (const { at, text } of words) {
    const path = pathDefect(text)
    if (path !== undefined) return { defect: "operand", at, path }
  }
  return undefined
}

/** Reads a command, or says where it leaves the grammar. */
export const parse = (text: string): Command | CommandRefused => {
  if (text === "") return refuse("empty", 0)
  if (text.length > maxCommandLength) return refuse("too_long", maxCommandLength)
  const odd = text.search(foreign)
  if (odd >= 0) return refuse("character", odd)
  const words = readWords(text)
  if (isRefused(words)) return words

  const [first, ...rest] = words
  const shape = first && shapes.get(first.text)
  if (first === undefined || shape === undefined) return refuse("command", 0)

  let index = 0
  const options: Array<string> = []
  for (const { at, text: word } of rest) {
    if (!word.startsWith("-")) break
    const closes = word === "--" && shape.most > 0
    if (!closes && !shape.options.includes(word)) return refuse("option", at)
    options.push(word)
    index += 1
    if (closes) break
  }

  const operands = rest.slice(index)
  if (operands.length < shape.least) return refuse("operand_count", text.length)
  const excess = operands[shape.most]
  if (excess !== undefined) return refuse("operand_count", excess.at)
  return (
    operandDefect(operands) ?? {
      name: first.text as CommandName,
      options,
      operands: operands.map((word) => word.text),
      argv: words.map((word) => word.text)
    }
  )
}

export const isCommandRefused = isRefused
