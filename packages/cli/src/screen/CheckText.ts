/** A decision of the guardian for a person: the verdict, then everything that spoke for an action. */
import type { Decision } from "@memory-bridge/core/guard/Decision"
import type { Explained } from "@memory-bridge/core/guard/Explain"
import { show } from "../operator/Quote.ts"
import type { Look } from "./Results.ts"

const findingText = ({ action, decides, detail, operand, reason, rule, subject, why }: Explained): string =>
  [
    decides ? "*" : " ",
    action.padEnd(7),
    reason,
    ...(rule === null ? [] : [rule]),
    ...(subject === "" ? [] : [show(subject)]),
    ...(detail === "" ? [] : [operand === null ? `(${detail})` : `(path ${operand + 1} of the call: ${detail})`]),
    ...(why === "" ? [] : [`because: ${show(why)}`])
  ].join(" ")

export const checkText = ({ action }: Decision, findings: ReadonlyArray<Explained>, { paint }: Look): string =>
  [
    (action === "block" ? paint.bad : paint.good)(action),
    ...findings.map(findingText),
    "* decides. Nothing was recorded or carried out.",
    ""
  ].join("\n")
