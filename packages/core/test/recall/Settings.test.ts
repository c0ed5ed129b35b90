/** Seed 003: the environment table, with every default and both ends of every range. */
import { assert, describe, it } from "@effect/vitest"
import {
  connectionFileOf,
  type Environment,
  namesServer,
  type ServerSettings,
  serverSettingsOf,
  type Settings,
  settingsOf
} from "@memory-bridge/core/recall/Settings"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

const named = { HY_MEMORY_USER_ID: "ana", HY_MEMORY_AGENT_ID: "hermes" }

const common = (environment: Environment): Settings => Result.getOrThrow(settingsOf(environment))
const server = (environment: Environment): ServerSettings =>
  Result.getOrThrow(serverSettingsOf({ ...named, ...environment }, common(environment)))

/** What is wrong with a variable: its name, or "" where nothing is. */
const refused = (variable: string, value: string): string => {
  const environment = { ...named, [variable]: value }
  return Result.match(
    Result.flatMap(settingsOf(environment), (settings) =>
      Result.flatMap(serverSettingsOf(environment, settings), () => connectionFileOf(environment))
    ),
    { onSuccess: () => "", onFailure: (defect) => defect.variable }
  )
}

describe("without variables", () => {
  it("every setting has the default of the table", () => {
    assert.deepStrictEqual(common({}), {
      timeoutMillis: 5_000,
      limit: 5,
      maxChars: 4_000,
      maxBodyBytes: 262_144,
      autoRecall: true,
      notes: true,
      fresh: false,
      maskSecrets: false
    })
    assert.deepStrictEqual(server({}), {
      endpoint: { scheme: "http", host: "127.0.0.1", port: 19_527, loopback: true },
      userId: "ana",
      agentId: "hermes",
      apiKey: undefined,
      caFile: undefined,
      writeTimeoutMillis: 5_000,
      autoCapture: false
    })
  })

  it("the write timeout is the read timeout", () => {
    assert.strictEqual(server({ HY_MEMORY_TIMEOUT: "12.5" }).writeTimeoutMillis, 12_500)
    assert.strictEqual(server({ HY_MEMORY_TIMEOUT: "12.5", HY_MEMORY_WRITE_TIMEOUT: "90" }).writeTimeoutMillis, 90_000)
  })
})

const ranges = [
  [
    "HY_MEMORY_TIMEOUT",
    ["0.1", "30", "5.25"],
    ["0.09", "0", "30.1", "-1", "1e1", "NaN", "Infinity", "5s", "", " 5", "٥"]
  ],
  ["HY_MEMORY_WRITE_TIMEOUT", ["0.1", "120"], ["0.05", "120.5", ""]],
  ["HY_MEMORY_LIMIT", ["1", "20"], ["0", "21", "5.0", "+5", "05", "five", ""]],
  ["HY_MEMORY_MAX_CHARS", ["256", "16000"], ["255", "16001"]],
  ["HY_MEMORY_MAX_BODY_BYTES", ["1024", "1048576"], ["1023", "1048577"]],
  ["HY_MEMORY_AUTO_RECALL", ["true", "false"], ["TRUE", "1", "yes", ""]],
  ["HY_MEMORY_AUTO_CAPTURE", ["true", "false"], ["on"]],
  ["HY_MEMORY_NOTES", ["true", "false"], ["no"]],
  ["HY_MEMORY_FRESH", ["true", "false"], ["no"]],
  ["HY_MEMORY_MASK_SECRETS", ["true", "false"], ["no"]],
  ["HY_MEMORY_USER_ID", ["a", "\u{1f600}".repeat(256)], ["", "  ", "a".repeat(257), "a\nb", "a\ud800"]],
  ["HY_MEMORY_AGENT_ID", ["a"], ["", "\t", "a".repeat(257)]],
  ["HY_MEMORY_URL", ["https://memory.example.com"], ["", "http://localhost", "http://127.0.0.1:1/x"]],
  ["HY_MEMORY_CA_FILE", ["/etc/ca.pem"], ["ca.pem", "~/ca.pem", "", "/a\0b"]],
  ["HY_MEMORY_API_KEY", ["abc.DEF-123_~+/=="], ["", "a b", "a\r\nX: y", "schl\u00fcssel", "a".repeat(2_049)]],
  ["HY_MEMORY_CONNECTION_FILE", ["/x/connection.json"], ["connection.json", "~/c.json", "./c.json", "", "/a\0"]]
] as const

describe("a variable within its range is accepted, one beyond is refused by name", () => {
  it.each(ranges)("%s", (variable, good, bad) => {
    for (const value of good) assert.strictEqual(refused(variable, value), "", JSON.stringify(value))
    for (const value of bad) assert.strictEqual(refused(variable, value), variable, JSON.stringify(value))
  })

  it.each(["HY_MEMORY_USER_ID", "HY_MEMORY_AGENT_ID"])("%s is required in direct mode", (variable) => {
    const { [variable as keyof typeof named]: _, ...rest } = named
    const result = serverSettingsOf(rest, common({}))
    assert.isTrue(Result.isFailure(result) && result.failure.variable === variable)
  })

  it("no refusal repeats the value", () => {
    const result = serverSettingsOf({ ...named, HY_MEMORY_API_KEY: "se cret" }, common({}))
    assert.notInclude(JSON.stringify(result), "cret")
  })
})

describe("what is only read in direct mode", () => {
  it("spoils nothing else", () => {
    assert.isTrue(
      Result.isSuccess(settingsOf({ HY_MEMORY_AUTO_CAPTURE: "on", HY_MEMORY_URL: "x", HY_MEMORY_USER_ID: "" }))
    )
  })

  it("one of the naming variables means direct mode; the others do not", () => {
    for (const variable of ["URL", "USER_ID", "AGENT_ID", "API_KEY", "CA_FILE"]) {
      assert.isTrue(namesServer({ [`HY_MEMORY_${variable}`]: "" }), variable)
    }
    for (const variable of ["TIMEOUT", "LIMIT", "AUTO_CAPTURE", "SERVER_PORT"]) {
      assert.isFalse(namesServer({ [`HY_MEMORY_${variable}`]: "5" }), variable)
    }
    assert.isFalse(namesServer({}))
  })

  it("the key is redacted wherever it is shown", () => {
    const settings = server({ HY_MEMORY_API_KEY: "s3cr3t" })
    for (const shown of [JSON.stringify(settings), String(settings.apiKey), `${settings.apiKey}`]) {
      assert.notInclude(shown, "s3cr3t")
    }
    assert.strictEqual(Redacted.value(settings.apiKey!), "s3cr3t")
  })
})
