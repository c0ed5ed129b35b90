/**
 * The seen set as it stands in its file: ids and digests, never content. (seed 003 "Recall lifecycle", recall-contract
 * 1.4 "hy-memory-seen.json")
 *
 * Decoding is strict and bounded. What is not exactly this form is nobody's state, and the store sets it aside.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { strictJson } from "./Connection.ts"
import { isItemId } from "./Item.ts"
import { maxSessions, maxShown, type SeenState, type Shown } from "./Seen.ts"

export const stateDirectoryName = ".one-memory"
export const stateFileName = "hy-memory-seen.json"

/** Bytes of the file. */
export const maxStateBytes = 1_048_576

export const Id = Schema.String.pipe(
  Schema.check(Schema.makeFilter((id: string) => (isItemId(id) ? undefined : "is no id")))
)
export const Digest = Schema.String.pipe(Schema.check(Schema.isPattern(/^[0-9a-f]{16,64}$/)))

const StateFile = Schema.Struct({
  version: Schema.Literal(1),
  key: Schema.String.pipe(Schema.check(Schema.isPattern(/^[A-Za-z0-9-]{32,128}$/))),
  sessions: Schema.Array(
    Schema.Struct({
      session: Id,
      shown: Schema.Array(Schema.Tuple([Id, Digest])).pipe(Schema.check(Schema.isMaxLength(maxShown)))
    })
  ).pipe(Schema.check(Schema.isMaxLength(maxSessions)))
})

const decodeFile = Schema.decodeUnknownResult(StateFile, { onExcessProperty: "error" })

/** `undefined` for what is not such a file. */
export const stateOf = (text: string): SeenState | undefined => {
  const decoded = Result.flatMap(strictJson(text), decodeFile)
  if (Result.isFailure(decoded)) return undefined
  const { key, sessions } = decoded.success
  const map = new Map<string, Shown>(sessions.map(({ session, shown }) => [session, new Map(shown)]))
  return map.size === sessions.length ? { key, sessions: map } : undefined
}

const textOf = ({ key }: SeenState, left: ReadonlyArray<readonly [string, Shown]>): string =>
  `${JSON.stringify({ version: 1, key, sessions: left.map(([session, shown]) => ({ session, shown: [...shown] })) })}\n`

/** Bytes of a text in JSON, at most. Ids and digests hold no control characters. */
const bytesOf = (text: string): number => {
  let bytes = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    bytes += unit >= 0x80 ? 3 : unit === 0x22 || unit === 0x5c ? 2 : 1
  }
  return bytes
}

/** With all that stands round them. */
const weight = ([session, shown]: readonly [string, Shown]): number => {
  let bytes = bytesOf(session) + 40
  for (const [id, digest] of shown) bytes += bytesOf(id) + bytesOf(digest) + 8
  return bytes
}

/** The sessions touched last that fit. */
export const stateText = (state: SeenState): string => {
  const newest: Array<readonly [string, Shown]> = []
  let left = maxStateBytes - 200
  for (const entry of [...state.sessions].toReversed()) {
    left -= weight(entry)
    if (left < 0) break
    newest.push(entry)
  }
  return textOf(state, newest.toReversed())
}
