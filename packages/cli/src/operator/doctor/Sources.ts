/**
 * What would recall ask, and is it what it should be? (issue 7 item 2; recall-contract 1.2, 1.4 and 2.3 point 7)
 *
 * The mode is the core's own judgement of the same files and variables. A Broker is asked one harmless question by the
 * core's client, which proves who listens there before it sends the credential. A memory server is only asked whether it
 * is up, since a search costs it a model call. What comes back is counted and thrown away.
 */
import { Http } from "@memory-bridge/core/recall/Http"
import type { Mode } from "@memory-bridge/core/recall/Mode"
import { connectionPlaceOf } from "@memory-bridge/core/recall/Mode"
import type { Profile } from "@memory-bridge/core/recall/Profile"
import { RecallNotes } from "@memory-bridge/core/recall/RecallNotes"
import { isServing, RecallSource } from "@memory-bridge/core/recall/RecallSource"
import { maxStateBytes, stateDirectoryName, stateFileName, stateOf } from "@memory-bridge/core/recall/SeenFile"
import { TrustedFiles } from "@memory-bridge/core/recall/TrustedFile"
import * as FreshIds from "@memory-bridge/platform-posix/FreshIds"
import * as Mac from "@memory-bridge/platform-posix/recall/Mac"
import * as StrictHttp from "@memory-bridge/platform-posix/recall/StrictHttp"
import * as TrustedFilesPosix from "@memory-bridge/platform-posix/recall/TrustedFiles"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { quote } from "../Quote.ts"
import type { HostConfig } from "./Config.ts"
import { type Finding, findingsOf } from "./Finding.ts"
import { pluginFolder, type Wholeness } from "./Plugins.ts"

const found = findingsOf("recall")

