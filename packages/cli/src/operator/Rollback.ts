/**
 * Goes back to a policy that was in force before: an activation with a review and a confirmation of its own. (cases/guard.md
 * section 5 "Rollback")
 */
import { meaningOf } from "@memory-bridge/core/lab/Activation"
import { ActivationRefused, ActiveSettings, refused } from "@memory-bridge/core/lab/ActivationPlace"
import * as Backup from "@memory-bridge/core/lab/Backup"
import { fingerprintOf } from "@memory-bridge/core/lab/Fingerprint"
import { look } from "@memory-bridge/platform-posix/lab/BackupFiles"
import { sha256 } from "@memory-bridge/platform-posix/lab/Fingerprint"
import { labCalls } from "@memory-bridge/platform-posix/lab/LabCalls"
import * as Effect from "effect/Effect"
import { homedir } from "node:os"
import { settingsLayer } from "../config/Settings.ts"
import { exitCodes, Stopped } from "../Exit.ts"
import { refusedText } from "../screen/ActivationText.ts"
import { Screen } from "../screen/Screen.ts"
import { putInForce, type Typed } from "./Activate.ts"
import { homeOf } from "./HermesHome.ts"

export interface RollbackOptions extends Typed {
  /** Name, id or beginning of the fingerprint of a backup; `undefined` for the newest that is not in force. */
  readonly backup: string | undefined
  readonly home: string | undefined
  readonly json: boolean
}

export const rollBack = Effect.fnUntraced(function* (options: RollbackOptions) {
  const screen = yield* Screen
  const home = homeOf(options.home)
  const calls = labCalls()
  const stopped = (refusal: ActivationRefused, code: 2 | 3) =>
    Effect.andThen(screen.err(refusedText(refusal, home)), Effect.fail(new Stopped({ code })))
  const kept = look(calls, home)
  if (kept instanceof ActivationRefused) return yield* stopped(kept, exitCodes.refused)
  const active = yield* ActiveSettings.use(({ read }) => read).pipe(
    Effect.provide(settingsLayer(home, calls).layer),
    Effect.catchTag("ActivationRefused", (refusal) => stopped(refusal, exitCodes.refused))
  )
  const fingerprint = fingerprintOf(sha256, meaningOf(active.policy, homedir()).policy)
  const backup = options.backup === undefined ? Backup.previous(kept, fingerprint) : Backup.named(kept, options.backup)
  if (backup === undefined) return yield* stopped(refused("no_backup", "backups"), exitCodes.notFound)
  if (!meaningOf(backup.setting, homedir()).valid) {
    return yield* stopped(refused("policy_invalid", "review"), exitCodes.refused)
  }
  return yield* putInForce({
    home,
    event: "policy_rolled_back",
    target: backup.setting,
    typed: options,
    json: options.json
  })
})
