/**
 * One tool call, the whole way: settings to policy, call to decision, decision to audit, directive to the host.
 * (seed 004 "Approval semantics", "Audit and operations")
 *
 * It never fails and never lets a call through by failing: every refusal and every defect is a block, with a fixed
 * message for the agent and a reason code for the operator. Nothing is answered before it is recorded.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { AuditLog, type AuditRefused } from "./AuditLog.ts"
import * as AuditRecord from "./AuditRecord.ts"
import { decide } from "./Decide.ts"
import { type Decision, failed, type FailureReason, failureReasons } from "./Decision.ts"
import { type Directive, directiveOf } from "./Directive.ts"
import { FreshId } from "./FreshId.ts"
import { Installation, selfRoots } from "./Installation.ts"
import { alwaysEnforced, type Mode, modeOf } from "./Mode.ts"
import { PathFacts } from "./PathFacts.ts"
import { policyReader, PolicySetting } from "./Settings.ts"

/** `settings` and `installation` come from the host alone, `call` from the model alone. */
const GuardRequest = Schema.Struct({
  settings: PolicySetting,
  /** Absent from a host that knows no modes: decisions are enforced. */
  mode: Schema.optionalKey(PolicySetting),
  installation: Installation,
  call: Schema.Struct({ tool: Schema.Unknown, args: Schema.Unknown })
})
type GuardRequest = typeof GuardRequest.Type

const decodeRequest = Schema.decodeUnknownResult(GuardRequest, { onExcessProperty: "error" })

/** UTF-16 units of a tool's name. */
const maxToolName = 256

/** What the operator's log says of a failure: never a path, a name or text of the call. */
interface Note {
  readonly subject?: string
  readonly rule?: string
}

interface Outcome {
  readonly decision: Decision
  readonly note: Note
  /** `logged`: recorded as it is, and without effect. */
  readonly effect: "enforced" | "logged"
}

const failure = (reason: FailureReason, note: Note = {}): Outcome => ({
  decision: failed(reason),
  note,
  effect: "enforced"
})

const defectOf = (cause: Cause.Cause<unknown>): Outcome => {
  const error = Cause.squash(cause)
  return failure("internal_error", { rule: error instanceof Error ? error.name : "defect" })
}

export class Guard extends Context.Service<
  Guard,
  {
    /** The request as it came over the wire. */
    readonly evaluate: (request: unknown) => Effect.Effect<Directive>
  }
>()("@memory-bridge/core/guard/Guard") {
  /** Needs `PathFacts`, `AuditLog` and `FreshId`. */
  static readonly layer = Layer.effect(
    Guard,
    Effect.gen(function* () {
      const view = yield* PathFacts
      const audit = yield* AuditLog
      const ids = yield* FreshId
      const readPolicy = policyReader()

      const outcomeOf = ({ call: { args, tool }, installation, mode: given, settings }: GuardRequest): Outcome => {
        const mode = modeOf(given)
        if (Result.isFailure(mode)) return failure(mode.failure === "raised" ? "settings_unreadable" : "mode_invalid")
        if (typeof tool !== "string" || tool === "" || tool.length > maxToolName) return failure("call_malformed")
        const policy = readPolicy(settings, installation.user_home)
        if (Result.isFailure(policy)) {
          return policy.failure === "raised"
            ? failure("settings_unreadable")
            : failure("policy_invalid", { subject: policy.failure.key, rule: policy.failure.rule })
        }
        const evaluation = decide(policy.success, selfRoots(installation), view, tool, args)
        const logged = mode.success === "log_only" && !alwaysEnforced(evaluation)
        return { decision: evaluation.decision, note: {}, effect: logged ? "logged" : "enforced" }
      }

      let reported: Mode | undefined
      /** At first use and whenever it is another, so that nobody takes a trial for protection. */
      const reportMode = (given: PolicySetting | undefined): Effect.Effect<void> => {
        const mode = Result.getOrElse(modeOf(given), () => undefined)
        if (mode === undefined || mode === reported) return Effect.void
        reported = mode
        const said = mode === "log_only" ? Effect.logWarning("mode") : Effect.logInfo("mode")
        return Effect.annotateLogs(said, { mode })
      }

      const record = Effect.fnUntraced(function* (request: GuardRequest, { decision, effect }: Outcome) {
        const { tool } = request.call
        const time = yield* Clock.currentTimeMillis
        const line = AuditRecord.make(decision, typeof tool === "string" ? tool : "", time, yield* ids.next, effect)
        yield* audit.append(request.installation.hermes_home, line)
      })

      const recorded = Effect.fnUntraced(function* (request: GuardRequest): Effect.fn.Return<Outcome, AuditRefused> {
        const outcome = yield* Effect.sync(() => outcomeOf(request)).pipe(
          Effect.catchCause((cause) => Effect.succeed(defectOf(cause)))
        )
        yield* reportMode(request.mode)
        if (isFailure(outcome)) yield* report(outcome)
        yield* record(request, outcome)
        return outcome
      })

      const settle = (request: unknown): Effect.Effect<Outcome> => {
        const decoded = decodeRequest(request)
        if (Result.isFailure(decoded)) return Effect.tap(Effect.succeed(failure("request_malformed")), report)
        return recorded(decoded.success).pipe(
          Effect.catch(({ fault, subject }) =>
            Effect.tap(Effect.succeed(failure("audit_unavailable", { subject, rule: fault })), report)
          ),
          Effect.catchCause((cause) => Effect.tap(Effect.succeed(defectOf(cause)), report))
        )
      }

      return Guard.of({
        evaluate: (request) =>
          Effect.suspend(() => settle(request)).pipe(
            Effect.flatMap(({ decision, effect }) =>
              decision.action === "approve" && effect === "enforced"
                ? Effect.map(ids.next, (id) => directiveOf(decision, id, effect))
                : Effect.succeed(directiveOf(decision, "", effect))
            ),
            Effect.catchCause(() => Effect.succeed(directiveOf(failed("internal_error"), "", "enforced")))
          )
      })
    })
  )
}

const failureNames: ReadonlySet<string> = new Set(failureReasons)

const isFailure = ({ decision }: Outcome): boolean => failureNames.has(decision.reason)

const report = ({ decision, note }: Outcome): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWarning("blocked"), { reason: decision.reason, ...note })
