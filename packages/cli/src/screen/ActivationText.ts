/** What an activation shows before it asks, says after it is done, and why it refused; and the state of the guard. */
import type { ActivationRefused } from "@memory-bridge/core/lab/ActivationPlace"
import { type Activated, leastDigits, type Reviewed, weakenedBy } from "@memory-bridge/core/lab/Activation"
import type { Change, Difference } from "@memory-bridge/core/lab/Difference"
import { activationCure, placeOf } from "../operator/ActivationCure.ts"
import type { GuardState } from "../operator/GuardStatus.ts"
import { show } from "../operator/Quote.ts"
import type { Look } from "./Results.ts"

const changeText = ({ after, before, classes, tool }: Change): string =>
  `  ${tool === null ? "any other tool" : show(tool)}: ${before.action} -> ${after.action}` +
  ` (${before.rule ?? before.reason} -> ${after.rule ?? after.reason}; ${classes} ${classes === 1 ? "class" : "classes"})`

/** Changes that are named; the review has them all. */
const shownChanges = 20

export const aboutToActivate = (reviewed: Reviewed & { readonly difference: Difference }, { paint }: Look): string => {
  const { linked, strengthened, weakened } = reviewed.difference
  const open = [...weakened, ...linked]
  const more = open.length - shownChanges
  const count = weakenedBy(reviewed)
  return [
    `active    ${reviewed.active.fingerprint}`,
    `proposed  ${reviewed.proposed.fingerprint}`,
    count === 0
      ? paint.good("Nothing is refused less than before.")
      : paint.bad(`${count} ${count === 1 ? "class" : "classes"} of calls will be refused less than before:`),
    ...open.slice(0, shownChanges).map(changeText),
    ...(more > 0 ? [`  and ${more} more changes; see memory-bridge guardian review`] : []),
    `${strengthened.length} ${strengthened.length === 1 ? "change makes" : "changes make"} it stricter.`,
    ""
  ].join("\n")
}

export const askFingerprint = `To go on, type the fingerprint of the proposed policy (${leastDigits} digits or more): `
export const askWeakened = "and the number of weakened classes: "

export const activatedText = ({ backup, recorded, removed, to }: Activated, where: string, { paint }: Look): string =>
  [
    ...(backup === undefined
      ? ["That policy is active already. Nothing was changed."]
      : [
          paint.good(`Active now: ${to}`),
          `Written by ${where}, and read back.`,
          `The former policy is kept as ${backup}.`
        ]),
    ...removed.map((name) => `The old backup ${name} was removed: only so many are kept.`),
    ...(recorded
      ? []
      : [paint.bad("The audit has the record that this began, and could not take the one that it is done.")]),
    ""
  ].join("\n")

export const refusedText = (refusal: ActivationRefused, home: string): string => {
  const { cure, meaning } = activationCure(refusal, home)
  const place = placeOf(home, refusal.subject)
  return [
    `memory-bridge: The policy was not ${refusal.reason === "not_read_back" ? "confirmed" : "changed"}.`,
    `  component  ${place === "" ? refusal.subject : show(place)}`,
    `  rule       ${refusal.reason}${refusal.detail === "" ? "" : ` (${refusal.detail})`}: it ${meaning}`,
    `  cure       ${cure}`,
    ""
  ].join("\n")
}

export const statusText = (state: GuardState, { paint }: Look): string => {
  const { audit, backups, mode, policy } = state
  return [
    `home      ${show(state.home)}`,
    `mode      ${mode === "enforce" ? mode : mode === "log_only" ? paint.bad("log_only: decisions are recorded, nothing is enforced") : paint.bad(`${mode}: every call is blocked`)}`,
    policy.state === "refused"
      ? `policy    ${paint.bad("cannot be read")}`
      : `policy    ${policy.fingerprint} ${policy.state === "built_in" ? "(built in: none is set)" : policy.state === "invalid" ? paint.bad("(not valid: every call is blocked)") : "(set)"}`,
    `audit     ${
      audit.problems.length === 0
        ? `${audit.records} records, no problem`
        : audit.problems
            .map(({ problem }) => problem)
            .slice(0, 5)
            .join(", ")
    }`,
    backups.length === 0 ? "backups   none" : `backups   ${backups.length}, newest last:`,
    ...backups.map(
      ({ backup, name }) =>
        `  ${name}  ${backup === undefined ? paint.bad("not whole") : backup.fingerprint.slice(0, leastDigits)}`
    ),
    ""
  ].join("\n")
}