/** The host's variables: those of this process, and those in the home's own file. Values are never shown. */
const environmentOf = (home: string): Readonly<Record<string, string>> => {
  const named = Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith("HY_MEMORY_") && value !== undefined ? [[name, value] as const] : []
  )
  let text = ""
  try {
    text = readFileSync(join(home, ".env"), "utf8")
  } catch {
    // None, or not for us: then the variables of this process are all there is.
  }
  const inFile = text.split(/\r?\n/).flatMap((line) => {
    const parts = /^\s*(?:export\s+)?(HY_MEMORY_[A-Z_]+)\s*=\s*(.*?)\s*$/.exec(line)
    return parts === null ? [] : [[parts[1] ?? "", (parts[2] ?? "").replace(/^(["'])(.*)\1$/, "$2")] as const]
  })
  return Object.fromEntries([...named, ...inFile])
}

const disabledCure: Readonly<Record<Extract<Mode, { kind: "disabled" }>["reason"], string>> = {
  setting_invalid: "correct that variable in the home's .env",
  connection_missing: "connect again, or take HY_MEMORY_CONNECTION_FILE away",
  connection_refused: "chmod 600",
  connection_invalid: "connect again: memory-bridge recall broker"
}

const modeFindings = (mode: Mode, profile: Profile): ReadonlyArray<Finding> => {
  switch (mode.kind) {
    case "managed":
      return [found.ok("mode_managed", "Recall is managed: it asks the Broker of connection.json.")]
    case "notes":
      return [found.ok("mode_notes", "Recall asks the notes that the policy permits.")]
    case "off":
      return [
        mode.reason === "notes_off"
          ? found.info(
              "mode_off",
              "Recall is off: neither Broker nor server is configured, and HY_MEMORY_NOTES is false."
            )
          : found.warning(
              "mode_off",
              "Recall is off: no Broker, no server and no policy.",
              `memory-bridge init --home ${quote(profile.home)}`
            )
      ]
    case "disabled": {
      const place = connectionPlaceOf(profile)
      const path = Result.isSuccess(place) ? ` ${quote(place.success.path)}` : ""
      const more = [mode.subject, mode.rule].filter((part) => part !== undefined).join(" ")
      return [
        found.error(
          `recall_${mode.reason}`,
          `Recall is disabled: ${mode.reason}${more === "" ? "" : ` (${more})`}.`,
          mode.reason === "connection_refused" ? disabledCure.connection_refused + path : disabledCure[mode.reason]
        )
      ]
    }
    case "direct": {
      const { endpoint } = mode.server
      return [
        found.ok(
          "mode_direct",
          `Recall asks a memory server at ${endpoint.scheme}://${endpoint.host}:${endpoint.port}.`
        ),
        ...(endpoint.loopback
          ? [
              found.warning(
                "server_open_to_browsers",
                "The memory server answers without asking who calls and lets every web page read the answer (Access-Control-Allow-Origin: *): any page in a browser on this machine can read and write these memories.",
                "memory-bridge recall broker"
              )
            ]
          : [])
      ]
    }
  }
}

const sourceCures: Readonly<Record<string, string>> = {
  identity: "find out who holds the port: ss -ltnp",
  not_granted: "connect again, so that the Broker grants a credential",
  discovery_missing: "start the Broker: memory-bridge recall broker",
  unreachable: "start it: memory-bridge recall broker",
  timed_out: "restart what listens there; that it can be connected to proves nothing"
}

const asked = <A, E extends { readonly reason: string; readonly rule?: string }, R>(
  what: string,
  code: string,
  millis: number,
  question: Effect.Effect<A, E, R>,
  good: Finding
) =>
  Effect.map(Effect.timeoutOption(Effect.result(question), millis), (ended) => {
    if (Option.isSome(ended) && Result.isSuccess(ended.value)) return good
    const failure = Option.isSome(ended) && Result.isFailure(ended.value) ? ended.value.failure : undefined
    const reason = failure?.reason ?? "timed_out"
    const rule = failure?.rule === undefined ? "" : ` (${failure.rule})`
    return found.error(
      `${code}_${reason}`,
      `${what}: ${reason}${rule}.`,
      sourceCures[reason] ?? "memory-bridge recall demo"
    )
  })

/** Whether the source answers, and is the one that it says it is. */
const sourceFinding = Effect.fnUntraced(function* (profile: Profile, mode: Mode) {
  if (!isServing(mode) || mode.kind === "notes") return []
  if (mode.kind === "managed") {
    const sources = yield* RecallSource
    const question = Effect.flatMap(sources.open(profile, mode), (source) =>
      source.search({ query: "memory-bridge doctor", limit: 1, session: "memory-bridge-doctor" })
    )
    const good = found.ok("broker_proven", "The Broker proved that it holds the credential, and grants recall.")
    return [yield* asked("The Broker does not serve", "broker", mode.settings.timeoutMillis, question, good)]
  }
  const http = yield* Http
  const { caFile, endpoint } = mode.server
  const question = Effect.scoped(
    Effect.flatMap(http.connect(endpoint, caFile), ({ exchange }) =>
      exchange({ method: "GET", path: "/healthz", credential: undefined, body: undefined, maxBytes: 4_096 })
    )
  )
  const good = found.ok(
    "server_up",
    "The memory server answers. Whether its searches work was not tried, since each costs it a model call."
  )
  return [yield* asked("The memory server does not answer", "server", mode.settings.timeoutMillis, question, good)]
})

const seenFinding = Effect.fnUntraced(function* (home: string) {
  const files = yield* TrustedFiles
  const path = join(home, stateDirectoryName, stateFileName)
  const reading = yield* files.read(path, "public", maxStateBytes)
  if (reading.kind === "refused") {
    return reading.fault === "missing"
      ? found.info("seen_none", "Nothing is kept yet of what was shown in which session.")
      : found.warning(
          "seen_refused",
          `What was shown in which session cannot be kept: ${reading.fault}.`,
          `ls -l ${quote(path)}`
        )
  }
  const state = stateOf(reading.text)
  return state === undefined
    ? found.warning(
        "seen_not_ours",
        "The file of what was shown is no state of ours; it will be set aside.",
        `less ${quote(path)}`
      )
    : found.ok("seen_kept", `Kept of what was shown: ${state.sessions.size} sessions, ids and digests only.`)
})

/** Names that an MCP server of the same memory goes by; beside the provider it is asked twice, or hides it. */
const sameMemory: ReadonlySet<string> = new Set(["memory", "hy_memory", "hy-memory", "one-memory", "memory-bridge"])

const twice = (config: HostConfig, chosen: boolean): ReadonlyArray<Finding> => {
  const servers = config.keysAt("mcp_servers").filter((name) => sameMemory.has(name))
  return !chosen
    ? []
    : servers.map((name) =>
        name === "memory"
          ? found.warning(
              "mcp_shadows",
              "An MCP server is called memory, a name of the host's own tools.",
              "rename it in mcp_servers of config.yaml"
            )
          : found.warning(
              "mcp_twice",
              `The provider hy_memory and the MCP server ${name} serve the same agent, so memories may come twice.`,
              "keep one of the two: hermes mcp list"
            )
      )
}

const services = RecallSource.layer.pipe(
  Layer.provide(RecallNotes.layer),
  Layer.provideMerge(Layer.mergeAll(TrustedFilesPosix.layer, StrictHttp.layer, Mac.layer, FreshIds.layer))
)

export const recallFindings = (home: string, state: Wholeness, config: HostConfig) => {
  const chosen = config.at("memory", "provider") === "hy_memory"
  if (state === "absent" && !chosen) return Effect.succeed<ReadonlyArray<Finding>>([])
  const profile: Profile = {
    home,
    plugin_directory: pluginFolder(home, "hy_memory"),
    environment: environmentOf(home),
    run: "primary",
    history: "kept"
  }
  return Effect.gen(function* () {
    const sources = yield* RecallSource
    const mode = yield* sources.mode(profile)
    const findings: ReadonlyArray<Finding> = [
      ...modeFindings(mode, profile),
      ...(yield* sourceFinding(profile, mode)),
      yield* seenFinding(home),
      ...twice(config, chosen)
    ]
    return findings
  }).pipe(Effect.provide(services))
}
