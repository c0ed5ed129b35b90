/**
 * The server as a process: it speaks with the client, and a process below it reads the notes. (issue 8 item 4, issue 7
 * item 5, design.md sections 5 and 6)
 *
 * A scan is one synchronous stretch of system calls, and one that meets a dead mount does not come back; nothing inside a
 * process can end that. So whoever keeps the deadline stands outside, as the shim does for Hermes. This process opens no
 * note and takes no policy; it may start processes, and Landlock, which they inherit, keeps all of them from writing.
 *
 * Standard output carries the protocol and nothing else, standard error the operator's log, that of the reader too.
 */
import { raiseFences, reportFences } from "@memory-bridge/hermes-plugin/Fences"
import { bindLifetime } from "@memory-bridge/hermes-plugin/Lifetime"
import * as LogLine from "@memory-bridge/hermes-plugin/LogLine"
import { platformFor } from "@memory-bridge/hermes-plugin/Platform"
import type { Line } from "@memory-bridge/hermes-plugin/rpc/Lines"
import { runSidecar } from "@memory-bridge/hermes-plugin/Sidecar"
import { serve } from "@memory-bridge/hermes-plugin/Stdio"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { servicesFor } from "./Platform.ts"
import { makeReaders, readerMark, type Readers } from "./reader/Child.ts"
import { readerMethods } from "./reader/Methods.ts"
import * as Remote from "./reader/Remote.ts"
import { signalsOf } from "./Run.ts"
import { layer } from "./Server.ts"
import type { Limits } from "./Turns.ts"
import { Exchange } from "./wire/Exchange.ts"

const landlock = () => platformFor(process.platform).landlock(undefined)

/** Whichever way this process ends, a reader that hangs would not see that its input has ended. */
const bindReaders = (readers: Readers): void => {
  process.on("exit", () => void readers.end())
  for (const signal of ["SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      void readers.end()
      process.kill(process.pid, signal)
    })
  }
}

export const runServer = async (home: string, readers: Readers, limits?: Limits): Promise<void> => {
  const fences = raiseFences(landlock, ["node_child_process"])
  bindLifetime()
  bindReaders(readers)
  const services = layer(signalsOf(home, process.env)).pipe(Layer.provide(Remote.layer(readers.start, limits)))
  const runtime = ManagedRuntime.make(services.pipe(Layer.provideMerge(LogLine.layer)))
  await runtime.runPromise(reportFences(fences))

  const underWay = new Set<Promise<unknown>>()
  const answer = (line: Line): Promise<string | undefined> => {
    const call = runtime.runPromise(Exchange.use((exchange) => exchange.answer(line)))
    underWay.add(call)
    return call.finally(() => underWay.delete(call))
  }
  // How many calls may wait is for `Turns` to say, and more than that are never under way: reading does not stop.
  await serve(process.stdin, process.stdout, answer, "as_completed")
  // The input has ended, which ends the session; what was asked before that is still answered.
  await Promise.allSettled(underWay)
  await new Promise<void>((resolve) => {
    process.stdout.write("", () => resolve())
  })
  await runtime.dispose()
  await readers.end()
  process.exit(0)
}

export const runReader = (): Promise<void> =>
  runSidecar({ services: servicesFor(process.platform), landlock, methods: readerMethods })

/** Both are `script`. The mark of the reader comes after the home, where nobody who names a home can put it. */
export const run = (script: string, home: string, mark: string | undefined): Promise<void> =>
  mark === readerMark ? runReader() : runServer(home, makeReaders(script))
