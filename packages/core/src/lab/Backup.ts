/**
 * A former policy as it is kept, so that there is always a way back. (seed 004 "stores owner-only policy backups")
 *
 * It holds the setting alone, as the host gave it, and never the rest of the host's configuration, where keys may stand.
 * Only so many are kept; which go is decided by their names, which begin with their time.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { PolicySetting } from "../guard/Settings.ts"
import * as StrictJson from "../policy/StrictJson.ts"

/** Bytes of one file. The longest setting fits in, in any script. */
export const maxBackupBytes = 1024 * 1024
export const mostBackups = 32

const Time = Schema.String.pipe(Schema.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)))
const Id = Schema.String.pipe(Schema.check(Schema.isPattern(/^[A-Za-z0-9-]{1,64}$/)))

export const Backup = Schema.Struct({
  version: Schema.Literal(1),
  /** When it was replaced. */
  time: Time,
  id: Id,
  /** Of the policy that the setting meant then. */
  fingerprint: Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9a-f]{64}$/))),
  setting: PolicySetting
})
export type Backup = typeof Backup.Type

/** `time` in milliseconds since 1970. */
export const make = (setting: PolicySetting, fingerprint: string, time: number, id: string): Backup => ({
  version: 1,
  time: new Date(time).toISOString(),
  id,
  fingerprint,
  setting
})

export const nameOf = ({ id, time }: Backup): string => `${time.replaceAll(/[-:.]/g, "")}-${id}.json`

export const isName = (name: string): boolean => /^\d{8}T\d{9}Z-[A-Za-z0-9-]{1,64}\.json$/.test(name)

export const textOf = (backup: Backup): string => JSON.stringify(backup, undefined, 2) + "\n"

const decode = Schema.decodeUnknownResult(Backup, { onExcessProperty: "error" })

/** `undefined` where the text is no backup, or not the one that the name says. */
export const fromText = (name: string, text: string): Backup | undefined => {
  const backup = Result.getOrElse(Result.flatMap(StrictJson.parse(text), decode), () => undefined)
  return backup !== undefined && nameOf(backup) === name ? backup : undefined
}

/** One that is kept; `undefined` where the file is none that can be trusted. */
export interface Kept {
  readonly name: string
  readonly backup: Backup | undefined
}

/** The one to go back to if none is named: the newest that is not the policy in force. */
export const previous = (kept: ReadonlyArray<Kept>, active: string): Backup | undefined =>
  kept.findLast(({ backup }) => backup !== undefined && backup.fingerprint !== active)?.backup

/** Those that are one too many, oldest first. `kept` is in the order of names. */
export const surplus = (kept: ReadonlyArray<Kept>): ReadonlyArray<Kept> =>
  kept.slice(0, Math.max(0, kept.length - mostBackups))

/** Whether a name, its id or a fingerprint's beginning is meant. */
export const named = (kept: ReadonlyArray<Kept>, asked: string): Backup | undefined =>
  kept.findLast(
    ({ backup, name }) =>
      backup !== undefined &&
      (name === asked || backup.id === asked || (asked.length >= 12 && backup.fingerprint.startsWith(asked)))
  )?.backup
