/**
 * Are the plugins there, whole and switched on? (issue 7 item 2; cases/recall.md 20; hermes-contract.md a and d)
 *
 * What is installed is compared, file by file, with what was built beside this program. A host finds a plugin in
 * `plugins/NAME` of the home and nowhere deeper for a memory provider, so a copy elsewhere is said to be one.
 */
import * as Result from "effect/Result"
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { pluginNames, type PluginName } from "../../connect/Plugins.ts"
import { sha256Of, type Shipped, shipped } from "../../connect/Shipped.ts"
import { quote, show } from "../Quote.ts"
import { type HostConfig, namesIn } from "./Config.ts"
import { type Finding, findingsOf } from "./Finding.ts"

const found = findingsOf("plugins")

export const pluginFolder = (home: string, name: string): string => join(home, "plugins", name)

const connect = (home: string, name: PluginName): string =>
  `memory-bridge connect hermes --home ${quote(home)} --plugins ${name}`

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes("__pycache__") && !path.endsWith(".pyc"))

/** Where a user's own files may lie inside a plugin without being part of it. */
const ofUse: ReadonlySet<string> = new Set(["connection.json"])

/** Bytes; what is larger is no file of ours. */
const largest = 64 * 1024 * 1024

const sameFile = (file: string, sha256: string): boolean => {
  try {
    const facts = lstatSync(file)
    return facts.isFile() && facts.size <= largest && sha256Of(new Uint8Array(readFileSync(file))) === sha256
  } catch {
    return false
  }
}

const lines = (word: string, paths: ReadonlyArray<string>) => [
  ...paths.slice(0, 5).map((path) => `${word}: ${show(path)}`),
  ...(paths.length > 5 ? [`${word}: ${paths.length - 5} more`] : [])
]

/** What is missing, changed or not of the build. Shown are a few of each. */
const differences = (folder: string, { files }: Shipped): ReadonlyArray<string> => {
  const known = new Set(files.map(({ path }) => path))
  const missing = files.filter(({ path }) => !existsSync(join(folder, path))).map(({ path }) => path)
  const changed = files
    .filter(({ path, sha256 }) => !missing.includes(path) && !sameFile(join(folder, path), sha256))
    .map(({ path }) => path)
  const extra = filesBelow(folder).filter((path) => !known.has(path) && !ofUse.has(path))
  return [...lines("missing", missing), ...lines("changed", changed), ...lines("not of the build", extra)]
}

export type Wholeness = "absent" | "whole" | "unknown" | "broken"

const wholeness = (home: string, name: PluginName): readonly [Wholeness, Finding] => {
  const folder = pluginFolder(home, name)
  const facts = lstatSync(folder, { throwIfNoEntry: false })
  if (facts === undefined) {
    return ["absent", found.info("plugin_absent", `${name} is not installed in this home.`, connect(home, name))]
  }
  if (!facts.isDirectory()) {
    return [
      "broken",
      found.error("plugin_no_directory", `${name}: ${show(folder)} is no directory of its own.`, connect(home, name))
    ]
  }
  const build = shipped(name)
  if (Result.isFailure(build)) {
    return [
      "unknown",
      found.info(
        "plugin_not_compared",
        `${name}: no built plugin lies beside this program, so it was not compared.`,
        "npm run build"
      )
    ]
  }
  try {
    const lines = differences(folder, build.success)
    return lines.length === 0
      ? ["whole", found.ok("plugin_whole", `${name} ${build.success.version} is installed and whole.`)]
      : [
          "broken",
          found.error(
            "plugin_not_whole",
            `${name} differs from what was built beside this program.`,
            connect(home, name),
            lines
          )
        ]
  } catch {
    return ["broken", found.error("plugin_unreadable", `${name} cannot be read.`, `ls -ld ${quote(folder)}`)]
  }
}

const isPlugin = (folder: string): boolean =>
  existsSync(join(folder, "plugin.yaml")) || existsSync(join(folder, "__init__.py"))

/** One level deeper, where a memory provider is not found, or under another name. */
const misplaced = (home: string): ReadonlyArray<Finding> => {
  const plugins = join(home, "plugins")
  if (!existsSync(plugins)) return []
  return readdirSync(plugins, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !pluginNames.includes(entry.name as PluginName))
    .flatMap((category) =>
      pluginNames
        .map((name) => [name, join(plugins, category.name, name)] as const)
        .filter(([, folder]) => isPlugin(folder))
        .map(([name, folder]) =>
          found.warning(
            "plugin_misplaced",
            `${name} lies in ${show(folder)}; the host looks for it in ${show(join(plugins, name))}.`,
            `mv -n ${quote(folder)} ${quote(join(plugins, name))}`
          )
        )
    )
}

const switchFindings = (config: HostConfig, name: PluginName, state: Wholeness): ReadonlyArray<Finding> => {
  if (name === "hy_memory") {
    const provider = config.at("memory", "provider")
    const chosen = provider === name
    if (state === "absent") {
      return chosen
        ? [
            found.error(
              "provider_absent",
              "memory.provider is hy_memory, which is not installed.",
              "memory-bridge connect hermes --plugins hy_memory"
            )
          ]
        : []
    }
    return chosen
      ? [found.ok("provider_chosen", "memory.provider is hy_memory.")]
      : [
          found.info(
            "provider_other",
            `memory.provider is ${typeof provider === "string" && provider !== "" ? "another provider" : "not set"}, so hy_memory does not run.`,
            "hermes memory setup"
          )
        ]
  }
  const enabled = namesIn(config.at("plugins", "enabled")).includes(name)
  const disabled = namesIn(config.at("plugins", "disabled")).includes(name)
  if (state === "absent") {
    return enabled
      ? [
          found.warning(
            "plugin_enabled_absent",
            `${name} is enabled and not installed.`,
            `hermes plugins disable ${name}`
          )
        ]
      : []
  }
  if (enabled && !disabled) return [found.ok("plugin_enabled", `${name} is enabled.`)]
  return [
    found.warning(
      disabled ? "plugin_disabled" : "plugin_not_enabled",
      `${name} is installed and ${disabled ? "disabled" : "not enabled"}, so it does not run.`,
      `hermes plugins enable ${name}`
    )
  ]
}

export interface Installed {
  readonly states: Readonly<Record<PluginName, Wholeness>>
  readonly findings: ReadonlyArray<Finding>
}

export const installed = (home: string, config: HostConfig): Installed => {
  const each = pluginNames.map((name) => {
    const [state, finding] = wholeness(home, name)
    return { name, state, findings: [finding].concat(switchFindings(config, name, state)) }
  })
  return {
    states: Object.fromEntries(each.map(({ name, state }) => [name, state])) as Record<PluginName, Wholeness>,
    findings: [...each.flatMap(({ findings }) => findings), ...misplaced(home)]
  }
}
