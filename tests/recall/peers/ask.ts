/**
 * One question with the strict client, as a process of its own, so that its environment can be the test's: reads
 * `{endpoint, caFile, credential, path, millis}` from its argument, prints the answer or the reason.
 */
import { credentialOf } from "@memory-bridge/core/recall/Credential"
import type { Endpoint } from "@memory-bridge/core/recall/Endpoint"
import { Http } from "@memory-bridge/core/recall/Http"
import { layer } from "@memory-bridge/platform-posix/recall/StrictHttp"
import * as Effect from "effect/Effect"

interface Asked {
  readonly endpoint: Endpoint
  readonly caFile?: string
  readonly credential?: string
  readonly path: string
  readonly millis: number
}

const { caFile, credential, endpoint, millis, path } = JSON.parse(process.argv[2]!) as Asked

const ask = Effect.gen(function* () {
  const http = yield* Http
  const { exchange } = yield* http.connect(endpoint, caFile)
  return yield* exchange({
    method: "POST",
    path,
    credential: credential === undefined ? undefined : credentialOf(credential),
    body: `{"query":"boat"}`,
    maxBytes: 65_536
  })
}).pipe(
  Effect.scoped,
  Effect.timeoutOption(millis),
  Effect.match({
    onSuccess: (found) => (found._tag === "Some" ? found.value : "timed_out"),
    onFailure: ({ reason }) => reason
  }),
  Effect.provide(layer)
)

const started = performance.now()
void Effect.runPromise(ask).then((outcome) => {
  process.stdout.write(`${JSON.stringify({ outcome, millis: performance.now() - started })}\n`)
})
