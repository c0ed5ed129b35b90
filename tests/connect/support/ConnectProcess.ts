/** A process that connects or disconnects a home and dies in the middle: `home connect|disconnect step before|half|after`. */
import { endingAt, type Moment } from "./Faults.ts"
import { connected, disconnected, small } from "./Homes.ts"

const [home = "", way = "", step = "", moment = ""] = process.argv.slice(2)

const die = (): never => {
  process.kill(process.pid, "SIGKILL")
  throw new Error("alive")
}

const calls = endingAt(Number(step), moment as Moment, die)
process.stdout.write(
  way === "connect" ? connected(home, small(["memory-bridge", "hy_memory"]), calls) : disconnected(home, calls)
)
