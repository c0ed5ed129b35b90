/** A `koffi` whose every function takes the next scripted result and errno. */
type Step = readonly [result: number | bigint, errno: number]

/** EBADF on Linux and macOS. */
export const EBADF_LIKE = 9

let steps: Array<Step> = []
let errno = 0

/** Sets what the next calls do; the array shows what is left. */
export const script = (next: Array<Step>): Array<Step> => {
  steps = next
  return steps
}

const call = (): number | bigint => {
  const step = steps.shift()
  if (step === undefined) throw new Error("one call too many")
  errno = step[1]
  return step[0]
}

export const module = { default: { load: () => ({ func: () => call }), errno: () => errno } }
