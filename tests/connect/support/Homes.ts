/** Hermes homes for the tests of connecting, small plugins to put into them, and what is in them afterwards. */
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Result from "effect/Result"
import { connect } from "memory-bridge/connect/Connect"
import { disconnect, sweep } from "memory-bridge/connect/Disconnect"
import { type ConnectCalls, connectCalls, placesOf } from "memory-bridge/connect/Places"
import { planConnect } from "memory-bridge/connect/Plan"
import { type PluginName, pluginNames } from "memory-bridge/connect/Plugins"
import { type Outcome } from "memory-bridge/connect/Refused"
import { type Shipped, sha256Of } from "memory-bridge/connect/Shipped"
import { planUndo } from "memory-bridge/connect/UndoPlan"

export const temporary = (): string => fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "connect-")))

export const remove = (path: string): void => fs.rmSync(path, { recursive: true, force: true })

/** An empty home with that configuration, or with none. */
export const freshHome = (home: string, config: string | undefined, mode = 0o640): void => {
  remove(home)
  fs.mkdirSync(home, { mode: 0o700 })
  if (config !== undefined) fs.writeFileSync(join(home, "config.yaml"), config, { mode })
}

/** A plugin of a few files, whose content depends on the version. */
export const smallPlugin = (name: PluginName, version = "1.0.0"): Shipped => {
  const texts: Readonly<Record<string, string>> = {
    "__init__.py": `"""${name}"""\n`,
    "node_modules/@koromix/native/part.node": "\u0000native\u0000",
    "plugin.yaml": `name: ${name}\nversion: ${version}\n`,
    "shim/wire.py": `version = "${version}"\n`,
    ...(version === "1.0.0" ? { "shim/old.py": "old = True\n" } : { "later/new.py": "new = True\n" })
  }
  const files = Object.entries(texts).map(([path, text]) => {
    const bytes = new TextEncoder().encode(text)
    return { path, bytes, sha256: sha256Of(bytes) }
  })
  return { name, version, files: files.toSorted((one, other) => (one.path < other.path ? -1 : 1)) }
}

export const small = (names: ReadonlyArray<PluginName> = pluginNames, version = "1.0.0"): ReadonlyArray<Shipped> =>
  names.map((name) => smallPlugin(name, version))

const reasonOf = (outcome: Outcome<unknown>): string => (Result.isFailure(outcome) ? outcome.failure.reason : "done")

/** In a word: `done`, `already`, or the reason of the refusal. */
export const connected = (
  home: string,
  plugins: ReadonlyArray<Shipped> = small(),
  calls: ConnectCalls = connectCalls()
): string => {
  const plan = planConnect(calls, home, plugins)
  if (Result.isFailure(plan)) return plan.failure.reason
  return plan.success.isDone ? "already" : reasonOf(connect(calls, plan.success))
}

export const disconnected = (home: string, calls: ConnectCalls = connectCalls()): string => {
  const plan = planUndo(calls, home)
  if (Result.isFailure(plan)) return plan.failure.reason
  if (plan.success !== undefined) return reasonOf(disconnect(calls, plan.success))
  const swept = sweep(calls, placesOf(home))
  return Result.isFailure(swept) ? swept.failure.reason : "not_connected"
}

/** Everything below a folder: content and mode of each file, mode of each directory, target of each link. */
export const tree = (folder: string): Readonly<Record<string, string>> => {
  const found: Record<string, string> = {}
  for (const path of (fs.readdirSync(folder, { recursive: true }) as ReadonlyArray<string>).toSorted()) {
    const file = join(folder, path)
    const stats = fs.lstatSync(file)
    const mode = (stats.mode & 0o7777).toString(8)
    if (stats.isSymbolicLink()) found[path] = `link ${fs.readlinkSync(file)}`
    else if (stats.isDirectory()) found[path] = `directory ${mode}`
    else found[path] = `file ${mode} ${fs.readFileSync(file, "latin1")}`
  }
  return found
}

/** Without the journal, whose state tells how it came about. */
export const treeBut = (folder: string, ...without: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(tree(folder)).filter(([path]) => !without.some((part) => path.includes(part))))
