/** What connecting and disconnecting show before they ask, say after they are done, and why they refused. */
import * as TextDiff from "effect/TextDiff"
import { cureOf } from "../connect/Cure.ts"
import { textOf } from "../connect/ConfigEdits.ts"
import type { ConnectPlan, PluginPlan } from "../connect/Plan.ts"
import type { PluginName } from "../connect/Plugins.ts"
import type { ConnectRefused } from "../connect/Refused.ts"
import type { PluginUndo, UndoPlan } from "../connect/UndoPlan.ts"
import { quote, show } from "../operator/Quote.ts"
import type { Look } from "./Results.ts"

/** Where a search for the smallest difference gives up. */
const mostEdits = 2000

/** What a terminal would act on, or not show; a tab is text. */
const invisible = /[\p{Cf}\p{Zl}\p{Zp}]|(?!\t)\p{Cc}/gu

const visible = (line: string): string =>
  line.replace(/\r$/, "").replace(invisible, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

const isChange = (line: string): boolean => /^(\+(?!\+\+ )|-(?!-- ))/.test(line)

/** The unified difference, as `diff -u` prints it; "" where there is none. */
const difference = (before: Uint8Array | undefined, after: Uint8Array | undefined, { paint }: Look): string => {
  const [old, now] = [before, after].map((bytes) => (bytes === undefined ? "" : textOf(bytes)))
  const edits = TextDiff.lines(old ?? "", now ?? "", { maxEdits: mostEdits })
  const text = TextDiff.unified(edits, {
    fromFile: before === undefined ? "/dev/null" : "config.yaml",
    toFile: after === undefined ? "/dev/null" : "config.yaml"
  })
  const paintOf = (line: string) => (line.startsWith("+") ? paint.good : paint.bad)
  return text
    .split("\n")
    .map(visible)
    .map((line) => (isChange(line) ? paintOf(line)(line) : line))
    .join("\n")
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

const label = (text: string): string => text.padEnd(10)

const actionText = ({ action, obsolete, shipped: { files, version } }: PluginPlan): string => {
  switch (action) {
    case "install":
      return `install ${version}, ${count(files.length, "file")}`
    case "update":
      return `update to ${version}, ${count(files.length, "file")}${obsolete.length === 0 ? "" : `, ${obsolete.length} go`}`
    case "none":
      return `${version} is there`
    case "present":
      return `${version} is there, put there by somebody else; disconnect will leave it`
  }
}

export const connectPlanText = (plan: ConnectPlan, look: Look): string => {
  const { config, places, plugins } = plan
  return [
    `${label("home")}${show(places.home)}`,
    ...plugins.map((plugin) => `${label("plugin")}plugins/${plugin.shipped.name}: ${actionText(plugin)}`),
    ...(config.provider === undefined
      ? []
      : [
          `${label("memory")}${show(JSON.stringify(config.provider))} makes way for hy_memory; disconnect puts it back`
        ]),
    ...(config.after === undefined
      ? [`${label("config")}config.yaml says all of it already`]
      : [
          `${label("config")}config.yaml changes in this:`,
          difference(config.read?.bytes, config.after, look).trimEnd()
        ]),
    ""
  ].join("\n")
}

export const alreadyConnected = "Connected already. Nothing was changed.\n"

export const nothingWritten = "Nothing was changed: this was a dry run.\n"

export const askConnect = 'To connect, type "yes": '
export const askDisconnect = 'To disconnect, type "yes": '

export const connectedText = (plan: ConnectPlan, { paint }: Look): string => {
  const home = quote(plan.places.home)
  return [
    paint.good("Connected."),
    "Restart Hermes: it reads plugins and their settings when it starts.",
    "Next:",
    `  memory-bridge init --home ${home}         a first policy, if there is none`,
    `  memory-bridge doctor --profile ${home}    whether all of it works`,
    `  memory-bridge disconnect hermes --home ${home}`,
    ""
  ].join("\n")
}

const below = (name: PluginName, path: string): string => show(`plugins/${name}${path === "" ? "" : `/${path}`}`)

/** Names of one plugin that are shown. */
const shown = 10

const named = (name: PluginName, paths: ReadonlyArray<string>, why: string): ReadonlyArray<string> => [
  ...paths.slice(0, shown).map((path) => `${label("left")}${below(name, path)}: ${why}`),
  ...(paths.length > shown ? [`${label("left")}and ${paths.length - shown} more below plugins/${name}`] : [])
]

const leftText = ({ config, plugins }: UndoPlan): ReadonlyArray<string> => [
  ...config.left.map(
    (plugin) =>
      `${label("left")}${plugin === "hy_memory" ? "memory.provider" : `${plugin} in plugins.enabled`}: not as it was left; it stays as it is`
  ),
  ...plugins.flatMap(({ changed, name, others }) => [
    ...named(name, changed, "changed since; it stays"),
    ...named(name, others, "not ours; it stays")
  ])
]

const removalText = ({ name, remove }: PluginUndo): string =>
  `${label("plugin")}plugins/${name}: ${remove.length === 0 ? "nothing to remove" : `remove ${count(remove.length, "file")}`}`

export const undoPlanText = (plan: UndoPlan, look: Look): string => {
  const { config, places, plugins } = plan
  return [
    `${label("home")}${show(places.home)}`,
    ...plugins.map(removalText),
    ...(config.isDone
      ? [`${label("config")}config.yaml stays as it is`]
      : [
          `${label("config")}config.yaml changes in this:`,
          difference(config.read?.bytes, config.after, look).trimEnd()
        ]),
    ...leftText(plan),
    ""
  ].join("\n")
}

export const notConnected = "Not connected. Nothing was changed.\n"

export const disconnectedText = ({ paint }: Look): string =>
  [
    paint.good("Disconnected."),
    "Restart Hermes: it keeps what it loaded until then.",
    "Policies and audits below plugin-data stay.",
    ""
  ].join("\n")

export const connectRefusedText = (refused: ConnectRefused, what: "connected" | "disconnected"): string => {
  const { cure, meaning } = cureOf(refused)
  return [
    `memory-bridge: The home was not ${what}.`,
    `  component  ${show(refused.path)}`,
    `  rule       ${refused.reason}${refused.detail === "" ? "" : ` (${refused.detail})`}: it ${meaning}`,
    `  cure       ${cure}`,
    ""
  ].join("\n")
}
