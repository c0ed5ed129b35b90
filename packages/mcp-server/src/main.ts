/**
 * The MCP server as a process: fences first, then lines until the input ends. (issue 7 item 5, design.md section 6)
 *
 * Its one argument is the home whose policy decides. Standard output carries the protocol and nothing else, standard
 * error the operator's log. `memory-bridge mcp` starts it with the flags of Node's permission model.
 *
 * Built as one CommonJS file; see Fences.ts of the sidecar for why it must not become an ES module.
 */
import { raiseFences, reportFences } from "@memory-bridge/hermes-plugin/Fences"
import { bindLifetime } from "@memory-bridge/hermes-plugin/Lifetime"
import * as LogLine from "@memory-bridge/hermes-plugin/LogLine"
import { platformFor } from "@memory-bridge/hermes-plugin/Platform"
import type { Line } from "@memory-bridge/hermes-plugin/rpc/Lines"
import { serve } from "@memory-bridge/hermes-plugin/Stdio"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { servicesFor } from "./Platform.ts"
import { signalsOf } from "./Run.ts"
import { layer } from "./Server.ts"
import { Exchange } from "./wire/Exchange.ts"

/** Calls that may wait for their turn; then nothing more is read, and a client that sends faster waits in the pipe. */
const mostUnderWay = 64

const run = async (home: string): Promise<void> => {
  const fences = raiseFences(() => platformFor(process.platform).landlock(undefined))
  bindLifetime()
  const services = layer(signalsOf(home, process.env)).pipe(Layer.provide(servicesFor(process.platform)))
  const runtime = ManagedRuntime.make(services.pipe(Layer.provideMerge(LogLine.layer)))
  await runtime.runPromise(reportFences(fences))

  const underWay = new Set<Promise<unknown>>()
  const answer = (line: Line): Promise<string | undefined> => {
    const call = runtime.runPromise(Exchange.use((exchange) => exchange.answer(line)))
    underWay.add(call)
    return call.finally(() => underWay.delete(call))
  }
  await serve(process.stdin, process.stdout, answer, "as_completed", mostUnderWay)
  // The input has ended, which ends the session; what was asked before that is still answered.
  await Promise.allSettled(underWay)
  await new Promise<void>((resolve) => {
    process.stdout.write("", () => resolve())
  })
  await runtime.dispose()
  process.exit(0)
}

void run(process.argv[2] ?? "")
