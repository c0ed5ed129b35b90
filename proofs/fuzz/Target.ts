/**
 * What is fuzzed: a name, inputs to start from, and the properties that hold for every input. (issue 6 "Fuzz")
 *
 * Every input is one string, so that one mutation, one shrinking and one form of corpus serve all. Where the target takes
 * bytes each character stands for one; where it takes several texts, a line feed stands between them.
 */
import type { Random } from "../../tests/guard/support/Random.ts"

export interface Target {
  readonly name: string
  readonly input: "text" | "bytes"
  /** Whether most inputs are JSON, to be changed as such too. */
  readonly json: boolean
  /** Pieces that mean something to the target. */
  readonly words: ReadonlyArray<string>
  readonly seeds: ReadonlyArray<string>
  /** A new input near what is accepted. */
  readonly make?: (random: Random) => string
  /** Throws for an input that breaks a property. Whatever it throws is a finding. */
  readonly check: (input: string) => void
  /** Asks an independent program about many inputs at once, and gives back those that it reads otherwise. */
  readonly compare?: (inputs: ReadonlyArray<string>) => ReadonlyArray<Difference>
}

export interface Difference {
  readonly input: string
  readonly detail: string
}

/** A property, as a sentence, that an input breaks. */
export class Broken extends Error {
  readonly property: string

  constructor(property: string, detail: string) {
    super(detail === "" ? property : `${property}: ${detail}`)
    this.property = property
  }
}

export const holds = (property: string, condition: boolean, detail = ""): void => {
  if (!condition) throw new Broken(property, detail)
}

const stable = (value: unknown): unknown =>
  value instanceof Map
    ? ["map", ...Array.from(value, ([key, one]) => [stable(key), stable(one)])]
    : Array.isArray(value)
      ? value.map(stable)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .toSorted(([one], [other]) => (one < other ? -1 : 1))
              .map(([key, one]) => [key, stable(one)])
          )
        : typeof value === "bigint"
          ? `${value}n`
          : value

/** One text for equal data. */
export const canonical = (value: unknown): string => JSON.stringify(stable(value)) ?? "undefined"

export const same = (property: string, one: unknown, other: unknown): void => {
  const [first, second] = [canonical(one), canonical(other)]
  holds(property, first === second, `${first.slice(0, 300)} is not ${second.slice(0, 300)}`)
}

export const bytesOf = (input: string): Buffer => Buffer.from(input, "latin1")

/** A text as the bytes of a byte target. */
export const inUtf8 = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

/** How deep brackets may nest at most: independent readers that recurse are not asked beyond their stack. */
export const nesting = (text: string): number => text.length - text.replaceAll(/[[{]/g, "").length

/** The lines of an input that holds several texts; missing ones are empty, the last one takes the rest. */
export const partsOf = (input: string, count: number): ReadonlyArray<string> => {
  const lines = input.split("\n")
  return Array.from({ length: count }, (_, index) =>
    index < count - 1 ? (lines[index] ?? "") : lines.slice(count - 1).join("\n")
  )
}

/** A value that no refusal may repeat. Stands among the words of the strict decoders. */
export const secret = "xq9secret"
