/** Hostile peers, and the strict client that meets them. */
import { credentialOf } from "@memory-bridge/core/recall/Credential"
import type { Endpoint } from "@memory-bridge/core/recall/Endpoint"
import { Http, type HttpAnswer, type HttpFailed } from "@memory-bridge/core/recall/Http"
import * as StrictHttp from "@memory-bridge/platform-posix/recall/StrictHttp"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import { type Child, heard, startChild } from "./Child.ts"

export const here = join(import.meta.dirname, "..")

export interface Hostile {
  readonly endpoint: Endpoint
  /** Everything that it received until now, as text. Of one that was killed, what it told before. */
  readonly received: Effect.Effect<string>
  readonly child: Child
}

let marks = 0

/** Once the peer has told all that had reached it. */
const caughtUp = (child: Child): Effect.Effect<void> =>
  Effect.promise(async () => {
    const mark = String(++marks)
    child.process.stdin.write(`${mark}\n`)
    const told = child.heard((line) => (line["mark"] === mark ? true : undefined))
    await Promise.race([told.catch(() => undefined), child.ended])
  })

/** `folder` holds its key and certificate, and makes it speak TLS. */
export const hostile = (
  way: string,
  folder?: string,
  environment: NodeJS.ProcessEnv = {}
): Effect.Effect<Hostile, never, Scope.Scope> =>
  Effect.gen(function* () {
    const script = join(here, "peers", "hostile.mjs")
    const args = folder === undefined ? [script, way] : [script, way, folder]
    const child = yield* startChild(process.execPath, args, environment)
    const port = yield* heard(child, ({ port }) => port as number | undefined)
    return {
      endpoint: { scheme: folder === undefined ? "http" : "https", host: "127.0.0.1", port, loopback: true },
      received: Effect.map(caughtUp(child), () =>
        child.lines.map(({ received }) => (received as string | undefined) ?? "").join("")
      ),
      child
    }
  })

export const secret = "the-secret-credential"

export interface Asking {
  readonly endpoint: Endpoint
  readonly caFile?: string
  readonly millis?: number
}

/** One question, within a deadline. */
export const ask = ({
  caFile,
  endpoint,
  millis = 1_000
}: Asking): Effect.Effect<HttpAnswer, HttpFailed | "timed_out"> =>
  Effect.gen(function* () {
    const http = yield* Http
    const { exchange } = yield* http.connect(endpoint, caFile)
    return yield* exchange({
      method: "POST",
      path: "/context",
      credential: credentialOf(secret),
      body: `{"query":"a private question"}`,
      maxBytes: 65_536
    })
  }).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({ duration: millis, orElse: () => Effect.fail("timed_out" as const) }),
    Effect.provide(StrictHttp.layer)
  )

/** The answer's status, media type and length, or the reason why there is none; and how long it took. */
export const outcome = (asking: Asking): Effect.Effect<{ readonly outcome: string; readonly millis: number }> =>
  Effect.suspend(() => {
    const started = performance.now()
    return Effect.match(ask(asking), {
      onSuccess: ({ body, mediaType, status }) => `${status} ${mediaType || "-"} ${body.length}`,
      onFailure: (failure) => (failure === "timed_out" ? failure : failure.reason)
    }).pipe(Effect.map((outcome) => ({ outcome, millis: performance.now() - started })))
  })
