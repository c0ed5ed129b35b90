/** Random configuration files as people write them, with the data that they mean: made from the data, not read from the text. */
import type { Random } from "../../guard/support/Random.ts"

export type Plain = null | boolean | number | string | Array<Plain> | { [key: string]: Plain }

export interface Made {
  readonly text: string
  readonly data: { [key: string]: Plain }
}

const keys = ["plugins", "entries", "settings", "policy", "model", "memory", "enabled", "a-b", "long_key", "z"]
const words = [
  "one",
  "read_file",
  "naïve café",
  "/srv/x",
  "it's",
  'say "hi"',
  "# no comment",
  "a: b",
  "鍵",
  "🐚",
  "- x",
  "",
  " lead"
]

const quotedWord = (word: string, random: Random): string =>
  /^[a-z_]+$/.test(word) && random.chance(0.7)
    ? word
    : random.chance(0.5)
      ? `'${word.replaceAll("'", "''")}'`
      : JSON.stringify(word)

const scalar = (random: Random): readonly [Plain, string] => {
  const kind = random.int(6)
  if (kind === 0) return [null, random.pick(["null", "~"])]
  if (kind === 1) return random.chance(0.5) ? [true, "true"] : [false, "false"]
  if (kind === 2) {
    const number = random.int(100_000)
    return [number, String(number)]
  }
  const word = random.pick(words)
  return [word, quotedWord(word, random)]
}

const flow = (random: Random, depth: number): readonly [Plain, string] => {
  if (depth === 0 || random.chance(0.4)) return scalar(random)
  if (random.chance(0.5)) {
    const items = random.list(3, () => flow(random, depth - 1))
    return [items.map(([data]) => data), `[${items.map(([, text]) => text).join(random.pick([", ", ",", " , "]))}]`]
  }
  const chosen = random.shuffled(keys).slice(0, random.int(4))
  const members = chosen.map((key) => [key, flow(random, depth - 1)] as const)
  return [
    Object.fromEntries(members.map(([key, [data]]) => [key, data])),
    `{${random.pick(["", " "])}${members.map(([key, [, text]]) => `${key}: ${text}`).join(", ")}${random.chance(0.2) && members.length > 0 ? "," : ""}}`
  ]
}

const note = (random: Random): string =>
  random.chance(0.2) ? random.pick([" # note", "   # a: b", "\t# tab\there", " #"]) : ""

/** Lines between two keys that say nothing. */
const between = (random: Random, indent: string): ReadonlyArray<string> =>
  random.chance(0.15) ? [random.pick(["", `${indent}# about it`, "# left"])] : []

const block = (
  random: Random,
  indent: string,
  step: number,
  depth: number
): readonly [{ [key: string]: Plain }, ReadonlyArray<string>] => {
  const chosen = random.shuffled(keys).slice(0, 1 + random.int(4))
  const data: { [key: string]: Plain } = {}
  const lines: Array<string> = []
  for (const key of chosen) {
    lines.push(...between(random, indent))
    const head = `${indent}${random.chance(0.1) ? `"${key}"` : key}:`
    const kind = random.int(depth === 0 ? 4 : 7)
    if (kind >= 4) {
      const [inner, below] = block(random, indent + " ".repeat(step), step, depth - 1)
      data[key] = inner
      lines.push(head + note(random), ...below)
    } else if (kind === 3) {
      const items = [scalar(random), ...random.list(2, () => flow(random, 1))]
      const dash = indent + random.pick(["", " ".repeat(step)])
      data[key] = items.map(([item]) => item)
      lines.push(head + note(random), ...items.map(([, text]) => `${dash}- ${text}${note(random)}`))
    } else if (kind === 2 && random.chance(0.4)) {
      const text = random.pick(["one\ntwo\n", "x\n", "# is text\n"])
      data[key] = text
      lines.push(
        `${head} |`,
        ...text
          .trimEnd()
          .split("\n")
          .map((line) => indent + " ".repeat(step) + line)
      )
    } else if (kind === 1 && random.chance(0.2)) {
      data[key] = null
      lines.push(head + note(random))
    } else {
      const [value, text] = flow(random, 2)
      data[key] = value
      lines.push(`${head} ${text}${note(random)}`)
    }
  }
  return [data, lines]
}

export const makeFile = (random: Random): Made => {
  const [data, lines] = block(random, "", random.pick([1, 2, 2, 3, 4, 8]), 3)
  const newline = random.chance(0.25) ? "\r\n" : "\n"
  const head = random.pick([[], [], ["# mine"], ["---"], ["# é", ""]])
  // Without its last line break a block of text would be another one.
  const tail = lines.slice(-3)
  const isOpen = random.chance(0.2) && tail.every((line) => !line.endsWith("|") && !line.trimStart().startsWith("#"))
  return { data, text: [...head, ...lines].join(newline) + (isOpen ? "" : newline) }
}

/** A path that is there, or ends in something that is not. */
export const makePath = (random: Random, data: Plain): ReadonlyArray<string> => {
  const path: Array<string> = []
  let at: Plain | undefined = data
  do {
    const known: ReadonlyArray<string> =
      typeof at === "object" && at !== null && !Array.isArray(at) ? Object.keys(at) : []
    const key: string = known.length > 0 && random.chance(0.8) ? random.pick(known) : random.pick(keys)
    path.push(key)
    at = typeof at === "object" && at !== null && !Array.isArray(at) && Object.hasOwn(at, key) ? at[key] : undefined
  } while (path.length < 5 && random.chance(0.65))
  return path
}

export const makeValue = (random: Random, depth = 2): Plain => {
  const kind = random.int(depth === 0 ? 3 : 6)
  if (kind === 0) return random.int(1000) - 500
  if (kind === 1) return random.pick([true, false, null, 1e21, 0.1, -2.5e-7])
  if (kind === 2)
    return random.pick([...words, "yes", "1", "null", "\u0000\u0085\u2028\uFEFF", "a\nb", "1e5", "2026-01-01", "0x1f"])
  if (kind < 5)
    return Object.fromEntries(
      random
        .shuffled(keys)
        .slice(0, random.int(4))
        .map((key) => [key, makeValue(random, depth - 1)])
    )
  return [...random.list(3, () => makeValue(random, depth - 1))]
}
