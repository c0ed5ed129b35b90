/**
 * Which Node and which Python are there, and what can the host do? (hermes-contract.md c and g; design.md section 6)
 *
 * The plugins' Node is looked for as the shim does: the operator's setting alone if there is one, else the host's, else
 * PATH. The host is asked in its own Python, in a home made for the question, so that nothing of the operator's is touched.
 */
import { spawnSync } from "node:child_process"
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { delimiter, isAbsolute, join } from "node:path"
import { show } from "../Quote.ts"
import type { HostConfig } from "./Config.ts"
import { type Finding, findingsOf } from "./Finding.ts"

export type Version = readonly [number, number, number]

const oldestNode: Version = [20, 19, 0]
const oldestPython: Version = [3, 11, 0]

const askMillis = 5_000
const probeMillis = 20_000

const isAtLeast = (version: Version, least: Version): boolean => {
  const at = version.findIndex((part, index) => part !== least[index])
  return at === -1 || (version[at] ?? 0) > (least[at] ?? 0)
}

export const versionIn = (text: string): Version | undefined => {
  const parts = /(\d{1,5})\.(\d{1,5})(?:\.(\d{1,5}))?/.exec(text)
  return parts === null ? undefined : [Number(parts[1]), Number(parts[2]), Number(parts[3] ?? 0)]
}

/** What the shim passes on; no secret goes into a program that is only asked something. */
export const bareEnvironment = (more: Readonly<Record<string, string>> = {}): Record<string, string> => {
  const names = ["LANG", "LC_ALL", "TZ"]
  const passed = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]] as const]))
  return { ...Object.fromEntries(passed), ...more }
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const onPath = (name: string): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(isExecutable)

const asked = (program: string, ...args: ReadonlyArray<string>): Version | undefined => {
  const { status, stdout } = spawnSync(program, args, {
    cwd: "/",
    encoding: "utf8",
    env: bareEnvironment(),
    stdio: ["ignore", "pipe", "ignore"],
    timeout: askMillis
  })
  return status === 0 ? versionIn(stdout) : undefined
}

const text = (version: Version): string => version.join(".")

const found = findingsOf("programs")

/** A Node that the plugins would run, and what is to be said of it. */
export interface PluginNode {
  readonly node: { readonly path: string; readonly version: Version } | undefined
  readonly findings: ReadonlyArray<Finding>
}

export const pluginNode = (config: HostConfig, ofHost: string | undefined): PluginNode => {
  const setting = config.at("plugins", "entries", "memory-bridge", "settings", "node")
  const isSet = setting !== undefined && setting !== null && setting !== ""
  if (isSet && (typeof setting !== "string" || !isAbsolute(setting))) {
    const cure = "correct plugins.entries.memory-bridge.settings.node in config.yaml"
    return {
      node: undefined,
      findings: [
        found.error("node_setting_invalid", "The setting node is no absolute path, so every call is refused.", cure)
      ]
    }
  }
  const candidates = isSet ? [setting as string] : [ofHost, onPath("node")].filter((path) => path !== undefined)
  let old: string | undefined
  for (const path of candidates) {
    const version = asked(path, "--version")
    if (version === undefined) continue
    if (isAtLeast(version, oldestNode)) {
      return {
        node: { path, version },
        findings: [found.ok("node_found", `The plugins run on Node ${text(version)}.`, "", [show(path)])]
      }
    }
    old = `${show(path)} is Node ${text(version)}`
  }
  const cure = "install Node 20.19 or newer, or name it in plugins.entries.memory-bridge.settings.node"
  return {
    node: undefined,
    findings: [
      old === undefined
        ? found.error("node_missing", "No Node is found for the plugins, so every call is refused.", cure)
        : found.error("node_too_old", `${old}; the plugins need 20.19 or newer, so every call is refused.`, cure)
    ]
  }
}

export const ownNode = (): Finding => {
  const version = versionIn(process.versions.node) ?? oldestNode
  return isAtLeast(version, oldestNode)
    ? found.ok("own_node", `This program runs on Node ${text(version)}.`)
    : found.error("own_node_too_old", `This program runs on Node ${text(version)}.`, "install Node 20.19 or newer")
}

// ---- The host.

/** `[module, name]`: first those without which every call is refused, then those that make something better. */
const required = [
  ["hermes_constants", "get_hermes_home"],
  ["hermes_constants", "get_hermes_home_override"],
  ["agent.secret_scope", "is_multiplex_active"],
  ["agent.secret_scope", "current_secret_scope_home"],
  ["agent.delegation_context", "is_delegated_child_process_context"],
  ["gateway.session_context", "get_session_env"]
] as const
const helpful = [
  ["hermes_constants", "find_node_executable"],
  ["agent.turn_context", "compose_user_api_content"],
  ["agent.memory_provider", "MemoryProvider"]
] as const

