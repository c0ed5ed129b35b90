/**
 * A process that appends to an audit, and may be told to die in the middle: `home chain count [step before|after|half]`.
 * Prints one line for each append that was kept; retries only what is locked.
 */
import { randomUUID } from "node:crypto"
import * as AuditRecord from "@memory-bridge/core/guard/AuditRecord"
import { auditFile } from "@memory-bridge/platform-posix/guard/AuditFile"
import { watched } from "./Faults.ts"

const [home = "", chain, count, step, when] = process.argv.slice(2)

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

const audit = auditFile(calls, { chain: chain === "chain" })
for (let left = Number(count); left > 0;) {
  const record = AuditRecord.make(
    { action: "allow", reason: "tool_rule", rule: "tool:0" },
    "read_file",
    0,
    randomUUID()
  )
  const refusal = audit.append(home, record)
  if (refusal === undefined) {
    left -= 1
    process.stdout.write(`${record.id}\n`)
  } else if (refusal.fault !== "locked") {
    process.stdout.write(`refused ${refusal.subject} ${refusal.fault}\n`)
    left -= 1
  }
}
audit.close()
