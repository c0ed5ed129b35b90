/**
 * A stand-in for the guardian's sidecar that raises the same fences in the same order, then writes its audit and tries to
 * write everything else. The tests bundle it as the product is bundled; nothing of it ships.
 *
 *   FenceProbe.cjs HOME OTHER_HOME OUTSIDE
 */
import { raiseFences } from "@memory-bridge/hermes-plugin/Fences"
import { platformFor } from "@memory-bridge/hermes-plugin/Platform"
import { AuditLog } from "@memory-bridge/core/guard/AuditLog"
import * as AuditFile from "@memory-bridge/platform-posix/guard/AuditFile"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { writeFile } from "node:fs/promises"

const [, , home, otherHome, outside] = process.argv as [string, string, string, string, string]

const fences = raiseFences(() => platformFor(process.platform).landlock(AuditFile.openDirectory(home)))

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "failed"

const attempt = (act: () => void): string => {
  try {
    act()
    return "done"
  } catch (error) {
    return codeOf(error)
  }
}

/** Everything of the home that is not the audit, and what is not of the home at all. */
const targets: Readonly<Record<string, string>> = {
  config: `${home}/config.yaml`,
  newInHome: `${home}/new`,
  newInPluginData: `${home}/plugin-data/new`,
  otherPlugin: `${home}/plugin-data/memory-bridge/policy.json`,
  outside: `${outside}/there`,
  newOutside: `${outside}/new`
}

const record = {
  event: "policy_decision",
  time: "2026-01-02T03:04:05.000Z",
  id: "00000000-0000-4000-8000-000000000001",
  action: "block",
  reason: "default_action",
  rule: null,
  tool: "other"
} as const

const append = (to: string): Promise<string> =>
  AuditLog.use((log) => log.append(to, record)).pipe(
    Effect.as("kept"),
    Effect.catch(({ fault }) => Effect.succeed(fault)),
    Effect.provide(AuditFile.layer({ chain: false })),
    Effect.runPromise
  )

const main = async (): Promise<void> => {
  const audit = `${home}/plugin-data/hermes-guardian/audit.jsonl`
  const outcome = {
    fences,
    audit: await append(home),
    otherAudit: await append(otherHome),
    sync: Object.entries(targets).map(([name, path]) => [name, attempt(() => fs.appendFileSync(path, "x"))]),
    // More at once than the pool has threads.
    async: await Promise.all(
      Object.entries(targets).map(async ([name, path]) => [name, await writeFile(path, "x").then(() => "done", codeOf)])
    ),
    removal: attempt(() => fs.unlinkSync(audit)),
    directory: attempt(() => fs.mkdirSync(`${home}/plugin-data/more`))
  }
  fs.writeSync(1, JSON.stringify(outcome) + "\n")
}

void main()
