/** What a piece of work costs, whatever else the machine does at the time. */
import { assert } from "@effect/vitest"

/** Asserts that the work takes less processor time than so many milliseconds. */
export const costsLess = (milliseconds: number, work: () => void): void => {
  const before = process.threadCpuUsage()
  work()
  const { system, user } = process.threadCpuUsage(before)
  assert.isBelow((system + user) / 1_000, milliseconds, "milliseconds of processor time")
}
