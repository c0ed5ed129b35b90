/** The system calls of connecting, each with a number and a step that may go wrong. */
import { type ConnectCalls, connectCalls } from "memory-bridge/connect/Places"

export type Step = keyof ConnectCalls

type AnyCall = (...args: ReadonlyArray<unknown>) => unknown

/** `around` gets each call in order, from 0, with what it would do. */
export const watched = (
  around: (step: Step, index: number, perform: () => unknown, args: ReadonlyArray<unknown>) => unknown
): ConnectCalls => {
  const real = connectCalls()
  let index = 0
  const wrapped = (Object.keys(real) as Array<Step>).map((step) => [
    step,
    (...args: ReadonlyArray<unknown>) => around(step, index++, () => (real[step] as AnyCall)(...args), args)
  ])
  return Object.fromEntries(wrapped) as ConnectCalls
}

export const stepsOf = (run: (calls: ConnectCalls) => unknown): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  run(
    watched((step, _index, perform) => {
      steps.push(step)
      return perform()
    })
  )
  return steps
}

/** Steps that leave something on the disk. */
export const changing: ReadonlySet<string> = new Set(
  "makeDirectory removeDirectory createNew write sync setMode setGroup rename unlink".split(" ")
)

export type Moment = "before" | "half" | "after"

/** `end` is called at that step, and what comes after it must not happen any more. */
export const endingAt = (at: number, moment: Moment, end: () => never): ConnectCalls =>
  watched((step, index, perform, args) => {
    if (index > at) return end()
    if (index < at) return perform()
    if (moment === "before") return end()
    if (moment === "half" && step === "write") {
      const [descriptor, bytes] = args as [number, Uint8Array]
      connectCalls().write(descriptor, bytes.subarray(0, bytes.length / 2))
      return end()
    }
    perform()
    return end()
  })
