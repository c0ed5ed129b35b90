/**
 * Is an audit file whole, and if not, how does the operator go on? (issue 3 part 5, seed 004 "Audit and operations")
 *
 * Reading and judging are the platform's and the core's; here is where the file lies and what the end of the command is.
 * Nothing is repaired, moved or deleted: what to type is printed, and a person decides.
 */
import { auditFileOf } from "@memory-bridge/core/guard/Installation"
import { verify } from "@memory-bridge/platform-posix/guard/AuditVerify"
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import { exitCodes, Stopped } from "../Exit.ts"
import { auditJson, auditText } from "../screen/AuditText.ts"
import { Screen } from "../screen/Screen.ts"
import { homeOf } from "./HermesHome.ts"

export interface AuditOptions {
  /** The audit file, or `undefined` for that of the home. */
  readonly file: string | undefined
  /** The Hermes home, or `undefined` for the one that Hermes itself would take. */
  readonly home: string | undefined
  readonly json: boolean
}

export const verifyAudit = Effect.fnUntraced(function* ({ file, home, json }: AuditOptions) {
  const screen = yield* Screen
  if (file !== undefined && home !== undefined) {
    yield* screen.err("memory-bridge: Name either the audit file or a home, not both.\n")
    return yield* new Stopped({ code: exitCodes.invalid })
  }
  const path = file === undefined ? auditFileOf(homeOf(home)) : resolve(file)
  const report = yield* Effect.sync(() => verify(path))
  yield* screen.out(json ? auditJson(path, report) : auditText(path, report, screen))
  if (report.problems.length === 0) return
  const absent = report.problems.some(({ problem }) => problem === "missing")
  return yield* new Stopped({ code: absent ? exitCodes.notFound : exitCodes.refused })
})
