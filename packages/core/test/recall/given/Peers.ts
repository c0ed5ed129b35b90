/** Peers and files in memory: what is asked of them is written down, what they answer is the test's. */
import { FreshId } from "@memory-bridge/core/guard/FreshId"
import { authorityOf } from "@memory-bridge/core/recall/Endpoint"
import { type Exchange, Http, type HttpAnswer, HttpFailed } from "@memory-bridge/core/recall/Http"
import { Mac } from "@memory-bridge/core/recall/Mac"
import { type FileFault, type FileReading, TrustedFiles } from "@memory-bridge/core/recall/TrustedFile"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"

export const sign = (key: string, text: string): string => createHmac("sha256", key).update(text).digest("hex")

export const macLayer = Layer.succeed(Mac, Mac.of({ sign }))

/** `id-0001-…`, then the next one. */
export const countedIds = Layer.sync(FreshId, () => {
  let last = 0
  return FreshId.of({ next: Effect.sync(() => `id-${String(++last).padStart(4, "0")}-of-a-test-run`) })
})

/** An exchange as one line: connection, method, path, credential, body. */
const lineOf = (connection: number, { body, credential, method, path }: Exchange): string =>
  [`#${connection}`, method, path, credential === undefined ? "" : `(${Redacted.value(credential)})`, body ?? ""]
    .filter((part) => part !== "")
    .join(" ")

export type Answer = HttpAnswer | HttpFailed["reason"] | Effect.Effect<HttpAnswer, HttpFailed>

export const json = (body: unknown, changes: Partial<HttpAnswer> = {}): HttpAnswer => ({
  status: 200,
  mediaType: "application/json",
  retryAfter: undefined,
  body: typeof body === "string" ? body : JSON.stringify(body),
  ...changes
})

export const status = (status: number): HttpAnswer => json("", { status })

const effectOf = (answer: Answer): Effect.Effect<HttpAnswer, HttpFailed> =>
  typeof answer === "string"
    ? Effect.fail(new HttpFailed({ reason: answer }))
    : Effect.isEffect(answer)
      ? answer
      : Effect.succeed(answer)

export interface Network {
  readonly layer: Layer.Layer<Http>
  /** `#1 connect 127.0.0.1:4711`, `#1 POST /context …`, `#1 closed`. */
  readonly log: Array<string>
  /** Connections that are open. */
  readonly open: () => number
}

export const network = (answer: (exchange: Exchange, authority: string) => Answer): Network => {
  const log: Array<string> = []
  let connections = 0
  let open = 0
  return {
    log,
    open: () => open,
    layer: Layer.succeed(
      Http,
      Http.of({
        connect: (endpoint, caFile) =>
          Effect.map(
            Effect.acquireRelease(
              Effect.sync(() => {
                const connection = ++connections
                open++
                log.push(`#${connection} connect ${authorityOf(endpoint)}${caFile === undefined ? "" : ` ${caFile}`}`)
                return connection
              }),
              (connection) =>
                Effect.sync(() => {
                  open--
                  log.push(`#${connection} closed`)
                })
            ),
            (connection) => ({
              exchange: (exchange) =>
                Effect.suspend(() => {
                  log.push(lineOf(connection, exchange))
                  return effectOf(answer(exchange, authorityOf(endpoint)))
                })
            })
          )
      })
    )
  }
}

export type Files = Record<string, string | { readonly fault: FileFault }>

/** Files by their path; a path that is not there is missing. Changed by changing the record. */
export const filesLayer = (files: Files, log: Array<string> = []): Layer.Layer<TrustedFiles> =>
  Layer.succeed(
    TrustedFiles,
    TrustedFiles.of({
      read: (path, rule) =>
        Effect.sync((): FileReading => {
          log.push(`${rule} ${path}`)
          const file = files[path] ?? { fault: "missing" as const }
          return typeof file === "string" ? { kind: "text", text: file } : { kind: "refused", fault: file.fault }
        })
    })
  )
