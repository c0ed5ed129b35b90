/** The host's configuration as far as it concerns us, read with the trust and the reader that an activation uses. */
import { configFileOf, readConfig } from "@memory-bridge/platform-posix/lab/ConfigFile"
import { labCalls } from "@memory-bridge/platform-posix/lab/LabCalls"
import { isRefused } from "@memory-bridge/platform-posix/lab/Places"
import * as Result from "effect/Result"
import { type KeyPath, valueAt } from "../../config/YamlEdit.ts"
import { parse } from "../../config/YamlSource.ts"
import { refusedText } from "../../screen/ActivationText.ts"
import { quote } from "../Quote.ts"
import { type Finding, findingsOf } from "./Finding.ts"

export interface HostConfig {
  /** As readers of YAML 1.1 take it, where readers disagree; `undefined` where it is not set. Mappings are maps there. */
  readonly at: (...path: KeyPath) => unknown
  readonly keysAt: (...path: KeyPath) => ReadonlyArray<string>
  readonly findings: ReadonlyArray<Finding>
}

const found = findingsOf("host")

const nothing = (finding: Finding): HostConfig => ({
  at: () => undefined,
  keysAt: () => [],
  findings: [finding]
})

const [headline, rule, cure] = [0, 1, 2]

/** The lines of a refusal, without their labels. */
const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^memory-bridge: |^ +\S+ +/, ""))

export const hostConfig = (home: string): HostConfig => {
  const file = configFileOf(home)
  const read = readConfig(labCalls(), home)
  if (read === undefined) {
    return nothing(
      found.info("config_missing", "The home has no config.yaml, so nothing is enabled in it.", "hermes setup")
    )
  }
  if (isRefused(read)) {
    const lines = linesOf(refusedText(read, home))
    return nothing(
      found.error(
        "config_refused",
        `config.yaml is not trusted: ${read.reason}. ${lines[headline] ?? ""} ${lines[rule] ?? ""}`.trimEnd(),
        lines.at(-1) ?? lines[cure] ?? ""
      )
    )
  }
  const whole = valueAt(read.bytes, ["plugins", "enabled"])
  if (Result.isFailure(whole)) {
    const { line, reason } = whole.failure
    return nothing(
      found.error(
        "config_unclear",
        `config.yaml cannot be read in one way: ${reason}${line === 0 ? "" : `, line ${line}`}.`,
        `less ${quote(file)}`
      )
    )
  }
  const source = parse(read.bytes)
  const data = Result.isSuccess(source) ? source.success.readings[0] : undefined
  const raw = (path: KeyPath): unknown =>
    path.reduce<unknown>((value, key) => (value instanceof Map ? value.get(key) : undefined), data)
  return {
    at: (...path) => {
      const value = valueAt(read.bytes, path)
      if (Result.isFailure(value)) return raw(path)
      return value.success.state === "value" ? value.success.value : undefined
    },
    keysAt: (...path) => {
      const value = raw(path)
      return value instanceof Map ? [...value.keys()].filter((key): key is string => typeof key === "string") : []
    },
    findings: [found.ok("config_read", "config.yaml is trusted and can be read.")]
  }
}

export const namesIn = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((name): name is string => typeof name === "string") : []
