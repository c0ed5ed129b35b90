/**
 * A second reading of a policy file, written from the seed's words alone: its own JSON reader, which knows no repeated
 * keys, and the plain list of rules. It says yes or no.
 */

/** Stands for a text that is not JSON with one meaning. */
class Refused extends Error {}

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const string = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const space = /[ \t\n\r]*/y

const must = (condition: boolean): void => {
  if (!condition) throw new Refused()
}

const readJson = (text: string): Value => {
  let at = 0
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  const takes = (sign: string): boolean => {
    match(space)
    if (!text.startsWith(sign, at)) return false
    at += sign.length
    return true
  }
  const key = (): string => {
    match(space)
    const found = match(string)
    must(found !== undefined)
    return JSON.parse(found as string) as string
  }
  const value = (): Value => {
    if (takes("{")) {
      const map = new Map<string, Value>()
      if (takes("}")) return map
      do {
        const name = key()
        must(!map.has(name) && takes(":"))
        map.set(name, value())
      } while (takes(","))
      must(takes("}"))
      return map
    }
    if (takes("[")) {
      const list: Array<Value> = []
      if (takes("]")) return list
      do list.push(value())
      while (takes(","))
      must(takes("]"))
      return list
    }
    for (const [word, meaning] of [
      ["null", null],
      ["true", true],
      ["false", false]
    ] as const) {
      if (takes(word)) return meaning
    }
    match(space)
    const digits = match(number)
    return digits === undefined ? key() : Number(digits)
  }
  const whole = value()
  match(space)
  must(at === text.length)
  return whole
}

type Value = null | boolean | number | string | ReadonlyArray<Value> | ReadonlyMap<string, Value>

const ceilings = new Map([
  ["max_results", 10],
  ["default_results", 5],
  ["snippet_chars", 300],
  ["total_chars", 4000],
  ["max_file_bytes", 1_048_576],
  ["max_entries", 10_000],
  ["max_depth", 16],
  ["read_chars", 8000]
])

const isPath = (value: Value | undefined): boolean =>
  typeof value === "string" && (value === "/" || /^(?:\/(?!\.{1,2}(?:\/|$))[^/\0]+)+$/u.test(value))

const isPattern = (value: Value): boolean => {
  if (typeof value !== "string" || value.length < 1 || value.length > 512) return false
  if (/[?[\]{}()!|\\]|\p{Cc}|\p{Surrogate}/u.test(value)) return false
  const segments = value.split("/")
  return (
    segments.length <= 16 &&
    segments.every((one) => one !== "" && one !== "." && one !== ".." && (one === "**" || !one.includes("**"))) &&
    segments.filter((one) => one === "**").length <= 4
  )
}

const isPatterns = (value: Value | undefined): boolean =>
  Array.isArray(value) && value.length <= 256 && value.every(isPattern)

const isLimits = (value: Value): boolean => {
  if (!(value instanceof Map)) return false
  for (const [name, limit] of value as ReadonlyMap<string, Value>) {
    const ceiling = ceilings.get(name)
    if (ceiling === undefined || typeof limit !== "number") return false
    if (!Number.isInteger(limit) || limit < 1 || limit > ceiling) return false
  }
  const of = (name: string, otherwise: number) => (value.get(name) as number | undefined) ?? otherwise
  return of("default_results", 5) <= of("max_results", 10) && of("total_chars", 4000) >= of("snippet_chars", 300)
}

const rules: Readonly<Record<string, (value: Value) => boolean>> = {
  version: (value) => value === 1 || value === 2,
  root: isPath,
  allow: isPatterns,
  deny: isPatterns,
  allow_cron: (value) => typeof value === "boolean",
  allow_subagents: (value) => typeof value === "boolean",
  limits: isLimits
}

/** What version 2 has besides. */
const moreRules: Readonly<Record<string, (value: Value) => boolean>> = {
  ranking: (value) => value === "relevance" || value === "path"
}

export const strictlyValid = (text: string): boolean => {
  try {
    const file = readJson(text)
    if (!(file instanceof Map)) return false
    const named = [...(file as ReadonlyMap<string, Value>)]
    const known = file.get("version") === 2 ? { ...rules, ...moreRules } : rules
    return (
      ["version", "root", "allow"].every((name) => file.has(name)) &&
      named.every(([name, value]) => Object.hasOwn(known, name) && known[name]?.(value) === true)
    )
  } catch (error) {
    if (error instanceof Refused) return false
    throw error
  }
}
