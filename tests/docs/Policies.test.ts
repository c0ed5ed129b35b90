/** Every JSON and YAML block of README and docs/ is what it says, by the decoders that the product uses. (issue 7 item 7) */
import { assert, describe, it } from "@effect/vitest"
import * as GuardSettings from "@memory-bridge/core/guard/Settings"
import { modeOf } from "@memory-bridge/core/guard/Mode"
import * as Policy from "@memory-bridge/core/policy/Policy"
import * as StrictJson from "@memory-bridge/core/policy/StrictJson"
import * as Result from "effect/Result"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { parse } from "yaml"
import { type Block, type Page, pages, top } from "./support/Pages.ts"
import { documentedHome } from "./support/Place.ts"

type Member = Readonly<Record<string, unknown>>
const memberOf = (value: unknown, ...keys: ReadonlyArray<string>): unknown =>
  keys.reduce((of: unknown, key) => (of as Member | undefined)?.[key], value)

const defect = <A, E>(result: Result.Result<A, E>): E | undefined =>
  Result.isFailure(result) ? result.failure : undefined

const guardPolicy = (policy: unknown): unknown => defect(GuardSettings.decode(policy, documentedHome))

/** The settings of the guard's manifest. */
const guardKeys = new Set(["policy", "mode", "audit_chain", "node", "deadline_seconds"])

/** The settings of MCP clients, each of which tests/mcp/Documentation.test.ts starts. */
const started = pages
  .filter(({ name }) => name === "docs/mcp.md")
  .flatMap(({ blocks }) => blocks.filter(({ language }) => language === "json"))
  .map(({ body }): unknown => JSON.parse(body))

const inJson = (body: string): unknown => {
  const value = Result.getOrThrow(StrictJson.parse(body))
  if (memberOf(value, "root") !== undefined || memberOf(value, "roots") !== undefined) {
    return defect(Policy.decode(body))
  }
  if (memberOf(value, "default_action") !== undefined) return guardPolicy(value)
  // An answer of the tools; tests/cli/Search.test.ts has its form.
  if (memberOf(value, "ok") === true) return undefined
  const clients = ["mcpServers", "servers", "context_servers", "mcp"]
  if (!clients.some((key) => memberOf(value, key) !== undefined)) return "is of no kind that is known"
  return started.some((entry) => isDeepStrictEqual(entry, value)) ? undefined : "is no entry of docs/mcp.md"
}

const inYaml = (body: string): unknown => {
  const value: unknown = parse(body, { strict: true, uniqueKeys: true })
  const provider = memberOf(value, "memory", "provider")
  if (provider !== undefined) {
    return existsSync(join(top, "packages/hermes-plugin/python", String(provider))) ? undefined : "names no provider"
  }
  const settings = memberOf(value, "plugins", "entries", "hermes-guardian", "settings")
  if (settings === undefined) return "is of no kind that is known"
  const unknown = Object.keys(settings as Member).filter((key) => !guardKeys.has(key))
  if (unknown.length > 0) return unknown
  const mode = memberOf(settings, "mode")
  return (
    guardPolicy(memberOf(settings, "policy")) ??
    defect(modeOf(mode === undefined ? undefined : { state: "value", value: mode }))
  )
}

const decoders: Readonly<Record<string, (body: string) => unknown>> = { json: inJson, yaml: inYaml }

const blocksOf = (page: Page): ReadonlyArray<readonly [string, Block]> =>
  page.blocks
    .filter(({ language }) => Object.hasOwn(decoders, language))
    .map((block) => [`${page.name}:${block.line}`, block] as const)

describe("the policies of the documentation", () => {
  it.each(pages.flatMap(blocksOf))("%s decodes strictly", (_, { body, language }) => {
    assert.isUndefined(decoders[language]!(body))
  })

  it("are in blocks whose language says what they are", () => {
    const odd = pages.flatMap(({ blocks, name }) =>
      blocks
        .filter(({ body, language }) => language === "" && /^\s*[{[]/u.test(body))
        .map(({ line }) => `${name}:${line}`)
    )
    assert.deepStrictEqual(odd, [])
  })
})
