/** Without the native library there is no lock, so nothing is written; what is there is still read. */
import { assert, it } from "@effect/vitest"
import { stateText } from "@memory-bridge/core/recall/SeenFile"
import { SeenStore } from "@memory-bridge/core/recall/SeenStore"
import * as SeenFiles from "@memory-bridge/platform-posix/recall/SeenFiles"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { vi } from "vitest"
import { folder } from "./Folder.ts"

vi.mock("../../src/FileLock.ts", () => ({
  fileLock: () => {
    throw new Error("no native library")
  }
}))

const key = "a-key-of-thirty-two-characters-or-more"

it.live("the state lives in memory alone", () =>
  Effect.gen(function* () {
    const home = yield* folder
    const store = yield* SeenStore
    assert.isUndefined(yield* store.load(home, key))
    assert.isUndefined(yield* store.update(home, key, (state) => state))
    assert.isFalse(existsSync(join(home, ".one-memory")))
    mkdirSync(join(home, ".one-memory"), { mode: 0o700 })
    const text = stateText({ key, sessions: new Map() })
    writeFileSync(join(home, ".one-memory", "hy-memory-seen.json"), text, { mode: 0o600 })
    assert.strictEqual((yield* store.load(home, "another-key-of-thirty-two-characters"))?.key, key)
  }).pipe(Effect.provide(SeenFiles.layer), Effect.scoped)
)