const probe = `
import importlib, json, sys
source, *names = sys.argv[1:]
if source: sys.path.insert(0, source)
def has(name):
    module, attribute = name.split(":")
    try: return callable(getattr(importlib.import_module(module), attribute))
    except BaseException: return False
def version():
    try:
        import importlib.metadata
        return importlib.metadata.version("hermes-agent")
    except BaseException: pass
    try: return str(importlib.import_module("hermes_cli").__version__)
    except BaseException: return ""
def node():
    try: return str(importlib.import_module("hermes_constants").find_node_executable("node") or "")
    except BaseException: return ""
answer = {"python": list(sys.version_info[:3]), "has": {name: has(name) for name in names}, "version": version(), "node": node()}
sys.stdout.write("\\n@@" + json.dumps(answer) + "\\n")
`

export interface Host {
  readonly python: Version
  readonly has: Readonly<Record<string, boolean>>
  readonly version: string
  readonly node: string
}

const shebangOf = (file: string): string | undefined => {
  try {
    const [line = ""] = readFileSync(realpathSync(file), "utf8").slice(0, 512).split("\n")
    const path = /^#!\s*(\/\S+)/.exec(line)?.[1]
    return path !== undefined && /python[\d.]*$/.test(path) ? path : undefined
  } catch {
    return undefined
  }
}

/** Pythons that may have the host, with the folder of its source where it is not installed. */
const pythons = (home: string): ReadonlyArray<readonly [python: string, source: string]> => {
  const source = process.env["HERMES_SOURCE"] ?? ""
  const python = process.env["HERMES_PYTHON"] ?? onPath("python3") ?? ""
  const hermes = onPath("hermes")
  const ofCommand = hermes === undefined ? undefined : shebangOf(hermes)
  const usual = [home, join(homedir(), ".hermes")].map((folder) =>
    join(folder, "hermes-agent", "venv", "bin", "python")
  )
  return [
    ...(source === "" || python === "" ? [] : [[python, source] as const]),
    ...(ofCommand === undefined ? [] : [[ofCommand, ""] as const]),
    ...usual.filter((path) => existsSync(path)).map((path) => [path, ""] as const)
  ]
}

const askHost = (python: string, source: string): Host | undefined => {
  const home = mkdtempSync(join(tmpdir(), "memory-bridge-doctor-"))
  try {
    const names = [...required, ...helpful].map(([module, name]) => `${module}:${name}`)
    const { stdout } = spawnSync(python, ["-I", "-B", "-c", probe, source, ...names], {
      cwd: home,
      encoding: "utf8",
      env: bareEnvironment({ HOME: home, HERMES_HOME: home, PATH: process.env["PATH"] ?? "" }),
      stdio: ["ignore", "pipe", "ignore"],
      timeout: probeMillis
    })
    const line = (stdout ?? "").split("\n").findLast((line) => line.startsWith("@@"))
    return line === undefined ? undefined : (JSON.parse(line.slice(2)) as Host)
  } catch {
    return undefined
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

export interface FoundHost {
  readonly host: Host | undefined
  readonly findings: ReadonlyArray<Finding>
}

const pythonFinding = (version: Version | undefined, whose: string): Finding => {
  const cure = "install Python 3.11 or newer"
  if (version === undefined)
    return found.info("python_missing", "No python3 is on PATH; the host brings its own.", cure)
  return isAtLeast(version, oldestPython)
    ? found.ok("python_found", `${whose} is Python ${text(version)}.`)
    : found.error("python_too_old", `${whose} is Python ${text(version)}; the plugins need 3.11 or newer.`, cure)
}

const ofHost = findingsOf("host")

const missing = (host: Host, names: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> =>
  names.filter(([module, name]) => host.has[`${module}:${name}`] !== true).map(([module, name]) => `${module}.${name}`)

const helperFindings = (host: Host): ReadonlyArray<Finding> => {
  const lacks = missing(host, required)
  const less = missing(host, helpful)
  return [
    lacks.length === 0
      ? ofHost.ok("helpers_found", "The host has every helper that tells who is calling.")
      : ofHost.error(
          "helpers_missing",
          "The host lacks helpers that tell who is calling, so the tools refuse every call.",
          "hermes update",
          lacks
        ),
    ...(less.length === 0
      ? []
      : [ofHost.info("helpers_fewer", "The host lacks helpers that are used where they are there.", "", less)])
  ]
}

export const findHost = (home: string): FoundHost => {
  const candidates = pythons(home)
  const answers = candidates.map(([python, source]) => askHost(python, source))
  const host = answers.find((answer) => answer?.has["hermes_constants:get_hermes_home"] === true)
  if (host === undefined) {
    const python = onPath("python3")
    const why =
      candidates.length === 0
        ? "No Hermes is found: no hermes command that names its Python, and none in its usual place."
        : "A Hermes seems to be there, but its modules do not load."
    return {
      host: undefined,
      findings: [
        pythonFinding(python === undefined ? undefined : asked(python, "--version"), "python3"),
        ofHost.info("host_not_asked", `${why} What it can do was not looked at.`, "run this where Hermes is installed")
      ]
    }
  }
  return {
    host,
    findings: [
      pythonFinding(host.python, "The host's Python"),
      ofHost.ok("host_found", `Hermes ${host.version === "" ? "of an unknown version" : host.version} is installed.`),
      ...helperFindings(host)
    ]
  }
}

/** Where the host's own helper finds Node. */
export const nodeOfHost = (host: Host | undefined): string | undefined =>
  host === undefined || !isAbsolute(host.node) ? undefined : host.node
