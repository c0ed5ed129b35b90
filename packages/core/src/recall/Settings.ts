/**
 * The environment table of seed 003 "Optional operator-managed direct mode": names, defaults, exact ranges.
 *
 * A setting that cannot be used is never replaced by its default in silence; recall is then off and names it. What
 * only direct mode reads cannot spoil another mode. The last three rows are **beyond** the seed.
 */
import * as Result from "effect/Result"
import { type Credential, credentialOf } from "./Credential.ts"
import { type Endpoint, endpointOf } from "./Endpoint.ts"

/** The variables as the host has them; names that are not of the table are left alone. */
export type Environment = Readonly<Record<string, string>>

export interface Settings {
  /** For one recall as a whole. */
  readonly timeoutMillis: number
  /** Items of one recall. */
  readonly limit: number
  /** Code points of one block. */
  readonly maxChars: number
  /** Of one answer. */
  readonly maxBodyBytes: number
  readonly autoRecall: boolean
  /** Whether the profile's notes serve where neither a Broker nor a server is configured. */
  readonly notes: boolean
  /** Whether a turn waits, shortly, for what belongs to its own question. */
  readonly fresh: boolean
  /** Whether what looks like a secret is masked in what is recalled. */
  readonly maskSecrets: boolean
}

export interface ServerSettings {
  readonly endpoint: Endpoint
  readonly userId: string
  readonly agentId: string
  readonly apiKey: Credential | undefined
  /** Absolute path. */
  readonly caFile: string | undefined
  readonly writeTimeoutMillis: number
  readonly autoCapture: boolean
}

export interface SettingDefect {
  /** Name of the variable. */
  readonly variable: string
  readonly rule: string
}

type Reading<A> = Result.Result<A, SettingDefect>

const defect = (variable: string, rule: string) => Result.fail<SettingDefect>({ variable, rule })

const valueOf = (environment: Environment, name: string): string | undefined =>
  Object.hasOwn(environment, name) ? environment[name] : undefined

const decimal = /^(?:0|[1-9]\d{0,6})(?:\.\d{1,6})?$/

const number = (
  environment: Environment,
  name: string,
  least: number,
  most: number,
  otherwise: number
): Reading<number> => {
  const text = valueOf(environment, name)
  if (text === undefined) return Result.succeed(otherwise)
  const value = decimal.test(text) ? Number(text) : Number.NaN
  return value >= least && value <= most
    ? Result.succeed(value)
    : defect(name, `must be a number of seconds from ${least} to ${most}`)
}

const integer = (
  environment: Environment,
  name: string,
  least: number,
  most: number,
  otherwise: number
): Reading<number> => {
  const text = valueOf(environment, name)
  if (text === undefined) return Result.succeed(otherwise)
  const value = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : Number.NaN
  return value >= least && value <= most
    ? Result.succeed(value)
    : defect(name, `must be a whole number from ${least} to ${most}`)
}

const flag = (environment: Environment, name: string, otherwise: boolean): Reading<boolean> => {
  const text = valueOf(environment, name)
  if (text === undefined) return Result.succeed(otherwise)
  return text === "true" || text === "false" ? Result.succeed(text === "true") : defect(name, "must be true or false")
}

/** Items in one recall. */
export const maxLimit = 20

const maxNameChars = 256
const control = /[\p{Cc}\u2028\u2029]/u

const identifier = (environment: Environment, name: string): Reading<string> => {
  const text = valueOf(environment, name)
  if (text === undefined) return defect(name, "is required in direct mode")
  return text.trim() !== "" && [...text].length <= maxNameChars && text.isWellFormed() && !control.test(text)
    ? Result.succeed(text)
    : defect(name, `must be text of 1 to ${maxNameChars} characters, not blank`)
}

const path = (environment: Environment, name: string): Reading<string | undefined> => {
  const text = valueOf(environment, name)
  return text === undefined || isAbsolutePath(text) ? Result.succeed(text) : defect(name, "must be an absolute path")
}

/** A path that means one thing wherever it is read: no `~`, no variable, nothing relative, no NUL. */
export const isAbsolutePath = (text: string): boolean =>
  text.startsWith("/") && text.length <= 4_095 && !control.test(text) && text.isWellFormed()

const millis = (seconds: number): number => Math.round(seconds * 1_000)

export const settingsOf = (environment: Environment): Reading<Settings> =>
  Result.gen(function* () {
    return {
      timeoutMillis: millis(yield* number(environment, "HY_MEMORY_TIMEOUT", 0.1, 30, 5)),
      limit: yield* integer(environment, "HY_MEMORY_LIMIT", 1, maxLimit, 5),
      maxChars: yield* integer(environment, "HY_MEMORY_MAX_CHARS", 256, 16_000, 4_000),
      maxBodyBytes: yield* integer(environment, "HY_MEMORY_MAX_BODY_BYTES", 1_024, 1_048_576, 262_144),
      autoRecall: yield* flag(environment, "HY_MEMORY_AUTO_RECALL", true),
      notes: yield* flag(environment, "HY_MEMORY_NOTES", true),
      fresh: yield* flag(environment, "HY_MEMORY_FRESH", false),
      maskSecrets: yield* flag(environment, "HY_MEMORY_MASK_SECRETS", false)
    }
  })

const endpoint = (environment: Environment): Reading<Endpoint> => {
  const name = "HY_MEMORY_URL"
  return Result.mapError(endpointOf(valueOf(environment, name) ?? "http://127.0.0.1:19527"), (rule) => ({
    variable: name,
    rule
  }))
}

const apiKey = (environment: Environment): Reading<Credential | undefined> => {
  const name = "HY_MEMORY_API_KEY"
  const text = valueOf(environment, name)
  if (text === undefined) return Result.succeed(undefined)
  const key = credentialOf(text)
  return key === undefined ? defect(name, "must be a bearer token") : Result.succeed(key)
}

export const serverSettingsOf = (environment: Environment, settings: Settings): Reading<ServerSettings> =>
  Result.gen(function* () {
    const read = settings.timeoutMillis / 1_000
    return {
      endpoint: yield* endpoint(environment),
      userId: yield* identifier(environment, "HY_MEMORY_USER_ID"),
      agentId: yield* identifier(environment, "HY_MEMORY_AGENT_ID"),
      apiKey: yield* apiKey(environment),
      caFile: yield* path(environment, "HY_MEMORY_CA_FILE"),
      writeTimeoutMillis: millis(yield* number(environment, "HY_MEMORY_WRITE_TIMEOUT", 0.1, 120, read)),
      autoCapture: yield* flag(environment, "HY_MEMORY_AUTO_CAPTURE", false)
    }
  })

/** What names a server. One of them is enough to mean direct mode, and then all that it needs must be right. */
const naming = ["HY_MEMORY_URL", "HY_MEMORY_USER_ID", "HY_MEMORY_AGENT_ID", "HY_MEMORY_API_KEY", "HY_MEMORY_CA_FILE"]

export const namesServer = (environment: Environment): boolean =>
  naming.some((name) => Object.hasOwn(environment, name))

/** Where the connection file is named, instead of beside the plugin. */
export const connectionFileOf = (environment: Environment): Reading<string | undefined> =>
  path(environment, "HY_MEMORY_CONNECTION_FILE")
