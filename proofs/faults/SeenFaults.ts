/**
 * Recall's seen file: a fault costs the process its memory of the file at most. What stands there is the old state or the
 * new one, whole, and the next process goes on from it. (cases/recall.md 31 and 33)
 */
import { applied, type SeenState } from "@memory-bridge/core/recall/Seen"
import { stateDirectoryName, stateFileName, stateOf } from "@memory-bridge/core/recall/SeenFile"
import { SeenStore } from "@memory-bridge/core/recall/SeenStore"
import * as SeenFiles from "@memory-bridge/platform-posix/recall/SeenFiles"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { real } from "./Injection.ts"
import type { Program } from "./Program.ts"

export interface Home {
  readonly path: string
  readonly dispose: () => void
}

export const makeSeen = (): Home => {
  const path = real.realpathSync(real.mkdtempSync(join(tmpdir(), "memory-bridge-faults-")))
  return { path, dispose: () => real.rmSync(path, { recursive: true, force: true }) }
}

const key = "a-key-of-thirty-two-characters-or-more"
const session = "session"

const mark =
  (id: string) =>
  (state: SeenState): SeenState =>
    applied(state, { kind: "shown", session, marks: [{ id, digest: "0".repeat(32) }] })

const idsOf = (state: SeenState | undefined): string => [...(state?.sessions.get(session)?.keys() ?? [])].join(" ")

interface Outcome {
  /** `undefined`: no state was had. */
  readonly loaded: string | undefined
  readonly updated: string | undefined
}

/** As a process that has just started. */
const anew = <A>(effect: Effect.Effect<A, never, SeenStore>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, Layer.fresh(SeenFiles.layer)))

export const seenPrograms = ({ path }: Home): ReadonlyArray<Program> => {
  const directory = join(path, stateDirectoryName)
  const file = join(directory, stateFileName)

  const update = (id: string) => anew(SeenStore.use((store) => store.update(path, key, mark(id))))

  const run = (): Promise<Outcome> =>
    anew(
      SeenStore.use((store) =>
        Effect.gen(function* () {
          const loaded = yield* store.load(path, key)
          const updated = yield* store.update(path, key, mark("b"))
          return { loaded: loaded && idsOf(loaded), updated: updated && idsOf(updated) }
        })
      )
    )

  const defect =
    (before: string) =>
    async (_: unknown, outcome: unknown): Promise<string | undefined> => {
      const { loaded, updated } = outcome as Outcome
      const after = `${before} b`.trim()
      if (loaded !== undefined && loaded !== before) return `loaded "${loaded}"`
      if (updated !== undefined && updated !== after) return `updated to "${updated}"`
      const text = real.existsSync(file) ? real.readFileSync(file, "utf8") : undefined
      if (text === undefined && before !== "") return "the file is gone"
      const state = text === undefined ? undefined : stateOf(text)
      if (text !== undefined && state === undefined) return "the file is torn"
      const now = idsOf(state)
      if (now !== before && now !== after) return `the file holds "${now}"`
      if (updated !== undefined && now !== after) return "said to be kept, and is not"
      const next = idsOf(await update("c"))
      return next === `${now} c`.trim() ? undefined : `the next process has "${next}"`
    }

  const clear = () => real.rmSync(directory, { recursive: true, force: true })
  const states: ReadonlyArray<readonly [string, string, () => void | Promise<void>]> = [
    ["a new home", "", clear],
    [
      "a home with a state",
      "a",
      async () => {
        clear()
        await update("a")
      }
    ]
  ]
  return states.map(([title, before, reset]) => ({
    title: `update in ${title}`,
    plan: () => undefined,
    reset,
    run,
    baselineDefect: (baseline) =>
      (baseline as Outcome).updated === `${before} b`.trim() ? undefined : "the state without a fault",
    defect: defect(before)
  }))
}
