/**
 * Arbitrary values from a row of numbers: a generated case is what the numbers decide, so it shrinks with them.
 *
 * Every property has a fixed seed: a run is the same run everywhere.
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

/** Reads decisions from a row of numbers, again from its start when it ends. */
export interface Dice {
  readonly below: (bound: number) => number
  readonly pick: <A>(from: ReadonlyArray<A>) => A
  readonly chance: (percent: number) => boolean
  readonly times: <A>(least: number, most: number, make: () => A) => Array<A>
}

const dice = (numbers: ReadonlyArray<number>): Dice => {
  let at = 0
  const below = (bound: number): number => {
    // Small numbers, of which there are many, are spread; 0, to which all shrink, stays the first choice. A second
    // reading of the row is shifted, so that it does not repeat the first.
    const value = (numbers[at % numbers.length] ?? 0) * 7_919 + 104_729 * Math.floor(at / numbers.length)
    at++
    return Math.floor(value / 3) % bound
  }
  return {
    below,
    pick: (from) => from[below(from.length)] as never,
    chance: (percent) => below(100) >= 100 - percent,
    times: (least, most, make) => Array.from({ length: least + below(most - least + 1) }, make)
  }
}

const number = Arbitrary.schema(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 9_999 }))))
const rows = Arbitrary.array(number, { minLength: 12, maxLength: 60 })

export const decided = <A>(make: (dice: Dice) => A): Arbitrary.Arbitrary<A> =>
  Arbitrary.map(rows, (numbers) => make(dice(numbers)))

/** Names and pieces of names: cases, both Unicode forms, dots, hidden ones. */
export const pieces = ["a", "b", "A", "ab", "B", "\u00e9", "e\u0301", "\u00c9", "E\u0301", ".", "-", "_1", " ", "+"]

const nameFrom = ({ pick, times }: Dice): string => {
  const name = times(1, 3, () => pick(pieces)).join("")
  return name === "." || name === ".." ? "a" : name
}

export const pathFrom = (dice: Dice, most = 5): string => dice.times(1, most, () => nameFrom(dice)).join("/")

const otherSpelling = (text: string, { pick }: Dice): string =>
  pick([text, text, text.toUpperCase(), text.toLowerCase(), text.normalize("NFD"), text.normalize("NFC")])

/** A segment that matches this one, or nearly does. */
const segmentFor = (segment: string, dice: Dice): string => {
  const characters = [...segment.normalize("NFC")]
  const cut = dice.below(characters.length + 1)
  const [before, after] = [characters.slice(0, cut).join(""), characters.slice(cut).join("")]
  const spelled = (text: string) => otherSpelling(text, dice)
  const tail = characters.slice(Math.min(cut + 1, characters.length)).join("")
  const pattern = dice.pick([
    segment,
    spelled(segment),
    spelled(segment),
    "*",
    `${spelled(before)}*`,
    `*${spelled(after)}`,
    `${before}*${after}`,
    `${before}*${tail}`,
    dice.chance(70) ? nameFrom(dice) : segment
  ])
  return pattern === "**" || pattern === "." || pattern === ".." || pattern === "" ? "*" : pattern
}

/** A pattern that matches the path, or nearly does: about half of them do. At most four `**`, none partial. */
export const patternFor = (path: string, dice: Dice): string => {
  const made: Array<string> = []
  let stars = 0
  const star = () => {
    if (stars < 4) made.push("**")
    stars++
  }
  const segments = path.split("/")
  for (let i = 0; i < segments.length; i++) {
    if (dice.chance(12)) star()
    if (dice.chance(15)) {
      star()
      i += dice.below(3)
      continue
    }
    if (dice.chance(14)) continue
    made.push(segmentFor(segments[i] ?? "a", dice))
  }
  if (dice.chance(12)) star()
  if (dice.chance(12)) made.push(nameFrom(dice))
  if (made.length === 0) made.push(dice.pick(["*", "**"]))
  return made.join("/").replaceAll(/[^/]*\*\*[^/]+|[^/]+\*\*[^/]*/gu, "*")
}

/** Patterns and paths over so few names that they meet often. */
const fewNames = ["a", "b", "ab", ".a", "A"]
const fewSegments = ["a", "b", "*", "**", "a*", "*b", "ab", "**", "B", ".*"]

export const fewPath = (dice: Dice): string => dice.times(1, 4, () => dice.pick(fewNames)).join("/")

export const fewPattern = (dice: Dice): string => {
  let stars = 0
  return dice
    .times(1, 4, () => {
      const segment = dice.pick(fewSegments)
      return segment === "**" && ++stars > 4 ? "*" : segment
    })
    .join("/")
}

/** Every path over the few names, up to four segments. */
export const everyFewPath: ReadonlyArray<string> = [1, 2, 3, 4].reduce<{ all: Array<string>; last: Array<string> }>(
  ({ all, last }) => {
    const longer = last.flatMap((path) =>
      ["a", "b", "ab", ".a"].map((name) => (path === "" ? name : `${path}/${name}`))
    )
    return { all: [...all, ...longer], last: longer }
  },
  { all: [], last: [""] }
).all
