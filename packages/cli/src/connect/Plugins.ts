/**
 * The three plugins as a host wants to hear of them. (hermes-contract.md a "Opt-in", d "Activation"; recall-contract 2.1)
 *
 * Tools and hooks are listed in `plugins.enabled`; a memory provider is chosen by `memory.provider` and by nothing else.
 */
import type { Change, KeyPath } from "../config/YamlEdit.ts"

export const pluginNames = ["memory-bridge", "hermes-guardian", "hy_memory"] as const
export type PluginName = (typeof pluginNames)[number]

export const isPluginName = (name: string): name is PluginName => (pluginNames as ReadonlyArray<string>).includes(name)

export const enabledPath: KeyPath = ["plugins", "enabled"]
export const disabledPath: KeyPath = ["plugins", "disabled"]
export const providerPath: KeyPath = ["memory", "provider"]

export const pathOf = (plugin: PluginName): KeyPath => (plugin === "hy_memory" ? providerPath : enabledPath)

/** What connecting a plugin changes in the configuration. */
export const changeFor = (plugin: PluginName): Change =>
  plugin === "hy_memory"
    ? { op: "set", path: providerPath, value: plugin }
    : { op: "add", path: enabledPath, item: plugin }
