/**
 * The seen sets of a home as this process knows them, written behind. (recall-contract T5 and 1.4 "hy-memory-seen.json")
 *
 * A hand-over must not wait for a disk: a change counts in memory at once and is written afterwards, all that have
 * gathered in one go. Before each recall the file is looked at again, for what other processes of the home have shown.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { FreshId } from "../guard/FreshId.ts"
import { applied, type SeenChange, type SeenState } from "./Seen.ts"
import { SeenStore } from "./SeenStore.ts"

export interface Keeper {
  /** What is known after another look at the file. */
  readonly ready: Effect.Effect<SeenState>
  /** What is known now. `undefined` before the first look. */
  readonly current: () => SeenState | undefined
  /** Counts from now on. */
  readonly change: (change: SeenChange) => Effect.Effect<void>
  /** Whether the sets outlive the process, as far as is known. */
  readonly kept: () => "file" | "memory" | "unknown"
}

export interface Keepers {
  readonly of: (home: string) => Keeper
}

/** Changes that are kept back for a home that cannot be written now. */
const maxUnwritten = 1_000
const maxHomes = 64
/** How long the end of the process waits for the last writes. Below the grace that the shim gives it. */
const lastWrites = 200
/** How long a recall waits for a look at the file. A disk that hangs must not hold it for ever. */
const patience = 3_000

interface Flushed extends Keeper {
  readonly flush: Effect.Effect<void>
}

/** The last changes are written when the scope closes. */
export const makeKeepers: Effect.Effect<Keepers, never, SeenStore | FreshId | Scope.Scope> = Effect.gen(function* () {
  const store = yield* SeenStore
  const ids = yield* FreshId
  const scope = yield* Effect.scope
  const keepers = new Map<string, Flushed>()

  const keeper = (home: string): Flushed => {
    let state: SeenState | undefined
    let unwritten: ReadonlyArray<SeenChange> = []
    let writing = false
    let kept: ReturnType<Keeper["kept"]> = "unknown"
    let ownKey: string | undefined
    /** Writes that have ended. A look at the file that was overtaken by one may be older than what is known. */
    let writes = 0

    /** For a file that is made here, or for as long as there is none. */
    const key = Effect.gen(function* () {
      if (state !== undefined) return state.key
      if (ownKey === undefined) {
        const fresh = `${yield* ids.next}-${yield* ids.next}`
        ownKey ??= fresh
      }
      return ownKey
    })

    /** What the file holds, and what is not in it yet. */
    const know = (loaded: SeenState): SeenState => {
      kept = "file"
      state = unwritten.reduce(applied, loaded)
      return state
    }

    const ready = Effect.gen(function* () {
      const own = yield* key
      const before = writes
      const loaded = Option.getOrUndefined(yield* Effect.timeoutOption(store.load(home, own), patience))
      if (state !== undefined && writes !== before) return state
      if (loaded !== undefined) return know(loaded)
      kept = "memory"
      state ??= unwritten.reduce(applied, { key: own, sessions: new Map() })
      return state
    })

    /** Whether it was written. A change goes only once it was, so that none is lost when the writer is interrupted. */
    const writeOnce = Effect.gen(function* () {
      const own = yield* key
      const batch = new Set(unwritten)
      const written = yield* store.update(home, own, (found) => [...batch].reduce(applied, found))
      if (written === undefined) {
        kept = "memory"
        return false
      }
      unwritten = unwritten.filter((change) => !batch.has(change))
      writes++
      know(written)
      return true
    })

    const flush: Effect.Effect<void> = Effect.suspend(() =>
      unwritten.length === 0 ? Effect.void : Effect.flatMap(writeOnce, (written) => (written ? flush : Effect.void))
    )

    const ended = Effect.sync(() => {
      writing = false
    })

    const change = (made: SeenChange): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (state !== undefined) state = applied(state, made)
        unwritten = [...unwritten, made].slice(-maxUnwritten)
        if (writing) return Effect.void
        writing = true
        return Effect.asVoid(Effect.forkIn(Effect.ensuring(flush, ended), scope))
      })

    return { ready, current: () => state, change, flush, kept: () => kept }
  }

  // Finalizers run in reverse: by then the writers are interrupted, and what they had not written is still unwritten.
  yield* Effect.addFinalizer(() =>
    Effect.forEach(keepers.values(), ({ flush }) => Effect.timeoutOption(flush, lastWrites), {
      concurrency: "unbounded",
      discard: true
    })
  )

  return {
    of: (home) => {
      const known = keepers.get(home)
      if (known !== undefined) return known
      if (keepers.size >= maxHomes) keepers.delete(keepers.keys().next().value ?? "")
      const made = keeper(home)
      keepers.set(home, made)
      return made
    }
  }
})
