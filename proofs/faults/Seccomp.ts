/**
 * The built sidecar where `openat2` is refused by the kernel itself, as old container sandboxes do: it answers every
 * call as it does with it. (design.md section 5: ENOSYS and EPERM fall back to the base walk)
 */
import { spawnSync } from "node:child_process"
import { isDeepStrictEqual } from "node:util"
import { without } from "../trace/Filter.ts"
import { nodeCommand, ordinarySignals, startSidecar } from "../trace/Sidecar.ts"
import { real } from "./Injection.ts"
import type { Notes } from "./Notes.ts"

const answersOf = async (command: ReadonlyArray<string>, { place, refused, served }: Notes, filtered: boolean) => {
  const sidecar = startSidecar(command)
  try {
    const signals = ordinarySignals(place.home)
    const answers: Array<readonly [string, unknown]> = []
    const query = { query: "needle", limit: 10 }
    answers.push(["search", await sidecar.ask("memory_bridge.search", { signals, arguments: query })])
    const status = real.readFileSync(`/proc/${sidecar.child.pid}/status`, "utf8")
    const underFilter = /^Seccomp:\t2$/m.test(status)
    if (underFilter !== filtered) throw new Error("the filter is not as it should be")
    for (const id of [...served, ...refused]) {
      answers.push([`read ${id}`, await sidecar.ask("memory_bridge.read", { signals, arguments: { id } })])
    }
    return answers
  } finally {
    await sidecar.end()
  }
}

export const refusedByFilter = async (notes: Notes, sidecar: string) => {
  const command = [...nodeCommand(), sidecar]
  const [program = "", ...args] = without("ENOSYS", ["openat2"], ["/bin/true"])
  const tried = spawnSync(program, args, { encoding: "utf8" })
  if (tried.status !== 0) return { lines: [`seccomp: skipped, ${tried.stderr.trim()}`], defects: [] }
  const lines: Array<string> = []
  const defects: Array<string> = []
  const usual = await answersOf(command, notes, /^Seccomp:\t2$/m.test(real.readFileSync("/proc/self/status", "utf8")))
  const served = usual.filter(([, answer]) => (answer as { readonly ok: boolean }).ok).length
  if (served !== notes.served.length + 1) defects.push(`without a filter ${served} calls were answered`)
  for (const errno of ["ENOSYS", "EPERM"] as const) {
    const answers = await answersOf(without(errno, ["openat2"], command), notes, true)
    const other = answers.filter(([call, answer], at) => !isDeepStrictEqual([call, answer], usual[at]))
    defects.push(...other.map(([call]) => `openat2 refused with ${errno}: ${call} is answered otherwise`))
    lines.push(`openat2 refused by seccomp with ${errno}: ${answers.length} calls, ${other.length} answered otherwise`)
  }
  return { lines, defects }
}
