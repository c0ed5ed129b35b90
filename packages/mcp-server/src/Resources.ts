/**
 * The permitted notes as resources: pages, the template, one note. (issue 7 item 5, MCP "Resources")
 *
 * Nothing is remembered from one call to the next. A cursor says after which note a page begins and nothing else, so it
 * stays good while notes come and go, and one that a client made up shows what the list would show anyway.
 */
import { Bridge } from "@memory-bridge/core/host/Bridge"
import { type PublicError, publicError } from "@memory-bridge/core/host/PublicAnswer"
import { InvalidRequest } from "@memory-bridge/core/notes/Request"
import { type DocumentId, parse } from "@memory-bridge/core/tree/DocumentId"
import * as McpSchema from "effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import type { Page, Resources } from "./Adapters.ts"
import { Catalogue, type Catalogued, type ListedNote } from "./Catalogue.ts"
import { idIn, uriOf, uriTemplate } from "./NoteUri.ts"

const mimeType = "text/markdown"

/** Set on the last page of a list that a limit has cut short. */
export const truncatedKey = "memory-bridge/truncated"

/**
 * -32002 is the code that the protocol had for a resource that is not there, up to the version named here, which has
 * the code of an invalid parameter for it.
 */
const codeOf = ({ error: { code } }: PublicError, version: string): number => {
  switch (code) {
    case "not_found_or_denied":
      return version >= "2026-07-28" ? -32602 : -32002
    case "invalid_request":
      return -32602
    case "unavailable":
      return -32603
  }
}

/** The public answer whole as `data`, its message as the message. */
const failure = (answer: PublicError, version = ""): Effect.Effect<never, McpSchema.McpErrorBase> =>
  Effect.fail(
    new McpSchema.McpErrorBase({ code: codeOf(answer, version), message: answer.error.message, data: answer })
  )

const invalid = (hint: string): PublicError => publicError(new InvalidRequest({ hint }))

const cursorOf = (id: DocumentId): string => Buffer.from(id).toString("base64url")

/** The id in a cursor. `parse` refuses whatever could not be one. */
const idAt = (cursor: string): DocumentId | undefined => {
  const id = parse(Buffer.from(cursor, "base64url").toString())
  return typeof id === "string" && cursorOf(id) === cursor ? id : undefined
}

const resourceOf = ({ id, title }: ListedNote): McpSchema.Resource =>
  new McpSchema.Resource({ uri: uriOf(id), name: id, ...(title === undefined ? {} : { title }), mimeType })

const template = new McpSchema.ResourceTemplate({
  uriTemplate,
  name: "note",
  title: "Note of the shared memory",
  description: "One permitted Markdown note, by the document id that memory_bridge_search or the list returned.",
  mimeType
})

const pageOf = ({ more, notes, truncated }: Catalogued): Page => {
  const last = notes.at(-1)
  const resources = notes.map(resourceOf)
  if (last !== undefined && more) return { resources, nextCursor: cursorOf(last.id) }
  return truncated ? { resources, _meta: { [truncatedKey]: true } } : { resources }
}

/** Needs what answers a call; `signals` say for whom. */
export const makeResources = (signals: unknown): Effect.Effect<Resources, never, Bridge | Catalogue> =>
  Effect.gen(function* () {
    const bridge = yield* Bridge
    const catalogue = yield* Catalogue

    const page = Effect.fnUntraced(function* (cursor: string | undefined) {
      const after = cursor === undefined ? undefined : idAt(cursor)
      if (cursor !== undefined && after === undefined) {
        return yield* failure(invalid("pass cursor as the page before returned it, or leave it out"))
      }
      const answer = yield* catalogue.list(signals, after)
      return answer.ok ? pageOf(answer) : yield* failure(answer)
    })

    const read = Effect.fnUntraced(function* (uri: string, version: string) {
      const id = idIn(uri)
      if (id === undefined)
        return yield* failure(invalid(`pass uri as ${uriTemplate}, the id percent-encoded`), version)
      const answer = yield* bridge.read(signals, { id })
      if (!answer.ok) return yield* failure(answer, version)
      // The Bridge has one type for the answers of both calls.
      return { contents: "content" in answer ? [{ uri, mimeType, text: answer.content }] : [] }
    })

    return { page, templates: [template], read }
  })
