/** README and docs/ as a reader sees them: pages, headings, fenced blocks, tables and links. (issue 7 item 7) */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export const top = join(import.meta.dirname, "..", "..", "..")

export interface Block {
  /** Of the opening fence, from 1. */
  readonly line: number
  readonly language: string
  /** Without the indentation that a list gives it. */
  readonly body: string
  /** Name in "Save as `NAME`:" before the block, or "". */
  readonly savedAs: string
}

export interface Page {
  /** Below the repository. */
  readonly name: string
  readonly text: string
  readonly blocks: ReadonlyArray<Block>
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length

const blocksOf = (text: string): ReadonlyArray<Block> =>
  Array.from(text.matchAll(/^( *)```(\w*)\n([^]*?)^\1```$/gmu), (match) => {
    const [, indent = "", language = "", body = ""] = match
    const before = text.slice(0, match.index).trimEnd()
    return {
      line: lineAt(text, match.index),
      language,
      body: body.replaceAll(new RegExp(`^${indent}`, "gmu"), ""),
      savedAs: /Save as `([^`]+)`:$/u.exec(before)?.[1] ?? ""
    }
  })

const pageOf = (name: string): Page => {
  const text = readFileSync(join(top, name), "utf8")
  return { name, text, blocks: blocksOf(text) }
}

export const pages: ReadonlyArray<Page> = [
  "README.md",
  ...readdirSync(join(top, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
    .toSorted()
].map(pageOf)

/** One command of a `sh` block, as it would be typed, with what its comment claims. */
export interface Command {
  readonly line: number
  readonly text: string
  /** "exit code N" in the comment, or "exit code N, N or N"; 0 without. */
  readonly codes: ReadonlyArray<number>
  /** Each `says "TEXT"` in the comment. */
  readonly says: ReadonlyArray<string>
  /** `decides "ACTION"`: a line of its own in the output. */
  readonly decides: string | undefined
}

/** A comment stands two blanks or more after the command; a `\` at the end joins the next line. */
const commandOf = (typed: string, line: number): Command => {
  const [text = "", claim = ""] = typed.split(/ {2,}# /u)
  return {
    line,
    text: text.trim(),
    codes: (/exit code (\d(?:, \d)*(?: or \d)?)/u.exec(claim)?.[1] ?? "0").split(/, | or /u).map(Number),
    says: Array.from(claim.matchAll(/says "([^"]+)"/gu), ([, said = ""]) => said),
    decides: /decides "(\w+)"/u.exec(claim)?.[1]
  }
}

export const commandsOf = ({ blocks }: Page): ReadonlyArray<Command> =>
  blocks
    .filter(({ language }) => language === "sh")
    .flatMap(({ body, line }) =>
      body
        .replaceAll("\\\n", "\\\0")
        .split("\n")
        .map((typed, index) => commandOf(typed.replaceAll("\\\0", ""), line + 1 + index))
    )
    .filter(({ text }) => text !== "" && !text.startsWith("#"))

/** The codes in the first column of the tables below a heading, up to the next heading. */
export const codesBelow = ({ text }: Page, heading: string): ReadonlyArray<string> => {
  const [, below = ""] = text.split(new RegExp(`^#+ ${heading}$`, "mu"))
  const section = below.split(/^#+ /mu)[0] ?? ""
  return Array.from(section.matchAll(/^\| `(\w+)` \|/gmu), ([, code = ""]) => code)
}

/** The other two cells of a code's row below a heading. */
export const rowBelow = ({ text }: Page, heading: string, code: string): readonly [meaning: string, cure: string] => {
  const [, below = ""] = text.split(new RegExp(`^#+ ${heading}$`, "mu"))
  const row = new RegExp(`^\\| \`${code}\` \\| (.*) \\| (.*) \\|$`, "mu").exec(below.split(/^#+ /mu)[0] ?? "")
  return [row?.[1] ?? "", row?.[2] ?? ""]
}

/** The anchor that a forge makes of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

export const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(/^#{1,6} (.*)$/gmu), ([, heading = ""]) => anchorOf(heading)))

/** Targets of links, outside of fences. */
export const linksOf = ({ text }: Page): ReadonlyArray<string> =>
  Array.from(text.replaceAll(/^( *)```[^]*?^\1```$/gmu, "").matchAll(/\]\(([^)\s]+)\)/gu), ([, target = ""]) => target)
