/**
 * A profile home `/h`, a memory root `/v` and the whole bridge over them, in memory.
 *
 * One `inWorld` is one process of the host: what a call leaves behind, a later call of the same program finds.
 */
import { ScanCeilings } from "@memory-bridge/core/budget/ScanBudget"
import { Bridge } from "@memory-bridge/core/host/Bridge"
import type { PublicAnswer } from "@memory-bridge/core/host/PublicAnswer"
import type { Tree } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { policyText } from "./Policies.ts"
import { signals, value } from "./Signals.ts"
import { dir, type Drawing, file, type MemoryTree, memoryTree, type Thing } from "./Trees.ts"

export const policyPath = "/h/plugin-data/memory-bridge/policy.json"

export interface LogEntry {
  readonly message: string
  readonly annotations: Readonly<Record<string, unknown>>
}

export interface World {
  readonly tree: MemoryTree
  /** What the operator's log got. */
  readonly logged: Array<LogEntry>
  readonly layer: Layer.Layer<Bridge>
}

const logTo = (logged: Array<LogEntry>) =>
  Logger.make<unknown, void>(({ fiber, message }) => {
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    logged.push({ message: String(message), annotations })
  })

export const worldOver = (tree: MemoryTree, system: Layer.Layer<Tree> = tree.layer): World => {
  const logged: Array<LogEntry> = []
  return {
    tree,
    logged,
    layer: Bridge.layer.pipe(Layer.provide(system), Layer.provideMerge(Logger.layer([logTo(logged)])))
  }
}

export const drawn = (notes: Drawing | Thing, policy: object = {}): MemoryTree =>
  memoryTree({
    h: { "plugin-data": { "memory-bridge": { "policy.json": file(policyText(policy), { mode: 0o600 }) } } },
    v: notes
  })

/** A world with these notes under a policy that allows all but what the changes say. */
export const world = (notes: Drawing | Thing, policy: object = {}): World => worldOver(drawn(notes, policy))

export const inWorld = <A, E, R>({ layer, tree }: World, use: Effect.Effect<A, E, R | Bridge>) =>
  Effect.suspend(() => {
    const before = tree.held()
    return Effect.tap(Effect.provide(use, layer), () =>
      Effect.sync(() => {
        if (tree.held() !== before) throw new Error(`${tree.held() - before} handles are left open`)
      })
    )
  })

export const home = value("/h")

export const searchAs = (given: unknown, args: unknown) =>
  Effect.flatMap(Bridge, (bridge) => bridge.search(given, args))
export const readAs = (given: unknown, args: unknown) => Effect.flatMap(Bridge, (bridge) => bridge.read(given, args))

const ordinaryCall = signals({ get_hermes_home: home })

export const search = (query: string, limit?: number): Effect.Effect<PublicAnswer, never, Bridge> =>
  searchAs(ordinaryCall, limit === undefined ? { query } : { query, limit })

export const read = (id: string): Effect.Effect<PublicAnswer, never, Bridge> => readAs(ordinaryCall, { id })

/** The ids of a search's results, "…" after them if the flag is set, or the error's code. */
export const ids = (answer: PublicAnswer): string =>
  !answer.ok
    ? answer.error.code
    : "results" in answer
      ? [...answer.results.map(({ id }) => id), ...(answer.truncated ? ["…"] : [])].join(" ")
      : "a read"

/** One search in a world of its own process. */
export const found = (given: World, query = "needle", limit?: number) =>
  Effect.map(inWorld(given, search(query, limit)), ids)

/** With some of the product's own ceilings lowered. */
export const within = (ceilings: Partial<ScanCeilings>) =>
  Effect.provideService(ScanCeilings, { rawEntries: 50_000, bytes: 16_777_216, ...ceilings })

/** One search for a needle with up to ten results. */
export const outcome = (notes: Drawing, policy: object = {}, ceilings: Partial<ScanCeilings> = {}) =>
  found(world(notes, policy), "needle", 10).pipe(within(ceilings))

/** `dir(dir(…))`, `depth` levels of `name`. */
export const nested = (depth: number, below: Drawing, name = "d"): Drawing =>
  depth === 0 ? below : { [name]: dir(nested(depth - 1, below, name)) }
