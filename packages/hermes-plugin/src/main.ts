/**
 * The sidecar of the Hermes plugins: what is plugged into what. (design.md sections 2 and 6)
 *
 * Built as one CommonJS file; see Fences.ts for why it must not become an ES module.
 */
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { raiseFences, reportFences } from "./Fences.ts"
import { bindLifetime } from "./Lifetime.ts"
import * as LogLine from "./LogLine.ts"
import { methodTable } from "./Methods.ts"
import { platformFor } from "./Platform.ts"
import { answerTo } from "./rpc/Dispatch.ts"
import { serve } from "./Stdio.ts"

const main = async (): Promise<void> => {
  const platform = platformFor(process.platform)
  const fences = raiseFences(platform.landlock)
  bindLifetime()
  const runtime = ManagedRuntime.make(Layer.merge(platform.bridge, LogLine.layer))
  const answer = answerTo(methodTable(fences))
  await runtime.runPromise(reportFences(fences))
  await serve(process.stdin, process.stdout, (line) => runtime.runPromise(answer(line)))
  await runtime.dispose()
  process.exit(0)
}

void main()
