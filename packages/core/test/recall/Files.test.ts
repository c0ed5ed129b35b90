/** recall-contract 1.4: connection.json, discovery file, credential file; cases/recall.md 41. */
import { assert, describe, it } from "@effect/vitest"
import { connectionOf, connectionText } from "@memory-bridge/core/recall/Connection"
import { credentialOfFile } from "@memory-bridge/core/recall/Credential"
import { discoveryOf, discoveryText, spokenWith } from "@memory-bridge/core/recall/Discovery"
import { fileFault, type FileRule } from "@memory-bridge/core/recall/TrustedFile"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { file, stranger, user } from "../given/Facts.ts"

const outcome = <A>(result: Result.Result<A, string>): A | string =>
  Result.match(result, { onSuccess: (value) => value, onFailure: (defect) => defect })

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))
const readConnection = (value: unknown) => outcome(connectionOf(textOf(value)))
const readDiscovery = (value: unknown) => outcome(discoveryOf(textOf(value)))

describe("a connection file is two absolute paths and a version", () => {
  const good = { version: 1, discovery_file: "/m/broker.json", credential_file: "/m/hermes.credential" }

  it("is read as it is written", () => {
    const connection = { discoveryFile: "/m/broker.json", credentialFile: "/m/hermes.credential" }
    assert.deepStrictEqual(readConnection(good), connection)
    assert.deepStrictEqual(outcome(connectionOf(connectionText(connection))), connection)
  })

  it.each([
    ["a relative path", { ...good, discovery_file: "broker.json" }],
    ["a home path", { ...good, credential_file: "~/x" }],
    ["a NUL", { ...good, credential_file: "/m/\0" }],
    ["a path with ..", { ...good, credential_file: "/m/../x" }],
    ["a path with //", { ...good, credential_file: "/m//x" }],
    ["an empty path", { ...good, credential_file: "" }],
    ["another version", { ...good, version: 2 }],
    ["no version", { discovery_file: "/a", credential_file: "/b" }],
    ["a further key", { ...good, credential: "secret" }],
    ["a missing key", { version: 1, discovery_file: "/a" }],
    ["a list", [good]]
  ])("%s is refused", (_, value) => {
    assert.strictEqual(readConnection(value), "wrong_form")
  })

  it.each([
    ["a duplicate key", `{"version":1,"version":1,"discovery_file":"/a","credential_file":"/b"}`, "duplicate_key"],
    ["a byte order mark", `\ufeff${JSON.stringify(good)}`, "not_json"],
    ["a comment", `${JSON.stringify(good)} // x`, "not_json"],
    ["nothing", "", "not_json"]
  ])("%s is refused", (_, text, defect) => {
    assert.strictEqual(readConnection(text), defect)
  })
})

describe("a discovery file names a Broker on loopback", () => {
  const good = {
    version: 1,
    product: "memhub-broker",
    instance: "0123456789abcdef",
    pid: 7,
    started: 1_700_000_000_000,
    url: "http://127.0.0.1:4711",
    protocols: ["context/1", "context/2"]
  }

  it("is read as it is written", () => {
    const discovery = Result.getOrThrow(discoveryOf(JSON.stringify(good)))
    assert.strictEqual(discovery.endpoint.port, 4711)
    assert.deepStrictEqual(Result.getOrThrow(discoveryOf(discoveryText(discovery))), discovery)
  })

  it.each([
    ["localhost", { ...good, url: "http://localhost:4711" }, "not_loopback"],
    ["another loopback address", { ...good, url: "http://127.0.0.2:4711" }, "not_loopback"],
    ["https", { ...good, url: "https://127.0.0.1:4711" }, "not_loopback"],
    ["a remote host", { ...good, url: "https://evil.example" }, "not_loopback"],
    ["a path", { ...good, url: "http://127.0.0.1:4711/x" }, "not_loopback"],
    ["a user", { ...good, url: "http://u@127.0.0.1:4711" }, "not_loopback"],
    ["a number as host", { ...good, url: "http://2130706433:4711" }, "not_loopback"],
    ["a mapped address", { ...good, url: "http://[::ffff:127.0.0.1]:4711" }, "not_loopback"],
    ["port 0", { ...good, url: "http://127.0.0.1:0" }, "not_loopback"],
    ["another product", { ...good, product: "other" }, "wrong_form"],
    ["another version", { ...good, version: 2 }, "wrong_form"],
    ["a short instance", { ...good, instance: "abc" }, "wrong_form"],
    ["an instance that could end a signed text", { ...good, instance: "0123456789|abcdef" }, "wrong_form"],
    ["pid 0", { ...good, pid: 0 }, "wrong_form"],
    ["a further key", { ...good, credential: "x" }, "wrong_form"],
    ["a duplicate key", JSON.stringify(good).replace("{", `{"pid":7,`), "duplicate_key"]
  ])("%s is refused", (_, value, defect) => {
    assert.strictEqual(readDiscovery(value), defect)
  })

  it.each([
    [["context/1", "context/2"], "context/2"],
    [["context/1"], "context/1"],
    [["context/3"], undefined],
    [[], undefined]
  ])("of %j the best that both speak is %s", (protocols, expected) => {
    assert.strictEqual(spokenWith(Result.getOrThrow(discoveryOf(JSON.stringify({ ...good, protocols })))), expected)
  })
})

const credentialIn = (text: string): string | undefined => {
  const credential = credentialOfFile(text)
  return credential === undefined ? undefined : Redacted.value(credential)
}

describe("a credential file is one line of a token", () => {
  it.each(["abc", "abc\n", "a.b-c_d~e+f/g==\n"])("%j", (text) => {
    assert.strictEqual(credentialIn(text), text.trim())
  })

  it.each(["", "\n", "a\n\n", "a\nb", "a\r\n", " a", "a b", "a\0", "=a", "schl\u00fcssel", "a".repeat(2_049)])(
    "%j is none",
    (text) => {
      assert.isUndefined(credentialIn(text))
    }
  )
})

describe("whose file it is", () => {
  const rules: ReadonlyArray<FileRule> = ["public", "private", "shared"]
  const faults = (changes: Parameters<typeof file>[0]) =>
    rules.map((rule) => fileFault(file(changes), rule, user, 100) ?? "-").join(" ")

  it.each([
    ["the user's own", {}, "- - -"],
    ["readable by others", { mode: 0o644 }, "- readable_by_others -"],
    ["executable by the group", { mode: 0o610 }, "- readable_by_others -"],
    ["writable by the group", { mode: 0o660 }, "writable_by_others writable_by_others writable_by_others"],
    ["writable by all", { mode: 0o602 }, "writable_by_others writable_by_others writable_by_others"],
    ["root's", { owner: 0 }, "- foreign_owner -"],
    ["a stranger's", { owner: stranger }, "foreign_owner foreign_owner foreign_owner"],
    ["with a second name", { links: 2 }, "hard_link hard_link -"],
    ["a directory", { kind: "directory" }, "not_file not_file not_file"],
    ["a pipe", { kind: "other" }, "not_file not_file not_file"],
    ["of 100 bytes", { size: 100 }, "- - -"],
    ["of 101 bytes", { size: 101 }, "too_large too_large too_large"]
  ] as const)("%s", (_, changes, expected) => {
    assert.strictEqual(faults(changes), expected)
  })
})
