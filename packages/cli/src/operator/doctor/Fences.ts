/**
 * Which fences hold round the sidecar that only reads? (issue 7 item 2; design.md section 5 "whatever fence does not hold is
 * named in the log and in doctor")
 *
 * The sidecar of memory-bridge is started as the shim starts it and asked for its status. It can write nothing, so the
 * question changes nothing. Those of the other plugins make their directories when they start, and are left alone.
 */
import * as Schema from "effect/Schema"
import * as Option from "effect/Option"
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Finding, findingsOf } from "./Finding.ts"
import { pluginFolder, type Wholeness } from "./Plugins.ts"
import { bareEnvironment, type PluginNode, type Version } from "./Programs.ts"

const found = findingsOf("fences")
const statusMillis = 15_000

const Answer = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.Literal(1),
  result: Schema.Struct({
    node: Schema.String,
    platform: Schema.String,
    fences: Schema.Array(
      Schema.Struct({ name: Schema.String, holds: Schema.Boolean, detail: Schema.optionalKey(Schema.String) })
    )
  })
})
const decodeAnswer = Schema.decodeUnknownOption(Schema.fromJsonString(Answer))

/** The permission model's name, by version as the shim has it (node.py `_permission_flag`). */
const permissionFlag = ([major, minor]: Version): string =>
  (major === 22 && minor >= 13) || (major === 23 && minor >= 5) || major >= 24
    ? "--permission"
    : "--experimental-permission"

const built = (): string | undefined =>
  ["../hermes", "../../../../../dist/hermes"]
    .map((place) => fileURLToPath(new URL(`${place}/memory-bridge/sidecar.cjs`, import.meta.url)))
    .find((file) => existsSync(file))

/** What is installed counts, but runs only where it is what was built. */
const sidecarOf = (home: string, state: Wholeness): string | undefined =>
  state === "whole" ? join(pluginFolder(home, "memory-bridge"), "sidecar.cjs") : built()

export const fenceFindings = (home: string, state: Wholeness, { node }: PluginNode): ReadonlyArray<Finding> => {
  const script = sidecarOf(home, state)
  if (script === undefined || node === undefined) {
    const why = node === undefined ? "there is no Node for it" : "no built sidecar lies beside this program"
    return [found.info("fences_not_asked", `The sidecar was not asked for its fences: ${why}.`)]
  }
  const flags = [
    "--no-warnings",
    "--max-semi-space-size=2",
    "--heap-growing-percent=20",
    permissionFlag(node.version),
    "--allow-fs-read=*",
    "--allow-addons"
  ]
  const { status, stdout } = spawnSync(node.path, [...flags, script], {
    cwd: "/",
    encoding: "utf8",
    env: bareEnvironment(),
    input: '{"jsonrpc":"2.0","id":1,"method":"status"}\n',
    stdio: ["pipe", "pipe", "ignore"],
    timeout: statusMillis
  })
  const answer = Option.getOrUndefined(decodeAnswer((stdout ?? "").split("\n")[0] ?? ""))
  if (answer === undefined) {
    const code = status === null ? "it did not answer in time" : `it ended with ${status}`
    return [
      found.error("sidecar_silent", `The sidecar of memory-bridge does not answer: ${code}.`, "memory-bridge demo")
    ]
  }
  return answer.result.fences.map(({ detail, holds, name }) => {
    const more = detail === undefined ? "" : ` (${detail})`
    return holds
      ? found.ok(`fence_${name}`, `${name} holds${more}.`)
      : found.warning(
          `fence_${name}_open`,
          `${name} does not hold${more}. The sidecar only reads without it too.`,
          name === "landlock" ? "use a kernel with Landlock: Linux 5.13 or newer" : "run the plugins on Node 24"
        )
  })
}
