/** A process that activates a policy, and may be told to die in the middle: `home event target [step before|after|half]`. */
import type { PolicyChange } from "@memory-bridge/core/guard/AuditRecord"
import type { PolicySetting } from "@memory-bridge/core/guard/Settings"
import { outcome, watched } from "./ActivationFaults.ts"

const [home = "", event = "", target = "", step, when] = process.argv.slice(2)

const die = (): never => {
  process.kill(process.pid, "SIGKILL")
  throw new Error("alive")
}

const calls = watched((name, index, perform, args) => {
  if (step === undefined || index !== Number(step)) return perform(...args)
  if (when === "before") return die()
  if (when === "half" && name === "write") {
    const [descriptor, bytes] = args as [number, Uint8Array]
    perform(descriptor, bytes.subarray(0, bytes.length / 2))
    return die()
  }
  perform(...args)
  return die()
})

process.stdout.write(
  await outcome({ home, event: event as PolicyChange, target: JSON.parse(target) as PolicySetting }, calls)
)
