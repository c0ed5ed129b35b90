/** Counts by a code, with the first example of each, in the order in which they were met. */
export interface Tally<Code> {
  readonly note: (code: Code, example: string) => void
  readonly all: () => ReadonlyArray<readonly [code: Code, count: number, example: string]>
}

export const tally = <Code>(): Tally<Code> => {
  const found = new Map<Code, { count: number; example: string }>()
  return {
    note: (code, example) => {
      const before = found.get(code)
      if (before === undefined) found.set(code, { count: 1, example })
      else before.count++
    },
    all: () => Array.from(found, ([code, { count, example }]) => [code, count, example] as const)
  }
}
