/** recall-contract 1.4 "hy-memory-seen.json"; cases/recall.md 31 and 33. */
import { assert, describe, it } from "@effect/vitest"
import { applied, hasSeen, type SeenChange, type SeenState } from "@memory-bridge/core/recall/Seen"
import { maxStateBytes, stateOf } from "@memory-bridge/core/recall/SeenFile"
import { SeenStore } from "@memory-bridge/core/recall/SeenStore"
import { fileLock } from "@memory-bridge/platform-posix/FileLock"
import * as SeenFiles from "@memory-bridge/platform-posix/recall/SeenFiles"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  chmodSync,
  chownSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { folder, isRoot } from "./Folder.ts"

const key = "a-key-of-thirty-two-characters-or-more"
const shown = (id: string, session = "s1"): SeenChange => ({
  kind: "shown",
  session,
  marks: [{ id, digest: "0".repeat(32) }]
})

const directory = (home: string) => join(home, ".one-memory")
const file = (home: string) => join(directory(home), "hy-memory-seen.json")
const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8)

const load = (home: string, of = key) => SeenStore.use((store) => store.load(home, of))
const mark = (home: string, ...ids: ReadonlyArray<string>) =>
  SeenStore.use((store) => store.update(home, key, (state) => ids.map((id) => shown(id)).reduce(applied, state)))
const seen = (state: SeenState | undefined) => [...(state?.sessions.get("s1")?.keys() ?? [])].join(" ")

/** A process of its own, as far as the store can tell. */
const anew = <A, E>(effect: Effect.Effect<A, E, SeenStore>) => Effect.provide(effect, Layer.fresh(SeenFiles.layer))

describe("the file", () => {
  it.live("is made for its owner alone, and read by the next process", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const umask = process.umask(0)
      const made = yield* Effect.ensuring(
        anew(mark(home, "a", "b")),
        Effect.sync(() => process.umask(umask))
      )
      assert.strictEqual(seen(made), "a b")
      assert.deepStrictEqual([modeOf(directory(home)), modeOf(file(home))], ["700", "600"])
      assert.deepStrictEqual(yield* anew(load(home, "another-key-of-thirty-two-characters")), made)
      assert.deepStrictEqual(readdirSync(directory(home)).toSorted(), [".hy-memory-seen.lock", "hy-memory-seen.json"])
      assert.strictEqual(modeOf(join(directory(home), ".hy-memory-seen.lock")), "600")
    }).pipe(Effect.scoped)
  )

  it.live("is made by a look at it, with the key that was given", () =>
    Effect.gen(function* () {
      const home = yield* folder
      assert.deepStrictEqual(yield* anew(load(home)), { key, sessions: new Map() })
      assert.deepStrictEqual(stateOf(readFileSync(file(home), "utf8")), { key, sessions: new Map() })
    }).pipe(Effect.scoped)
  )

  it.live("keeps what every process has put into it", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const processes = Array.from({ length: 8 }, (_, process) =>
        anew(
          Effect.forEach(
            Array.from({ length: 6 }, (_, index) => `p${process}-${index}`),
            (id) => mark(home, id),
            { discard: true }
          )
        )
      )
      yield* Effect.all(processes, { concurrency: "unbounded", discard: true })
      assert.strictEqual(seen(yield* anew(load(home))).split(" ").length, 48)
    }).pipe(Effect.scoped)
  )

  it.live("what lies beside it after a crash does no harm", () =>
    Effect.gen(function* () {
      const home = yield* folder
      yield* anew(mark(home, "a"))
      writeFileSync(`${file(home)}.tmp`, "half of a sta")
      assert.strictEqual(seen(yield* anew(mark(home, "b"))), "a b")
      assert.deepStrictEqual(readdirSync(directory(home)).toSorted(), [".hy-memory-seen.lock", "hy-memory-seen.json"])
    }).pipe(Effect.scoped)
  )
})

