/** Audit files for tests, drawn line by line. */
import { createHash } from "node:crypto"
import { lineOf } from "@memory-bridge/core/guard/AuditRecord"

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The lines of `count` records; `chain` makes each carry the hash of the one before. */
export const auditLines = (count: number, chain: "chain" | "loose" = "loose"): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (let number = 1; number <= count; number++) {
    const record = {
      event: "policy_decision",
      time: `2026-01-02T03:04:0${number}.000Z`,
      id: `00000000-0000-4000-8000-00000000000${number}`,
      action: "block",
      reason: "default_action",
      rule: null,
      tool: "other"
    } as const
    lines.push(lineOf(chain === "chain" ? { ...record, previous: sha256(lines.at(-1) ?? "") } : record))
  }
  return lines
}

export const textOf = (lines: ReadonlyArray<string>): string => lines.map((line) => line + "\n").join("")
