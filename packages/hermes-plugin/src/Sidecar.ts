/**
 * The life of a sidecar process, whichever plugin it serves: fences first, then calls until the input ends. (design.md
 * section 6)
 */
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { type Fence, raiseFences, reportFences } from "./Fences.ts"
import { bindLifetime } from "./Lifetime.ts"
import * as LogLine from "./LogLine.ts"
import { answerTo, type MethodTable } from "./rpc/Dispatch.ts"
import { type Order, serve } from "./Stdio.ts"

/** What a plugin plugs in. */
export interface Plugged<R> {
  readonly services: Layer.Layer<R>
  readonly landlock: () => Fence
  readonly methods: (fences: ReadonlyArray<Fence>) => MethodTable<R>
  /** In which calls are answered; `one_by_one` where none is slow. */
  readonly order?: Order
  /** Fences that this plugin goes without. */
  readonly without?: ReadonlyArray<Fence["name"]>
}

/** For closing what is open, once nobody waits for an answer any more. */
const endMillis = 2_000

/** Serves standard input, and ends the process. */
export const runSidecar = async <R>({
  landlock,
  methods,
  order = "one_by_one",
  services,
  without
}: Plugged<R>): Promise<void> => {
  const fences = raiseFences(landlock, without)
  bindLifetime()
  const runtime = ManagedRuntime.make(Layer.merge(services, LogLine.layer))
  const answer = answerTo(methods(fences))
  await runtime.runPromise(reportFences(fences))
  await serve(process.stdin, process.stdout, (line) => runtime.runPromise(answer(line)), order)
  // What hangs in the system, a thread at a dead disk for one, must not outlive the host; and an exit waits for threads.
  setTimeout(() => process.kill(process.pid, "SIGKILL"), endMillis)
  await runtime.dispose()
  process.exit(0)
}
