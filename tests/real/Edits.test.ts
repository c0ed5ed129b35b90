/**
 * Whatever is done to notes, folders and policy on a disk, an engine that remembers answers as one that has just begun.
 * `tests/property/Edits.test.ts` does the same in memory. (design.md section 8, case 65; issue 8 "Tests that must exist")
 *
 * The engines are told that it is a minute later, so that they keep what they would keep then. Times of a file advance in
 * steps, and two changes within one step are what the wait is for: before each change the step of the one before goes by.
 */
import { describe, it } from "@effect/vitest"
import * as LinuxTree from "@memory-bridge/platform-linux/LinuxTree"
import * as Effect from "effect/Effect"
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assertTried, begin, type Disk, editsFrom, follow, type Tally } from "../property/Edits.ts"
import { decided } from "../property/Generators.ts"
import { isLinux, without } from "../support/Capabilities.ts"
import { signalsFor } from "../support/World.ts"

const later = () => Date.now() + 60_000

/** The time of change that a file would get now. */
const stepOf = (probe: string): bigint => {
  writeFileSync(probe, "")
  return statSync(probe, { bigint: true }).ctimeNs
}

const diskIn = (base: string, root: string, policyFile: string): Disk => {
  let links = 0
  const probe = join(base, "probe")
  const at = (path: string) => join(root, path)
  /** Whole seconds, because no others can be set back exactly. */
  const setTime = (path: string, seconds = Math.floor(statSync(path).mtimeMs / 1_000)) =>
    utimesSync(path, seconds, seconds)
  const write = (path: string, text: string) => {
    writeFileSync(path, text, { mode: 0o600 })
    setTime(path)
  }
  const withTimeOf = (path: string, change: () => void): void => {
    const seconds = statSync(path).mtimeMs / 1_000
    change()
    setTime(path, seconds)
  }
  const resting = {
    write: (path, text) => write(at(path), text),
    quietly: (path, text) => withTimeOf(at(path), () => writeFileSync(at(path), text)),
    replace: (path, text) =>
      withTimeOf(at(path), () => {
        writeFileSync(`${root}.new`, text, { mode: 0o600 })
        renameSync(`${root}.new`, at(path))
      }),
    chmod: (path, mode) => chmodSync(at(path), mode),
    secondName: (path) => linkSync(at(path), `${root}.link${links++}`),
    makeFolder: (path) => mkdirSync(at(path), { mode: 0o700 }),
    remove: (path) => rmSync(at(path), { recursive: true }),
    move: (from, to) => renameSync(at(from), at(to)),
    policy: (text) => writeFileSync(policyFile, text, { mode: 0o600 })
  } satisfies Disk
  const rested = <Arguments extends ReadonlyArray<never>>(change: (...given: Arguments) => void) => {
    return (...given: Arguments): void => {
      for (const before = stepOf(probe); stepOf(probe) === before;);
      change(...given)
    }
  }
  return Object.fromEntries(Object.entries(resting).map(([name, change]) => [name, rested(change as never)])) as never
}

const tally: Tally = { results: 0, changed: new Map() }

describe.skipIf(!isLinux)(`an engine that remembers, on a disk${without(isLinux, "Linux")}`, () => {
  it.effect.prop(
    "answers after every edit as one that has just begun",
    [decided(editsFrom)],
    ([edits]) =>
      Effect.sync(() => {
        const base = mkdtempSync(join(tmpdir(), "memory-bridge-edits-"))
        try {
          const [root, home] = [join(base, "notes"), join(base, "home")]
          const policies = join(home, "plugin-data", "memory-bridge")
          mkdirSync(root, { mode: 0o700 })
          mkdirSync(policies, { recursive: true, mode: 0o700 })
          const disk = diskIn(base, root, join(policies, "policy.json"))
          const policy = (keys: object) => JSON.stringify({ root, ...keys })
          const engine = () => begin(LinuxTree.layer, signalsFor(home), later)
          follow(edits, disk, policy, { kept: engine(), fresh: (question) => engine()(question) }, tally)
        } finally {
          rmSync(base, { recursive: true, force: true })
        }
      }),
    { arbitrary: { runs: 30, seed: 650, size: 60 } }
  )

  it("and every kind of edit changed answers", () => assertTried(tally))
})
