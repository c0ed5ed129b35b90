/**
 * JSON data as YAML text that every reader takes for the same. (hermes-contract.md: hosts read the file with readers of
 * YAML 1.1 and of 1.2)
 *
 * A word is written plain only where both versions read it as that word; everything else is quoted, with escapes for what
 * one of them would not print or would take for the end of a line. So the text is never longer-lived than its data: read
 * back, it is compared, see `YamlEdit.ts`.
 */

export type Data = null | boolean | number | string | ReadonlyArray<Data> | { readonly [key: string]: Data }

/** Words of YAML 1.1 or 1.2 that are no text. */
const reserved = /^(y|n|yes|no|on|off|true|false|null)$/i

/** A word that no reader takes for anything else, and that needs no quotes anywhere in a line. */
export const isPlain = (text: string): boolean => /^[A-Za-z][A-Za-z0-9_-]{0,127}$/.test(text) && !reserved.test(text)

/** What a reader may refuse, drop or take for a line break. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu

const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`
}

const quoted = (text: string): string => JSON.stringify(text).replace(unprintable, escaped)

const scalarText = (value: null | boolean | number | string): string => {
  if (typeof value === "string") return isPlain(value) ? value : quoted(value)
  if (typeof value !== "number") return String(value)
  // Without the point, YAML 1.1 has text in place of a number.
  return /^-?\d+e/.test(String(value)) ? String(value).replace("e", ".0e") : String(value)
}

const isScalar = (value: Data): value is null | boolean | number | string => typeof value !== "object" || value === null

const isList = (value: Data): value is ReadonlyArray<Data> => Array.isArray(value)

/** On one line. */
export const flowText = (value: Data): string => {
  if (isScalar(value)) return scalarText(value)
  if (isList(value)) return `[${value.map(flowText).join(", ")}]`
  const pairs = Object.entries(value).map(([key, member]) => `${scalarText(key)}: ${flowText(member)}`)
  return `{${pairs.join(", ")}}`
}

/** Whether the value stands behind its key, in the same line. */
export const fitsBehindKey = (value: Data): boolean => isScalar(value) || Object.keys(value).length === 0

/** The lines below a key, for a value that does not stand behind it. */
export const bodyLines = (value: Data, indent: string, step: string): ReadonlyArray<string> => {
  if (isScalar(value)) return []
  if (isList(value)) return value.map((item) => `${indent}- ${flowText(item)}`)
  return Object.entries(value).flatMap(([key, member]) => pairLines([key], member, indent, step))
}

/** The lines of a value below keys that are not there yet. */
export const pairLines = (
  [key = "", ...deeper]: ReadonlyArray<string>,
  value: Data,
  indent: string,
  step: string
): ReadonlyArray<string> => {
  const head = `${indent}${scalarText(key)}:`
  if (deeper.length > 0) return [head, ...pairLines(deeper, value, indent + step, step)]
  return fitsBehindKey(value) ? [`${head} ${flowText(value)}`] : [head, ...bodyLines(value, indent + step, step)]
}

/** Whether this is data that JSON can hold, and text that has a UTF-8 form. */
export const isData = (value: unknown): value is Data => {
  switch (typeof value) {
    case "boolean":
      return true
    case "number":
      return Number.isFinite(value)
    case "string":
      return value.isWellFormed()
    case "object":
      if (value === null) return true
      if (Array.isArray(value)) return value.every(isData)
      if (![Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null)) return false
      return Object.entries(value).every(([key, member]) => key.isWellFormed() && isData(member))
    default:
      return false
  }
}
