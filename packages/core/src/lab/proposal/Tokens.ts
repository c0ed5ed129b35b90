/**
 * A text as words, paths, tool names and stops, each with its place.
 *
 * What is written together without being one of these is `odd`, and nothing odd is ever understood. Paths stand for
 * themselves; one that ends a sentence loses the full stop, and a slash at its end, which the guard would refuse.
 */

interface Place {
  readonly at: number
  readonly end: number
}

export type Token =
  | (Place & { readonly kind: "word"; readonly word: string })
  | (Place & { readonly kind: "path"; readonly path: string })
  | (Place & { readonly kind: "tool"; readonly tool: string })
  | (Place & { readonly kind: "comma" | "stop" | "odd" })

/** UTF-16 units of a text. */
export const maxTextLength = 4096

/** Control, format (bidi, zero width) and separator characters, half characters, and those that draw nothing. */
export const notShown = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u

const blank = /[ \t]+/y
const stop = /[;!?\n]|\.(?=\s|$)/y
const comma = /,|:(?=\s|$|[/~])/y
const quotedPath = /"((?:\/|~\/)[^"\n]*)"|`((?:\/|~\/)[^`\n]*)`|'((?:\/|~\/)[^'\n]*)'/y
const quotedTool = /"([A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127})"|`([A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127})`/y
const barePath = /~?\/[^\s"'`,;]*|~(?=[\s,;]|$)/y
const toolName = /[A-Za-z0-9]*_[A-Za-z0-9_.:-]*[A-Za-z0-9_]/y
const word = /\p{L}[\p{L}\p{M}\p{N}'-]*/uy
const odd = /[^\s,;]+/y

/** Whether something may end here: white space, or punctuation that ends. */
const boundary = /[\s,;:!?]|\.(?:\s|$)|$/y

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

const endsHere = (text: string, at: number): boolean => matchAt(boundary, text, at) !== undefined

const withoutEnd = (path: string): string => path.replace(/[.:!?)]+$/, "")
const withoutSlash = (path: string): string => (path.length > 1 && path !== "~/" ? path.replace(/\/$/, "") : path)

const pathAt = (text: string, at: number): Token | undefined => {
  const quoted = matchAt(quotedPath, text, at)
  if (quoted !== undefined) {
    const path = quoted[1] ?? quoted[2] ?? quoted[3] ?? ""
    const end = at + quoted[0].length
    return endsHere(text, end) ? { kind: "path", path: withoutSlash(path), at, end } : undefined
  }
  const bare = matchAt(barePath, text, at)
  if (bare === undefined) return undefined
  const path = withoutEnd(bare[0])
  return { kind: "path", path: withoutSlash(path), at, end: at + path.length }
}

const nameAt = (text: string, at: number, tools: ReadonlySet<string>): Token | undefined => {
  const quoted = matchAt(quotedTool, text, at)
  if (quoted !== undefined) {
    const tool = quoted[1] ?? quoted[2] ?? ""
    const end = at + quoted[0].length
    return endsHere(text, end) && (tool.includes("_") || tools.has(tool)) ? { kind: "tool", tool, at, end } : undefined
  }
  const bare = matchAt(odd, text, at)?.[0].replace(/[.:!?]+$/, "") ?? ""
  if (tools.has(bare)) return { kind: "tool", tool: bare, at, end: at + bare.length }
  const name = matchAt(toolName, text, at)
  if (name !== undefined && endsHere(text, at + name[0].length))
    return { kind: "tool", tool: name[0], at, end: at + name[0].length }
  const letters = matchAt(word, text, at)
  if (letters === undefined || !endsHere(text, at + letters[0].length)) return undefined
  return { kind: "word", word: letters[0].toLowerCase(), at, end: at + letters[0].length }
}

/** `tools` are names that the operator gave apart from the text; those with an underscore are known by it. */
export const tokensOf = (given: string, tools: ReadonlySet<string>): ReadonlyArray<Token> => {
  const text = given.replaceAll("\u2019", "'")
  const tokens: Array<Token> = []
  for (let at = 0; at < text.length;) {
    const space = matchAt(blank, text, at)
    if (space !== undefined) {
      at += space[0].length
      continue
    }
    const mark = matchAt(stop, text, at) ?? matchAt(comma, text, at)
    const token: Token =
      mark === undefined
        ? (pathAt(text, at) ??
          nameAt(text, at, tools) ?? { kind: "odd", at, end: at + (matchAt(odd, text, at)?.[0].length ?? 1) })
        : { kind: /[,:]/.test(mark[0]) ? "comma" : "stop", at, end: at + mark[0].length }
    tokens.push(token)
    at = token.end
  }
  return tokens
}

/** The tokens between stops. */
export const sentencesOf = (tokens: ReadonlyArray<Token>): ReadonlyArray<ReadonlyArray<Token>> => {
  const sentences: Array<Array<Token>> = [[]]
  for (const token of tokens) {
    if (token.kind === "stop") sentences.push([])
    else sentences.at(-1)?.push(token)
  }
  return sentences.filter((sentence) => sentence.some((token) => token.kind !== "comma"))
}
