/** HTTPS of direct mode: whose certificates count, and for what. (seed 003 "HY_MEMORY_CA_FILE", cases/recall.md 42) */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { authority, certificate, hasOpenssl } from "./support/Certificates.ts"
import { startChild, heard } from "./support/Child.ts"
import { here, hostile, outcome, secret } from "./support/Peers.ts"

const top = mkdtempSync(join(tmpdir(), "recall-tls-"))
afterAll(() => rmSync(top, { recursive: true, force: true }))

const place = (name: string): string => join(top, name)
const ours = hasOpenssl ? authority(place("ours"), "Ours") : ""
const theirs = hasOpenssl ? authority(place("theirs"), "Theirs") : ""

const peers = {
  good: ["IP:127.0.0.1", undefined],
  expired: ["IP:127.0.0.1", ["20200101000000Z", "20210101000000Z"]],
  "not valid yet": ["IP:127.0.0.1", ["20980101000000Z", "20991231000000Z"]],
  "of another name": ["DNS:memory.example.com", undefined],
  "of another address": ["IP:127.0.0.2", undefined],
  "of an address as a name": ["DNS:127.0.0.1", undefined]
} as const
if (hasOpenssl) {
  for (const [name, [subject, dates]] of Object.entries(peers)) certificate(place(name), place("ours"), subject, dates)
}

const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(place(name), content, { mode: 0o644 })
  return place(name)
}

const needsOpenssl = hasOpenssl ? "" : " (skipped: needs openssl)"

describe.skipIf(!hasOpenssl)(`a certificate${needsOpenssl}`, () => {
  it.live.each([
    ["good", "200 application/json 2"],
    ["expired", "tls_expired"],
    ["not valid yet", "tls_expired"],
    ["of another name", "tls_name"],
    ["of another address", "tls_name"],
    ["of an address as a name", "tls_name"]
  ] as const)("%s, under our authority: %s", ([name, expected]) =>
    Effect.gen(function* () {
      const { endpoint, received } = yield* hostile("identity", place(name))
      assert.strictEqual((yield* outcome({ endpoint, caFile: ours })).outcome, expected)
      if (name === "good") assert.include(yield* received, secret)
      else assert.strictEqual(yield* received, "", "nothing is sent before the certificate is right")
    }).pipe(Effect.scoped)
  )

  it.live("under another authority, or the system's alone, is not trusted", () =>
    Effect.gen(function* () {
      const { endpoint, received } = yield* hostile("identity", place("good"))
      assert.strictEqual((yield* outcome({ endpoint, caFile: theirs })).outcome, "tls_untrusted")
      assert.strictEqual((yield* outcome({ endpoint, millis: 5_000 })).outcome, "tls_untrusted")
      assert.strictEqual(yield* received, "")
    }).pipe(Effect.scoped)
  )

  it.live("of an authority of one's own is not trusted for another connection", () =>
    Effect.gen(function* () {
      const { endpoint } = yield* hostile("identity", place("good"))
      assert.strictEqual((yield* outcome({ endpoint, caFile: ours })).outcome, "200 application/json 2")
      assert.strictEqual((yield* outcome({ endpoint, caFile: theirs })).outcome, "tls_untrusted")
    }).pipe(Effect.scoped)
  )

  it.live("counts from the next request on when the file is replaced on disk", () =>
    Effect.gen(function* () {
      const { endpoint } = yield* hostile("identity", place("good"))
      const caFile = file("replaced.pem", readFileSync(theirs))
      assert.strictEqual((yield* outcome({ endpoint, caFile })).outcome, "tls_untrusted")
      copyFileSync(ours, caFile)
      assert.strictEqual((yield* outcome({ endpoint, caFile })).outcome, "200 application/json 2")
    }).pipe(Effect.scoped)
  )

  it.live("among others in one file, or behind a link, counts too", () =>
    Effect.gen(function* () {
      const { endpoint } = yield* hostile("identity", place("good"))
      const both = file("both.pem", `# two\n${readFileSync(theirs, "utf8")}\n${readFileSync(ours, "utf8")}`)
      assert.strictEqual((yield* outcome({ endpoint, caFile: both })).outcome, "200 application/json 2")
      symlinkSync(ours, place("link.pem"))
      assert.strictEqual((yield* outcome({ endpoint, caFile: place("link.pem") })).outcome, "200 application/json 2")
    }).pipe(Effect.scoped)
  )

  it.live("no switch in the environment makes it trusted", () =>
    Effect.gen(function* () {
      const { endpoint, received } = yield* hostile("identity", place("good"))
      const asked = JSON.stringify({ endpoint, caFile: theirs, credential: secret, path: "/context", millis: 5_000 })
      const child = yield* startChild(process.execPath, ["--no-warnings", join(here, "peers", "ask.ts"), asked], {
        NODE_TLS_REJECT_UNAUTHORIZED: "0",
        NODE_EXTRA_CA_CERTS: ours
      })
      assert.strictEqual(yield* heard(child, ({ outcome }) => outcome), "tls_untrusted")
      assert.strictEqual(yield* received, "")
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(!hasOpenssl)(`a file of authorities${needsOpenssl}`, () => {
  it.live("that cannot be used is a reason of its own, and nobody is connected to", () =>
    Effect.gen(function* () {
      const { child, endpoint, received } = yield* hostile("identity", place("good"))
      const pem = readFileSync(ours, "utf8")
      const open = file("open.pem", pem)
      chmodSync(open, 0o666)
      for (const [caFile, expected] of [
        [place("nowhere.pem"), "ca_unreadable"],
        [top, "ca_unreadable"],
        [open, "ca_unreadable"],
        [file("empty.pem", ""), "ca_invalid"],
        [file("text.pem", "no certificate"), "ca_invalid"],
        [file("key.pem", readFileSync(join(place("ours"), "ca.key"))), "ca_invalid"],
        [file("cut.pem", pem.slice(0, -60)), "ca_invalid"],
        [file("broken.pem", `${pem}\n${pem.replace(/\n.{64}\n/, "\nAAAA\n")}`), "ca_invalid"],
        [file("large.pem", `${pem}${" ".repeat(1_048_576)}`), "ca_unreadable"]
      ] as const) {
        assert.strictEqual((yield* outcome({ endpoint, caFile })).outcome, expected, caFile)
      }
      yield* received
      assert.deepStrictEqual(
        child.lines.filter((line) => "received" in line || "closed" in line || "handshake" in line),
        []
      )
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(!hasOpenssl)(`a peer that does not speak TLS${needsOpenssl}`, () => {
  it.live("is refused, or left at the deadline", () =>
    Effect.gen(function* () {
      const https = (endpoint: { readonly port: number }) =>
        ({ scheme: "https", host: "127.0.0.1", port: endpoint.port, loopback: true }) as const
      const plain = yield* hostile("garbage")
      assert.notInclude((yield* outcome({ endpoint: https(plain.endpoint), caFile: ours, millis: 700 })).outcome, "200")
      const silent = yield* hostile("silent")
      const { millis, outcome: found } = yield* outcome({ endpoint: https(silent.endpoint), caFile: ours, millis: 500 })
      assert.strictEqual(found, "timed_out")
      assert.isBelow(millis, 750)
      for (const { received } of [plain, silent]) assert.notInclude(yield* received, secret)
      const early = yield* hostile("answering early")
      assert.strictEqual((yield* outcome({ endpoint: https(early.endpoint), caFile: ours })).outcome, "tls_failed")
    }).pipe(Effect.scoped)
  )
})
