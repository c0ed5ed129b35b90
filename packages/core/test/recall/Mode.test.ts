/** recall-contract 1.4 "connection.json": a broken managed installation never falls through to another store. */
import { assert, describe, it } from "@effect/vitest"
import type { OptIn } from "@memory-bridge/core/identity/Caller"
import { configuredMode, connectionPlaceOf } from "@memory-bridge/core/recall/Mode"
import { needsOf, type Profile } from "@memory-bridge/core/recall/Profile"
import type { FileReading } from "@memory-bridge/core/recall/TrustedFile"
import * as Result from "effect/Result"

const connection = JSON.stringify({ version: 1, discovery_file: "/m/d", credential_file: "/m/c" })
const text = (text: string): FileReading => ({ kind: "text", text })
const refused = (fault: Extract<FileReading, { kind: "refused" }>["fault"]): FileReading => ({ kind: "refused", fault })
const missing = refused("missing")

const profile = (environment: Profile["environment"] = {}, run = "primary"): Profile => ({
  home: "/h",
  plugin_directory: "/h/plugins/hy_memory",
  environment,
  run,
  history: "kept"
})

const direct = { HY_MEMORY_USER_ID: "ana", HY_MEMORY_AGENT_ID: "hermes" }

/** The mode in words. */
const mode = (environment: Profile["environment"], reading: FileReading): string => {
  const given = profile(environment)
  const place = connectionPlaceOf(given)
  const found = Result.isFailure(place) ? place.failure : configuredMode(given, place.success, reading)
  switch (found.kind) {
    case "disabled":
      return ["disabled", found.reason, found.subject, found.rule].filter((word) => word !== undefined).join(" ")
    case "off":
      return `off ${found.reason}`
    default:
      return found.kind
  }
}

describe("a connection file means managed mode", () => {
  it("a good one", () => {
    assert.strictEqual(mode({}, text(connection)), "managed")
  })

  it("also where a server is configured", () => {
    assert.strictEqual(mode(direct, text(connection)), "managed")
    assert.strictEqual(mode({ HY_MEMORY_URL: "nonsense" }, text(connection)), "managed")
  })

  it.each([
    [text("{"), "disabled connection_invalid not_json"],
    [text(`{"version":1}`), "disabled connection_invalid wrong_form"],
    [text(connection.replace("{", `{"version":1,`)), "disabled connection_invalid duplicate_key"],
    [refused("link"), "disabled connection_refused link"],
    [refused("foreign_owner"), "disabled connection_refused foreign_owner"],
    [refused("writable_by_others"), "disabled connection_refused writable_by_others"],
    [refused("not_file"), "disabled connection_refused not_file"],
    [refused("too_large"), "disabled connection_refused too_large"],
    [refused("not_permitted"), "disabled connection_refused not_permitted"],
    [refused("unreadable"), "disabled connection_refused unreadable"]
  ])("a broken one disables it, with a server configured and without", (reading, expected) => {
    assert.strictEqual(mode({}, reading), expected)
    assert.strictEqual(mode(direct, reading), expected)
  })

  it("one that is named must be there", () => {
    const environment = { ...direct, HY_MEMORY_CONNECTION_FILE: "/m/connection.json" }
    assert.strictEqual(mode(environment, missing), "disabled connection_missing")
    assert.strictEqual(mode(environment, text(connection)), "managed")
  })

  it("one that is named badly disables recall", () => {
    assert.match(mode({ HY_MEMORY_CONNECTION_FILE: "here.json" }, missing), /^disabled setting_invalid HY_MEMORY_CONN/)
  })

  it("lies beside the plugin unless it is named", () => {
    assert.deepStrictEqual(Result.getOrThrow(connectionPlaceOf(profile())), {
      path: "/h/plugins/hy_memory/connection.json",
      named: false
    })
    assert.deepStrictEqual(Result.getOrThrow(connectionPlaceOf(profile({ HY_MEMORY_CONNECTION_FILE: "/m/c" }))), {
      path: "/m/c",
      named: true
    })
  })
})

describe("without a connection file", () => {
  it("a configured server is used", () => {
    assert.strictEqual(mode(direct, missing), "direct")
  })

  it("half a configuration is disabled, not passed over", () => {
    assert.strictEqual(
      mode({ HY_MEMORY_USER_ID: "ana" }, missing),
      "disabled setting_invalid HY_MEMORY_AGENT_ID is required in direct mode"
    )
    assert.strictEqual(
      mode({ HY_MEMORY_URL: "http://127.0.0.1:19527" }, missing),
      "disabled setting_invalid HY_MEMORY_USER_ID is required in direct mode"
    )
    assert.strictEqual(
      mode({ ...direct, HY_MEMORY_URL: "http://localhost" }, missing),
      "disabled setting_invalid HY_MEMORY_URL plain_http"
    )
  })

  it("nothing configured leaves the choice to the notes", () => {
    assert.strictEqual(mode({}, missing), "unconfigured")
    assert.strictEqual(mode({ HY_MEMORY_LIMIT: "3" }, missing), "unconfigured")
  })
})

it("a common setting that cannot be used disables every mode", () => {
  for (const reading of [missing, text(connection)]) {
    assert.strictEqual(
      mode({ ...direct, HY_MEMORY_LIMIT: "50" }, reading),
      "disabled setting_invalid HY_MEMORY_LIMIT must be a whole number from 1 to 20"
    )
  }
})

it.each<readonly [string, ReadonlyArray<OptIn>]>([
  ["primary", []],
  ["cron", ["allow_cron"]],
  ["subagent", ["allow_subagents"]],
  ["flush", ["allow_cron", "allow_subagents"]],
  ["", ["allow_cron", "allow_subagents"]]
])("a run of kind %j needs %j of a policy", (run, needs) => {
  assert.deepStrictEqual(needsOf(profile({}, run)), needs)
})
