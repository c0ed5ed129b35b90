/**
 * The engine under attack, as a process of its own so that one that hangs can be ended: core and Linux adapter as they
 * ship, over system calls that count each open. Told on standard input what to do, one object per line.
 *
 *   engine.ts openat2|openat      with the kernel's own resolver, or with the base walk alone
 */
import { Bridge } from "@memory-bridge/core/host/Bridge"
import { layerOver } from "@memory-bridge/platform-linux/LinuxTree"
import { type LinuxCalls, linuxCalls } from "@memory-bridge/platform-linux/Syscalls"
import { ENOSYS } from "@memory-bridge/platform-posix/Errno"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import { ordinarySignals } from "../trace/Sidecar.ts"
import { noteId } from "./Place.ts"
import { count, emptyTally } from "./Tally.ts"

export interface Task {
  readonly home: string
  readonly milliseconds: number
  /** Goes on until it has made so many opens and the time is over. */
  readonly opens: number
}

/** Milliseconds between two signs of life. */
const beat = 200

const baseWalk = process.argv[2] === "openat"
let opens = 0
const counted = (calls: LinuxCalls): LinuxCalls => ({
  ...calls,
  openAt: (directory, name, flags) => {
    opens += 1
    return calls.openAt(directory, name, flags)
  },
  openAt2: baseWalk
    ? () => -ENOSYS
    : (directory, name, how) => {
        opens += 1
        return calls.openAt2(directory, name, how)
      }
})

const runtime = ManagedRuntime.make(
  Layer.merge(Bridge.layer.pipe(Layer.provide(layerOver(() => counted(linuxCalls())))), Logger.layer([]))
)

const say = (message: unknown): void => {
  writeSync(1, JSON.stringify(message) + "\n")
}

const hammer = ({ home, milliseconds, opens: enough }: Task): void => {
  const signals = ordinarySignals(home)
  const tally = emptyTally()
  opens = 0
  const end = performance.now() + milliseconds
  let next = performance.now() + beat
  let now = performance.now()
  const over = (): boolean => now >= end && opens >= enough
  while (!over()) {
    const read = tally.calls % 2 === 0
    const answer = runtime.runSync(
      Bridge.use((bridge) =>
        read ? bridge.read(signals, { id: noteId }) : bridge.search(signals, { query: "needle" })
      )
    )
    const after = performance.now()
    count(tally, answer, after - now)
    tally.opens = opens
    now = after
    if (now < next) continue
    next = now + beat
    say({ alive: tally })
  }
  say({ done: tally })
}

// Everything is bound and loaded before the first task.
runtime.runSync(Effect.andThen(Bridge, Effect.void))
say({ ready: true })
for await (const line of createInterface({ input: process.stdin })) hammer(JSON.parse(line) as Task)
