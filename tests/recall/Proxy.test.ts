/**
 * No proxy has a say, whatever the environment names, on every Node of this machine. (recall-contract 4.1, cases/
 * recall.md 35 and 36)
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { bundle } from "../../scripts/build.mjs"
import { type Node, nodes } from "../sidecar/support/Nodes.ts"
import { heard, startChild } from "./support/Child.ts"
import { here, hostile, secret } from "./support/Peers.ts"

const built = mkdtempSync(join(tmpdir(), "recall-ask-"))
const client = join(built, "ask.cjs")
beforeAll(() => bundle(join(here, "peers", "ask.ts"), client))
afterAll(() => rmSync(built, { recursive: true, force: true }))

/** Every spelling that some program reads. */
const proxied = (port: number): NodeJS.ProcessEnv => {
  const proxy = `http://127.0.0.1:${port}`
  const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "npm_config_proxy"]
  return { ...Object.fromEntries(names.map((name) => [name, proxy])), NODE_USE_ENV_PROXY: "1", NO_PROXY: "10.0.0.0/8" }
}

const asked = (node: Node, endpoint: object, environment: NodeJS.ProcessEnv) =>
  Effect.gen(function* () {
    const question = JSON.stringify({ endpoint, credential: secret, path: "/context", millis: 3_000 })
    const child = yield* startChild(node.path, [client, question], environment)
    return yield* heard(child, ({ outcome }) => outcome)
  })

describe.each(nodes)("on Node $version", (node) => {
  it.live("with every proxy variable set the peer is asked and the proxy hears nothing", () =>
    Effect.gen(function* () {
      const peer = yield* hostile("identity")
      const proxy = yield* hostile("identity")
      const answer = yield* asked(node, peer.endpoint, proxied(proxy.endpoint.port))
      assert.strictEqual((answer as { status?: number }).status, 200)
      assert.include(yield* peer.received, secret)
      assert.strictEqual(yield* proxy.received, "")
    }).pipe(Effect.scoped)
  )

  it.live("nor is it asked when the peer is not there", () =>
    Effect.gen(function* () {
      const gone = yield* hostile("identity")
      yield* Effect.promise(gone.child.kill)
      const proxy = yield* hostile("identity")
      assert.strictEqual(yield* asked(node, gone.endpoint, proxied(proxy.endpoint.port)), "unreachable")
      assert.strictEqual(yield* proxy.received, "")
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["redirecting", "302"],
    ["gzip bomb", "encoded"],
    ["chunked flood", "too_large"],
    ["silent", "timed_out"],
    ["two lengths", "not_http"],
    ["cut body", "unreachable"]
  ])("a peer that is %s: %s", ([way, expected]) =>
    Effect.gen(function* () {
      const peer = yield* hostile(way!)
      const outcome = yield* asked(node, peer.endpoint, {})
      assert.strictEqual(
        typeof outcome === "string" ? outcome : String((outcome as { status: number }).status),
        expected
      )
      yield* peer.received
      assert.isUndefined(peer.child.lines.find(({ elsewhere }) => elsewhere === true))
    }).pipe(Effect.scoped)
  )
})
