/** What the doctor found, for a person: by area, the severity in words, the cause, and the cure in one piece. */
import type { Report } from "../operator/doctor/Doctor.ts"
import { type Finding, type Severity, severities, worstOf } from "../operator/doctor/Finding.ts"
import { show } from "../operator/Quote.ts"
import type { Look } from "./Results.ts"
import { wrap } from "./Wrap.ts"

const words: Readonly<Record<Severity, string>> = { ok: "ok", info: "info", warning: "WARN", error: "FAIL" }

const painted = (severity: Severity, { paint }: Look): string => {
  const word = words[severity].padEnd(4)
  return severity === "ok" ? paint.good(word) : severity === "info" ? word : paint.bad(word)
}

const indent = "     "

const room = ({ width }: Look, indented: string): number | undefined =>
  width === undefined ? undefined : Math.max(width - indented.length, 8)

const findingText = ({ code, cure, details, severity, text }: Finding, look: Look): ReadonlyArray<string> => {
  const [first = "", ...rest] = wrap(`${text} [${code}]`, room(look, indent))
  return [
    `${painted(severity, look)} ${first}`,
    ...rest.map((line) => indent + line),
    ...details.flatMap((detail) =>
      wrap(detail, room(look, `${indent}  `)).map((line) => `${indent}  ${look.paint.dim(line)}`)
    ),
    // Not wrapped: a command must be copied in one piece.
    ...(cure === "" || severity === "ok" ? [] : [`${indent}-> ${cure}`])
  ]
}

const counted = (findings: ReadonlyArray<Finding>): string =>
  severities
    .map((severity) => [severity, findings.filter((finding) => finding.severity === severity).length] as const)
    .filter(([, count]) => count > 0)
    .map(([severity, count]) => `${count} ${severity}`)
    .join(", ")

export const doctorText = ({ findings, home }: Report, look: Look): string => {
  const areas = [...new Set(findings.map(({ area }) => area))]
  const worst = worstOf(findings)
  const end = `${counted(findings)}. Nothing was changed.`
  return [
    ...wrap(`Home: ${show(home)}`, look.width),
    ...areas.flatMap((area) =>
      [look.paint.strong(area)].concat(
        findings.filter((finding) => finding.area === area).flatMap((finding) => findingText(finding, look))
      )
    ),
    ...wrap(end, look.width).map(worst === "ok" || worst === "info" ? look.paint.good : look.paint.bad),
    ""
  ].join("\n")
}
