/**
 * Managed recall as an operator meets it: connection file, Broker as a process, credential, impostor. (seed 003, recall-
 * contract 1.4, cases/recall.md 3, 39 and 41)
 */
import { assert, describe, it } from "@effect/vitest"
import { Recall } from "@memory-bridge/core/recall/Recall"
import { nothing } from "@memory-bridge/core/recall/Recalling"
import { grant, grantFileOf, revoke } from "@memory-bridge/platform-posix/recall/Grants"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { chmodSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  allowNotes,
  connectHome,
  connectionFile,
  emptyHome,
  lastEnding,
  note,
  placeIn,
  profileOf,
  sidecar,
  sidecarLogging,
  startBroker,
  take,
  tell,
  turn
} from "./support/Home.ts"
import { hostile } from "./support/Peers.ts"

const question = "where does the boat lie, in which harbour?"

const home = Effect.gen(function* () {
  const made = yield* emptyHome
  allowNotes(made)
  note(made, "boat.md", "# The boat\n\nAda lies in the harbour of Kiel.")
  note(made, "shed.md", "# The shed\n\nThe boat shed at the harbour is green.")
  return made
})

describe("a Broker that runs", () => {
  it.live("recalls once, and again after a compression; the set outlives both processes", () =>
    Effect.gen(function* () {
      const at = yield* home
      yield* connectHome(at)
      yield* startBroker(at)
      const place = placeIn(at)
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* turn(place, question), "boat.md shed.md")
        assert.strictEqual(yield* turn(place, question), "")
        note(at, "shed.md", "# The shed\n\nThe boat shed at the harbour is blue now.")
        assert.strictEqual(yield* turn(place, question), "shed.md")
      }).pipe(Effect.provide(sidecar))
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* turn(place, question), "")
        const compressed = { previous: "s1", parent: "s1", reset: false, rewound: false, reason: "compression" }
        yield* tell(place, { kind: "switch", ...compressed })
        assert.strictEqual(yield* turn(place, question), "boat.md shed.md")
        const { mode, seen } = yield* Recall.use((recall) => recall.status(profileOf(at)))
        assert.deepStrictEqual([mode, seen], ["managed", "file"])
      }).pipe(Effect.provide(sidecar))
    }).pipe(Effect.scoped)
  )

  it.live("answers the tool, and the policy decides what", () =>
    Effect.gen(function* () {
      const at = yield* home
      allowNotes(at, { deny: ["shed.md"] })
      yield* connectHome(at)
      yield* startBroker(at)
      const answer = yield* Effect.provide(
        Recall.use((recall) => recall.search(placeIn(at), { query: question, limit: 3 })),
        sidecar
      )
      assert.isTrue(answer.ok && "count" in answer && answer.count === 1)
      assert.include(JSON.stringify(answer), "1. [boat.md] The boat:")
    }).pipe(Effect.scoped)
  )

  it.live("is not asked under a grant that was revoked, and at once again under a new one", () =>
    Effect.gen(function* () {
      const at = yield* home
      yield* connectHome(at)
      yield* startBroker(at)
      const place = placeIn(at)
      yield* Effect.gen(function* () {
        for (let count = 0; count < 5; count++) {
          yield* Effect.promise(() => revoke(at.grantStore, "hermes"))
          assert.strictEqual(yield* turn(place, question), "")
          assert.strictEqual(yield* lastEnding(place), "credential_missing")
        }
        // A credential of another Broker: it cannot even be proven to.
        writeFileSync(grantFileOf(at.grantStore, "hermes"), "somebody-elses\n", { mode: 0o640 })
        assert.strictEqual(yield* turn(place, question), "")
        assert.strictEqual(yield* lastEnding(place), "credential_refused")
        yield* Effect.promise(() => grant(at.grantStore, "hermes"))
        assert.strictEqual(yield* turn(place, question), "boat.md shed.md")
      }).pipe(Effect.provide(sidecar))
    }).pipe(Effect.scoped)
  )
})

describe("a Broker that was killed", () => {
  it.live("leaves its port to an impostor, who gets no credential; the next Broker is asked at once", () =>
    Effect.gen(function* () {
      const at = yield* home
      const credentialFile = yield* connectHome(at)
      const credential = readFileSync(credentialFile, "utf8").trim()
      const first = yield* startBroker(at)
      const place = placeIn(at)
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* turn(place, question), "boat.md shed.md")
        yield* Effect.promise(first.child.kill)
        assert.strictEqual(yield* turn(place, question), "")
        assert.strictEqual(yield* lastEnding(place), "unreachable")
        const impostor = yield* hostile("impostor", undefined, { PORT: String(first.port), INSTANCE: first.instance })
        for (let count = 0; count < 2; count++) {
          assert.strictEqual(yield* turn(place, question), "")
          assert.strictEqual(yield* lastEnding(place), "identity")
        }
        assert.strictEqual(yield* turn(place, question), "")
        assert.strictEqual(yield* lastEnding(place), "resting")
        assert.match(yield* impostor.received, /^GET \/identity\?nonce=/)
        assert.notInclude(yield* impostor.received, credential)
        assert.notInclude(yield* impostor.received, "POST")
        assert.notInclude(yield* impostor.received, "harbour")
        yield* startBroker(at)
        note(at, "boat.md", "# The boat\n\nAda lies in the harbour of Flensburg.")
        assert.strictEqual(yield* turn(place, question), "boat.md")
      }).pipe(Effect.provide(sidecar))
    }).pipe(Effect.scoped)
  )

  it.live("or that hangs costs a turn nothing", () =>
    Effect.gen(function* () {
      const at = yield* home
      yield* connectHome(at)
      const first = yield* startBroker(at)
      first.child.process.kill("SIGSTOP")
      const place = placeIn(at, "s1", { environment: { HY_MEMORY_TIMEOUT: "0.5" } })
      yield* Effect.gen(function* () {
        const recall = yield* Recall
        const started = performance.now()
        const asked = yield* Effect.forkChild(recall.queue(place, question))
        for (let count = 0; count < 100; count++) assert.deepStrictEqual(yield* take(place), nothing)
        assert.isBelow(performance.now() - started, 250)
        yield* Fiber.join(asked)
        assert.strictEqual(yield* lastEnding(place), "timed_out")
        first.child.process.kill("SIGCONT")
        assert.strictEqual(yield* turn(place, question), "boat.md shed.md")
      }).pipe(Effect.provide(sidecar))
    }).pipe(Effect.scoped)
  )
})

