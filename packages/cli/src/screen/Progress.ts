/**
 * How far a long run is, for somebody who waits at a terminal. (issue 5 item 2 "progress bar on long runs")
 *
 * Nothing is shown where nobody looks, nor for a run that is over in a moment; and at the end nothing is left of it.
 */

export interface Waiting {
  readonly isTerminal: boolean
  /** Cells of a line; 0 where the terminal does not say. */
  readonly columns: number
  readonly write: (text: string) => void
  /** Milliseconds, from any start. */
  readonly now: () => number
}

export interface Progress {
  readonly at: (done: number, of: number) => void
  readonly end: () => void
}

/** Milliseconds before anything is shown, and between two pictures. */
const moment = 400
const pause = 100

const mostCells = 40
const leastCells = 8

/** Fits into the line with one cell to spare, where some terminals would break it. */
export const barOf = (done: number, of: number, columns: number): string => {
  const share = of === 0 ? 1 : Math.min(done / of, 1)
  const text = ` ${Math.floor(share * 100)} % of ${of} calls`
  const cells = Math.min(mostCells, (columns === 0 ? 80 : columns) - text.length - 3)
  if (cells < leastCells) return text.trimStart()
  const full = Math.floor(share * cells)
  return `[${"#".repeat(full)}${".".repeat(cells - full)}]${text}`
}

export const progressOn = ({ columns, isTerminal, now, write }: Waiting): Progress => {
  const start = now()
  let last = -Infinity
  let shown = 0
  const clear = (): void => {
    if (shown > 0) write(`\r${" ".repeat(shown)}\r`)
    shown = 0
  }
  return {
    at: (done, of) => {
      const time = now()
      if (!isTerminal || time - start < moment || time - last < pause) return
      last = time
      clear()
      const bar = barOf(done, of, columns)
      write(bar)
      shown = bar.length
    },
    end: clear
  }
}

/** On the process's own standard error. */
export const standardWaiting = (): Waiting => ({
  isTerminal: process.stderr.isTTY,
  columns: process.stderr.columns ?? 0,
  write: (text) => void process.stderr.write(text),
  now: () => performance.now()
})
