/**
 * Ids that nobody can foretell and that never come twice: of audit records and of approvals.
 *
 * A service, because randomness is one; tests count instead.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class FreshId extends Context.Service<
  FreshId,
  {
    /** Letters, digits and `-` only. */
    readonly next: Effect.Effect<string>
  }
>()("@memory-bridge/core/guard/FreshId") {}
