/**
 * One host call, the whole way: signals to caller, caller to policy, run kind, arguments, notes, public answer.
 * (design.md section 3)
 *
 * It never fails: every refusal, and every defect, becomes a public answer, and the operator's reason goes to the log.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { refusedRun } from "../identity/Admission.ts"
import { identify } from "../identity/Caller.ts"
import { Notes, type ReadAnswer, type SearchAnswer } from "../notes/Notes.ts"
import {
  asksForLine,
  type InvalidRequest,
  readFromRequest,
  type ReadRequest,
  readRequest,
  searchRequest
} from "../notes/Request.ts"
import type { Policy } from "../policy/Policy.ts"
import { policyPathOf, PolicyStore } from "../policy/PolicyStore.ts"
import { operatorReason } from "./OperatorReason.ts"
import { type PublicAnswer, publicError, type Refusal, unavailable } from "./PublicAnswer.ts"

/** `signals` come from the host alone, `args` from the model alone; both as they came over the wire. */
type Call = (signals: unknown, args: unknown) => Effect.Effect<PublicAnswer>

type Decode<Request> = (args: unknown) => Result.Result<Request, InvalidRequest>

export class Bridge extends Context.Service<
  Bridge,
  {
    readonly search: Call
    readonly read: Call
  }
>()("@memory-bridge/core/host/Bridge") {
  /** Needs `PolicyStore` and `Notes`. */
  static readonly layerNoDeps = Layer.effect(
    Bridge,
    Effect.gen(function* () {
      const notes = yield* Notes
      const policies = yield* PolicyStore

      /**
       * Arguments that only version 2 knows. Until a policy of that version is there they are what they are in version 1,
       * invalid, whatever else may be wrong with the call.
       */
      const decodeLater = Effect.fnUntraced(function* <Request>(
        signals: unknown,
        args: unknown,
        decode: Decode<Request>,
        invalid: InvalidRequest
      ): Effect.fn.Return<Request, InvalidRequest> {
        const policy = yield* Effect.fromResult(identify(signals)).pipe(
          Effect.flatMap(({ home }) => policies.load(policyPathOf(home))),
          Effect.mapError(() => invalid)
        )
        return yield* policy.version === 1 ? invalid : Effect.fromResult(decode(args))
      })

      const call = <Request>(
        name: string,
        decode: Decode<Request>,
        answer: (policy: Policy, request: Request) => Effect.Effect<SearchAnswer | ReadAnswer, Refusal>,
        later?: { readonly concerns: (args: unknown) => boolean; readonly decode: Decode<Request> }
      ): Call => {
        const run = Effect.fnUntraced(function* (
          signals: unknown,
          args: unknown
        ): Effect.fn.Return<PublicAnswer, Refusal> {
          const request = yield* Effect.fromResult(decode(args)).pipe(
            Effect.catch((invalid) =>
              later?.concerns(args) === true ? decodeLater(signals, args, later.decode, invalid) : Effect.fail(invalid)
            )
          )
          const caller = yield* Effect.fromResult(identify(signals))
          const policy = yield* policies.load(policyPathOf(caller.home))
          const refused = refusedRun(caller.needs, policy)
          if (refused !== undefined) return yield* refused
          return { ok: true, ...(yield* answer(policy, request)) }
        })
        return (signals, args) =>
          run(signals, args).pipe(
            Effect.catch((refusal: Refusal) =>
              Effect.as(
                Effect.annotateLogs(Effect.logWarning("refused"), { call: name, ...operatorReason(refusal) }),
                publicError(refusal)
              )
            ),
            Effect.catchCause((cause) =>
              Effect.as(
                Effect.annotateLogs(Effect.logError("defect"), { call: name, reason: defectName(cause) }),
                unavailable
              )
            )
          )
      }

      return Bridge.of({
        search: call("search", searchRequest, notes.search),
        read: call<ReadRequest>(
          "read",
          (args) => Result.map(readRequest(args), (id) => ({ id, fromLine: undefined })),
          (policy, { fromLine, id }) => notes.read(policy, id, fromLine),
          { concerns: asksForLine, decode: readFromRequest }
        )
      })
    })
  )

  /** Needs `Tree`. */
  static readonly layer = Bridge.layerNoDeps.pipe(Layer.provide([Notes.layer, PolicyStore.layer]))
}

/** A defect by its kind alone: its message might hold a path. */
const defectName = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.name : "defect"
}