describe("a connection file that is broken", () => {
  it.live("disables recall, though a server is configured and a policy is there", () =>
    Effect.gen(function* () {
      const at = yield* home
      yield* connectHome(at)
      const peer = yield* hostile("identity")
      const environment = {
        HY_MEMORY_URL: `http://127.0.0.1:${peer.endpoint.port}`,
        HY_MEMORY_USER_ID: "ana",
        HY_MEMORY_AGENT_ID: "hermes"
      }
      const place = placeIn(at, "s1", { environment })
      const path = connectionFile(at)
      const text = readFileSync(path, "utf8")
      const breaks: ReadonlyArray<readonly [() => void, string]> = [
        [() => writeFileSync(path, "{"), "connection_invalid"],
        [() => writeFileSync(path, `${text}${" ".repeat(4_096)}`), "connection_refused"],
        [
          () => {
            writeFileSync(path, text)
            chmodSync(path, 0o666)
          },
          "connection_refused"
        ],
        [
          () => {
            chmodSync(path, 0o600)
            renameSync(path, `${path}.real`)
            symlinkSync(`${path}.real`, path)
          },
          "connection_refused"
        ]
      ]
      yield* Effect.gen(function* () {
        for (const [breakIt, reason] of breaks) {
          breakIt()
          assert.strictEqual(yield* turn(place, question), "")
          assert.strictEqual(yield* lastEnding(place), reason)
          const answer = yield* Recall.use((recall) => recall.search(place, { query: question }))
          assert.isFalse(answer.ok)
          assert.isFalse((yield* Recall.use((recall) => recall.add(place, { text: "x y" }))).ok)
        }
      }).pipe(Effect.provide(sidecar))
      assert.strictEqual(yield* peer.received, "")
    }).pipe(Effect.scoped)
  )
})

it.live("neither log nor status nor answer tells a path, a question, a memory or the credential", () =>
  Effect.gen(function* () {
    const at = yield* home
    const credential = readFileSync(yield* connectHome(at), "utf8").trim()
    const broker = yield* startBroker(at)
    const logged: Array<string> = []
    const shown: Array<unknown> = []
    const look = Effect.gen(function* () {
      yield* turn(placeIn(at), question)
      shown.push(yield* Recall.use((recall) => recall.status(profileOf(at))))
    })
    yield* Effect.gen(function* () {
      yield* look
      yield* Effect.promise(broker.child.kill)
      yield* look
      shown.push(yield* Recall.use((recall) => recall.search(placeIn(at), { query: question })))
      writeFileSync(at.discoveryFile, "{ secret text")
      yield* look
      writeFileSync(connectionFile(at), "{ secret text")
      yield* look
    }).pipe(Effect.provide(sidecarLogging(logged)))
    assert.isAtLeast(logged.length, 4)
    const told = `${logged.join()} ${JSON.stringify(shown)}`
    for (const word of [credential, at.path, "harbour", "Kiel", "secret text", String(broker.port), broker.instance]) {
      assert.notInclude(told, word)
    }
  }).pipe(Effect.scoped)
)

it.live("the credential lies in the owner's store and nowhere else in the home", () =>
  Effect.gen(function* () {
    const at = yield* home
    const credentialFile = yield* connectHome(at)
    const credential = readFileSync(credentialFile, "utf8").trim()
    yield* startBroker(at)
    assert.strictEqual(yield* Effect.provide(turn(placeIn(at), question), sidecar), "boat.md shed.md")
    const holding = readdirSync(at.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path, "utf8").includes(credential))
    assert.deepStrictEqual(holding, [credentialFile])
  }).pipe(Effect.scoped)
)

describe("without connection and server", () => {
  it.live("the permitted notes serve, unless that is switched off", () =>
    Effect.gen(function* () {
      const at = yield* home
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* turn(placeIn(at), question), "boat.md shed.md")
        assert.strictEqual(yield* turn(placeIn(at), question), "")
        const off = placeIn(at, "s2", { environment: { HY_MEMORY_NOTES: "false" } })
        assert.strictEqual(yield* turn(off, question), "")
        assert.strictEqual(yield* lastEnding(off), "notes_off")
        const cron = placeIn(at, "s3", { run: "cron" })
        assert.strictEqual(yield* turn(cron, question), "")
        assert.strictEqual(yield* lastEnding(cron), "notes_refused")
      }).pipe(Effect.provide(sidecar))
    }).pipe(Effect.scoped)
  )

  it.live("and without a policy there is nothing", () =>
    Effect.gen(function* () {
      const at = yield* emptyHome
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* turn(placeIn(at), question), "")
        assert.strictEqual(yield* lastEnding(placeIn(at)), "not_configured")
      }).pipe(Effect.provide(sidecar))
    }).pipe(Effect.scoped)
  )
})
