/** The audit's system calls with a step that goes wrong: by name and number, so that a test can go through all of them. */
import { type AuditCalls, auditCalls } from "@memory-bridge/platform-posix/guard/AuditCalls"

export type Step = keyof AuditCalls

const stepNames: ReadonlyArray<Step> = [
  "user",
  "makeDirectory",
  "openDirectory",
  "openFile",
  "createFile",
  "facts",
  "factsAt",
  "lock",
  "unlock",
  "read",
  "write",
  "truncate",
  "sync",
  "close"
]

type AnyCall = (...args: ReadonlyArray<unknown>) => unknown

/** `around` gets each call in order, from 0, with what it would do. */
export const watched = (
  around: (step: Step, index: number, perform: AnyCall, args: ReadonlyArray<unknown>) => unknown
): AuditCalls => {
  const real = auditCalls()
  let index = 0
  const wrapped = stepNames.map((step) => [
    step,
    (...args: ReadonlyArray<unknown>) => around(step, index++, real[step] as AnyCall, args)
  ])
  return Object.fromEntries(wrapped) as unknown as AuditCalls
}

/** The steps of one run, in order. */
export const stepsOf = (run: (calls: AuditCalls) => void): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  run(
    watched((step, _index, perform, args) => {
      steps.push(step)
      return perform(...args)
    })
  )
  return steps
}
