/**
 * How does everything stand in a home, and what is to be done? (issue 7 item 2)
 *
 * A look and no more: nothing in the home is made, changed or locked. Each part has a module of its own; here is only the
 * order, which is that in which things depend on each other.
 */
import * as Effect from "effect/Effect"
import { Stopped } from "../../Exit.ts"
import { doctorText } from "../../screen/DoctorText.ts"
import { Screen } from "../../screen/Screen.ts"
import { homeOf } from "../HermesHome.ts"
import { hostConfig } from "./Config.ts"
import { fenceFindings } from "./Fences.ts"
import { exitCodeOf, type Finding, severities, worstOf } from "./Finding.ts"
import { guardFindings } from "./Guarding.ts"
import { permissionFindings } from "./Permissions.ts"
import { installed } from "./Plugins.ts"
import { findHost, nodeOfHost, ownNode, pluginNode } from "./Programs.ts"
import { recallFindings } from "./Sources.ts"

export interface Report {
  readonly home: string
  readonly findings: ReadonlyArray<Finding>
}

export const examine = Effect.fnUntraced(function* (home: string) {
  const config = hostConfig(home)
  const host = findHost(home)
  const node = pluginNode(config, nodeOfHost(host.host))
  const plugins = installed(home, config)
  const findings: ReadonlyArray<Finding> = [
    ownNode(),
    ...node.findings,
    ...host.findings,
    ...config.findings,
    ...plugins.findings,
    ...(yield* permissionFindings(home)),
    ...fenceFindings(home, plugins.states["memory-bridge"], node),
    ...(yield* recallFindings(home, plugins.states["hy_memory"], config)),
    ...(yield* guardFindings(home, plugins.states["hermes-guardian"], config, host.host))
  ]
  const report: Report = { home, findings }
  return report
})

export interface DoctorOptions {
  readonly profile: string | undefined
  readonly json: boolean
}

const asJson = ({ findings, home }: Report): string => {
  const worst = worstOf(findings)
  const counts = Object.fromEntries(
    severities.map((severity) => [severity, findings.filter((finding) => finding.severity === severity).length])
  )
  return JSON.stringify({ version: 1, home, worst, counts, findings }) + "\n"
}

export const doctor = Effect.fnUntraced(function* ({ json, profile }: DoctorOptions) {
  const screen = yield* Screen
  const report = yield* examine(homeOf(profile))
  yield* screen.out(json ? asJson(report) : doctorText(report, screen))
  const code = exitCodeOf(worstOf(report.findings))
  if (code !== 0) return yield* new Stopped({ code })
})
