/**
 * The connection file: where a Broker says how to find it, and where this host's credential lies. (recall-contract 1.4
 * "connection.json", seed 003 "MemHub-managed installation")
 *
 * Two absolute paths and a version, nothing secret, nothing else. Whether the file may be trusted is for its facts, see
 * TrustedFile.ts.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { components } from "../trust/TrustedPath.ts"
import * as StrictJson from "../policy/StrictJson.ts"
import { isAbsolutePath } from "./Settings.ts"

export const connectionFileName = "connection.json"
export const maxConnectionBytes = 4_096

export interface Connection {
  readonly discoveryFile: string
  readonly credentialFile: string
}

const Path = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter((path: string) =>
      isAbsolutePath(path) && typeof components(path) !== "string" ? undefined : "must be a canonical absolute path"
    )
  )
)

const ConnectionFile = Schema.Struct({
  version: Schema.Literal(1),
  discovery_file: Path,
  credential_file: Path
})

const decodeFile = Schema.decodeUnknownResult(ConnectionFile, { onExcessProperty: "error" })

/** A JSON text without byte order mark, duplicate keys or more than one meaning. */
export const strictJson = (text: string): Result.Result<unknown, "not_json" | "duplicate_key"> =>
  text.startsWith("\ufeff")
    ? Result.fail("not_json")
    : Result.mapError(StrictJson.parse(text), ({ rule }) => (rule === "duplicate_key" ? rule : "not_json"))

export type ConnectionDefect = "not_json" | "duplicate_key" | "wrong_form"

export const connectionOf = (text: string): Result.Result<Connection, ConnectionDefect> =>
  Result.flatMap(strictJson(text), (value) =>
    Result.mapBoth(decodeFile(value), {
      onSuccess: (file): Connection => ({ discoveryFile: file.discovery_file, credentialFile: file.credential_file }),
      onFailure: (): ConnectionDefect => "wrong_form"
    })
  )

export const connectionText = ({ credentialFile, discoveryFile }: Connection): string =>
  `${JSON.stringify({ version: 1, discovery_file: discoveryFile, credential_file: credentialFile }, undefined, 2)}\n`
