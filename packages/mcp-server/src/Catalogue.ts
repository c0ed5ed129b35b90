/**
 * Which notes are permitted, in order, page by page? For `resources/list`. (issue 7 item 5)
 *
 * The scan of a search with a term that every note contains: so a note is listed by the same rules, under the same
 * budget and in the same order as it is found, and one that is listed can be read. A call goes the way of every host
 * call (core `Bridge`): caller, policy, kind of run, then the notes; a refusal is logged and becomes the public answer.
 */
import * as ScanBudget from "@memory-bridge/core/budget/ScanBudget"
import { operatorReason } from "@memory-bridge/core/host/OperatorReason"
import { type PublicError, publicError, type Refusal, unavailable } from "@memory-bridge/core/host/PublicAnswer"
import { refusedRun } from "@memory-bridge/core/identity/Admission"
import { identify } from "@memory-bridge/core/identity/Caller"
import * as ContentCache from "@memory-bridge/core/notes/ContentCache"
import * as Listings from "@memory-bridge/core/notes/Listings"
import { RootRefused, ScanRefused } from "@memory-bridge/core/notes/Notes"
import type { Term } from "@memory-bridge/core/notes/Query"
import { scan } from "@memory-bridge/core/notes/PathOrder"
import { titleOf } from "@memory-bridge/core/notes/Title"
import { isRefused, openRoot, type OpenRoot } from "@memory-bridge/core/notes/TrustedEntry"
import type { Policy } from "@memory-bridge/core/policy/Policy"
import { policyPathOf, PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { rootsOf } from "@memory-bridge/core/policy/Roots"
import { type DocumentId, segmentsOf } from "@memory-bridge/core/tree/DocumentId"
import { Tree } from "@memory-bridge/core/tree/Tree"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface ListedNote {
  readonly id: DocumentId
  readonly title?: string
}

export interface Catalogued {
  readonly ok: true
  /** At most a page, in scan order. */
  readonly notes: ReadonlyArray<ListedNote>
  /** Whether there are more after them. */
  readonly more: boolean
  /** Whether a limit on candidates, bytes or depth left something out. */
  readonly truncated: boolean
}

/** Notes of one page. */
export const pageSize = 100

/** The order of the scan: name by name, from the root on. */
const isAfter = (id: DocumentId, other: DocumentId): boolean => {
  const names = segmentsOf(id)
  const others = segmentsOf(other)
  for (const [index, name] of names.entries()) {
    const beside = others[index]
    if (beside === undefined) return true
    if (name !== beside) return name > beside
  }
  return false
}

interface Found {
  readonly matches: ReadonlyArray<{ readonly id: DocumentId; readonly text: string }>
  readonly truncated: boolean
}

const pageOf = ({ matches, truncated }: Found, after: DocumentId | undefined): Catalogued => {
  const rest = after === undefined ? matches : matches.filter(({ id }) => isAfter(id, after))
  return { ok: true, notes: rest.slice(0, pageSize).map(described), more: rest.length > pageSize, truncated }
}

/** Contained in every text. */
const anything: Term = { text: "", bits: [] }

export class Catalogue extends Context.Service<
  Catalogue,
  {
    /** The page that begins after a note, or the first one. */
    readonly list: (signals: unknown, after: DocumentId | undefined) => Effect.Effect<Catalogued | PublicError>
  }
>()("@memory-bridge/mcp-server/Catalogue") {
  /** Needs `Tree` and `PolicyStore`. */
  static readonly layerNoDeps = Layer.effect(
    Catalogue,
    Effect.gen(function* () {
      const tree = yield* Tree
      const policies = yield* PolicyStore
      const cache = ContentCache.make(ContentCache.maxCachedBytes)
      const listings = Listings.make()

      const permitted = Effect.fnUntraced(function* (policy: Policy, after: DocumentId | undefined) {
        const ceilings = ScanBudget.ceilingsFor(policy.ranking, yield* ScanBudget.ScanCeilings)
        const now = yield* Clock.currentTimeNanos
        const walk = yield* tree.walk
        const roots: Array<OpenRoot> = []
        for (const of of rootsOf(policy)) {
          const root = openRoot(walk, of)
          if (isRefused(root)) return yield* new RootRefused(root)
          roots.push(root)
        }
        const { limits } = policy
        const budget = ScanBudget.make(ceilings, limits.max_entries)
        const found = scan({ walk, roots, limits, budget, opening: "all", cache, listings, now }, [anything])
        if (typeof found === "string") return yield* new ScanRefused({ reason: found })
        return pageOf(found, after)
      }, Effect.scoped)

      const run = Effect.fnUntraced(function* (
        signals: unknown,
        after: DocumentId | undefined
      ): Effect.fn.Return<Catalogued, Refusal> {
        const caller = yield* Effect.fromResult(identify(signals))
        const policy = yield* policies.load(policyPathOf(caller.home))
        const refused = refusedRun(caller.needs, policy)
        if (refused !== undefined) return yield* refused
        return yield* permitted(policy, after)
      })

      const list = (signals: unknown, after: DocumentId | undefined): Effect.Effect<Catalogued | PublicError> =>
        run(signals, after).pipe(
          Effect.catch((refusal: Refusal) =>
            Effect.as(
              Effect.annotateLogs(Effect.logWarning("refused"), { call: "list", ...operatorReason(refusal) }),
              publicError(refusal)
            )
          ),
          Effect.catchCause((cause) =>
            Effect.as(
              Effect.annotateLogs(Effect.logError("defect"), { call: "list", reason: defectName(cause) }),
              unavailable
            )
          )
        )

      return Catalogue.of({ list })
    })
  )
}

const described = ({ id, text }: { readonly id: DocumentId; readonly text: string }): ListedNote => {
  const title = titleOf(text)
  return title === undefined ? { id } : { id, title }
}

/** A defect by its kind alone: its message might hold a path. */
const defectName = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.name : "defect"
}
