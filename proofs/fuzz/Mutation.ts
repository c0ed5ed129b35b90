/** How a new input comes from known ones: changed as text, spliced, or changed as JSON. Seeded chance decides. */
import type { Random } from "../../tests/guard/support/Random.ts"
import type { Target } from "./Target.ts"

/** Longer inputs say nothing more and cost time; a few grow past the limits of what is decoded all the same. */
const usualLength = 4_096
const greatestLength = 80_000

const oddText = [
  ..."\0\t\n\r\v\u001b \"'\\/.*?[]{}<>&#%:;,-_~$`|=+()",
  "\u007f",
  "\u0085",
  "\u00a0",
  "\u00ad",
  "e\u0301",
  "\u0130",
  "\u03a3",
  "\u03c2",
  "\u1e9e",
  "\u200b",
  "\u202e",
  "\u2028",
  "\ufeff",
  "\ufffd",
  "\ud83d\ude00",
  "\ud800",
  "\udc00",
  "\u8336",
  "\ud83d\udc68\u200d\ud83d\udc69",
  "../",
  "//",
  "\r\n"
]
const oddBytes = [
  "\x00",
  "\x01",
  "\x02",
  "\x04",
  "\x08",
  "\x10",
  "\x20",
  "\x7f",
  "\x80",
  "\xc3\xa9",
  "\xed\xa0\x80",
  "\xff\xff\xff\xff"
]

const oddValues: ReadonlyArray<unknown> = [
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  1.5,
  1e21,
  2 ** 31,
  2 ** 53,
  "",
  "a",
  "/a/b",
  "../a",
  "__proto__",
  "\ud800",
  [],
  {},
  [[]],
  { __proto__: null, constructor: 1 }
]

const within = (random: Random, text: string): readonly [start: number, end: number] => {
  const start = random.int(text.length + 1)
  const most = random.chance(0.8) ? 8 : text.length
  return [start, Math.min(text.length, start + random.int(most + 1))]
}

const odd = (random: Random, target: Target): string => {
  if (target.words.length > 0 && random.chance(0.55)) return random.pick(target.words)
  if (random.chance(0.5)) return random.pick(target.input === "bytes" ? oddBytes : oddText)
  if (random.chance(0.6)) return String.fromCharCode(32 + random.int(95))
  return String.fromCharCode(random.int(target.input === "bytes" || random.chance(0.6) ? 256 : 65_536))
}

const changedText = (random: Random, target: Target, text: string, others: ReadonlyArray<string>): string => {
  const [start, end] = within(random, text)
  switch (random.int(10)) {
    case 0:
    case 1:
      return text.slice(0, start) + odd(random, target) + text.slice(start)
    case 2:
      return text.slice(0, start) + text.slice(end)
    case 3:
    case 4:
      return text.slice(0, start) + odd(random, target) + text.slice(end)
    case 5:
      return text.slice(0, end) + text.slice(start)
    case 6: {
      const times = random.pick([2, 3, 10, 100, 1_000])
      return text.slice(0, start) + text.slice(start, end).repeat(times).slice(0, greatestLength) + text.slice(end)
    }
    case 7: {
      const other = random.pick(others)
      const [from, to] = within(random, other)
      return text.slice(0, start) + other.slice(from, random.chance(0.5) ? to : other.length) + text.slice(end)
    }
    case 8:
      return text.slice(end) + text.slice(start, end) + text.slice(0, start)
    default: {
      const piece = text.slice(start, end)
      return text.slice(0, start) + (random.chance(0.5) ? piece.toUpperCase() : piece.toLowerCase()) + text.slice(end)
    }
  }
}

const oddKeys = ["", "a", "0", "__proto__", "constructor", "toString"]

const name = (random: Random, target: Target): string =>
  target.words.length > 0 && random.chance(0.7) ? random.pick(target.words) : random.pick(oddKeys)

const scalar = (random: Random, target: Target): unknown =>
  target.words.length > 0 && random.chance(0.5) ? random.pick(target.words) : random.pick(oddValues)

/** Changes one place somewhere in the value. */
const changedValue = (random: Random, target: Target, value: unknown, others: ReadonlyArray<unknown>): unknown => {
  const deeper = (inner: unknown) => changedValue(random, target, inner, others)
  if (random.chance(0.15)) return random.chance(0.3) ? random.pick(others) : scalar(random, target)
  if (Array.isArray(value) && value.length > 0) {
    const at = random.int(value.length)
    switch (random.int(4)) {
      case 0:
        return value.toSpliced(at, 1)
      case 1:
        return value.toSpliced(at, 0, value[random.int(value.length)])
      default:
        return value.with(at, deeper(value[at]))
    }
  }
  if (Array.isArray(value)) return [scalar(random, target)]
  if (typeof value !== "object" || value === null) return scalar(random, target)
  const entries = Object.entries(value)
  if (entries.length === 0 || random.chance(0.1)) entries.push([name(random, target), scalar(random, target)])
  const at = random.int(entries.length)
  const [key, inner] = entries[at]!
  switch (random.int(5)) {
    case 0:
      entries.splice(at, 1)
      break
    case 1:
      entries[at] = [name(random, target), inner]
      break
    default:
      entries[at] = [key, deeper(inner)]
  }
  return Object.fromEntries(entries)
}

const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const changedJson = (random: Random, target: Target, text: string, others: ReadonlyArray<string>): string => {
  const known = parsed(text)
  if (known === undefined) return changedText(random, target, text, others)
  const other = parsed(random.pick(others))
  const changed = JSON.stringify(changedValue(random, target, known.value, [other?.value ?? null]))
  if (!random.chance(0.1)) return changed
  // A key twice, which no value can hold.
  const key = /"[^"\\]*":/u.exec(changed)
  return key === null ? changed : changed.replace(key[0], `${key[0]}1,${key[0]}`)
}

/** Characters of a byte target above 0xff would stand for no byte. */
const fitting = (target: Target, text: string): string =>
  target.input === "bytes" && /[^\0-\xff]/.test(text) ? Buffer.from(text, "utf8").toString("latin1") : text

export const nextInput = (random: Random, target: Target, corpus: ReadonlyArray<string>): string => {
  let text = target.make !== undefined && random.chance(0.4) ? target.make(random) : random.pick(corpus)
  const most = random.chance(0.02) ? greatestLength : usualLength
  for (let left = random.int(target.make === undefined ? 5 : 4); left > 0; left--) {
    text = (target.json && random.chance(0.6) ? changedJson : changedText)(random, target, text, corpus)
    if (text.length > most) text = text.slice(0, most)
  }
  return fitting(target, text)
}