describe("what is no state of ours is set aside, and a new one begins", () => {
  it.live.each([
    ["torn", `{"version":1,"key":"`],
    ["empty", ""],
    ["of another program", `{"version":2,"sessions":{}}`],
    ["binary", Uint8Array.of(0, 0xff, 0xfe)],
    ["too large", " ".repeat(maxStateBytes + 1)]
  ] as const)("%s", ([, content]) =>
    Effect.gen(function* () {
      const home = yield* folder
      mkdirSync(directory(home), { mode: 0o700 })
      writeFileSync(file(home), content, { mode: 0o600 })
      assert.strictEqual(seen(yield* anew(mark(home, "a"))), "a")
      assert.deepStrictEqual(readFileSync(`${file(home)}.bad`), Buffer.from(content))
      assert.strictEqual(seen(yield* anew(load(home))), "a")
    }).pipe(Effect.scoped)
  )

  it.live("writable by others, because they may have written it", () =>
    Effect.gen(function* () {
      const home = yield* folder
      yield* anew(mark(home, "a"))
      chmodSync(file(home), 0o666)
      assert.strictEqual(seen(yield* anew(load(home))), "")
      assert.strictEqual(modeOf(file(home)), "600")
    }).pipe(Effect.scoped)
  )
})

describe("there is no state, and no error", () => {
  const none = (home: string) =>
    Effect.gen(function* () {
      assert.isUndefined(yield* anew(load(home)))
      assert.isUndefined(yield* anew(mark(home, "a")))
    })

  it.live("where the home is no directory, or is not there", () =>
    Effect.gen(function* () {
      const at = yield* folder
      writeFileSync(join(at, "file"), "")
      yield* none(join(at, "file"))
      yield* none(join(at, "nowhere"))
    }).pipe(Effect.scoped)
  )

  it.live("where a link leads elsewhere, and what it leads to is left alone", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const elsewhere = join(at, "elsewhere")
      mkdirSync(elsewhere, { mode: 0o700 })
      const one = join(at, "one")
      mkdirSync(one)
      symlinkSync(elsewhere, directory(one))
      yield* none(one)
      assert.deepStrictEqual(readdirSync(elsewhere), [])
      const two = join(at, "two")
      mkdirSync(directory(two), { recursive: true, mode: 0o700 })
      writeFileSync(join(elsewhere, "target"), "keep")
      symlinkSync(join(elsewhere, "target"), file(two))
      yield* none(two)
      assert.strictEqual(readFileSync(join(elsewhere, "target"), "utf8"), "keep")
    }).pipe(Effect.scoped)
  )

  it.live("where the directory is open to others, or the file has two names", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const one = join(at, "one")
      mkdirSync(directory(one), { recursive: true })
      chmodSync(directory(one), 0o777)
      yield* none(one)
      const two = join(at, "two")
      mkdirSync(two)
      yield* anew(mark(two, "a"))
      linkSync(file(two), join(at, "second"))
      yield* none(two)
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!isRoot)(`where it is somebody else's${isRoot ? "" : " (skipped: needs root)"}`, () =>
    Effect.gen(function* () {
      const home = yield* folder
      yield* anew(mark(home, "a"))
      chownSync(file(home), 1234, 1234)
      yield* none(home)
    }).pipe(Effect.scoped)
  )

  it.live("where the lock is not had within a second; reading needs none", () =>
    Effect.gen(function* () {
      const home = yield* folder
      yield* anew(mark(home, "a"))
      const descriptor = openSync(join(directory(home), ".hy-memory-seen.lock"), "r+")
      assert.strictEqual(fileLock().take(descriptor), "locked")
      const started = performance.now()
      assert.isUndefined(yield* anew(mark(home, "b")))
      assert.isBelow(performance.now() - started, 2_000)
      assert.strictEqual(seen(yield* anew(load(home))), "a")
      closeSync(descriptor)
      assert.strictEqual(seen(yield* anew(mark(home, "b"))), "a b")
    }).pipe(Effect.scoped)
  )
})

it.live("nothing of it stays open", () =>
  Effect.gen(function* () {
    const home = yield* folder
    yield* anew(mark(home, "a"))
    const before = readdirSync("/dev/fd").length
    for (let count = 0; count < 20; count++) yield* anew(mark(home, `m${count}`))
    assert.strictEqual(readdirSync("/dev/fd").length, before)
    assert.isTrue(hasSeen((yield* anew(load(home)))!, "s1", { id: "m19", digest: "0".repeat(32) }))
  }).pipe(Effect.scoped)
)
