/** What the reader is asked: the two calls of the sidecar, and a page of the list. (issue 7 item 5) */
import type { Fence } from "@memory-bridge/hermes-plugin/Fences"
import { methodTable } from "@memory-bridge/hermes-plugin/Methods"
import { method, type MethodTable } from "@memory-bridge/hermes-plugin/rpc/Dispatch"
import type { Bridge } from "@memory-bridge/core/host/Bridge"
import { type DocumentId, parse } from "@memory-bridge/core/tree/DocumentId"
import * as Schema from "effect/Schema"
import { Catalogue } from "../Catalogue.ts"

export const methodNames = {
  search: "memory_bridge.search",
  read: "memory_bridge.read",
  list: "memory_bridge.list"
} as const

/** `after` names the last note of the page before, or nothing. */
const ListCall = Schema.Struct({ signals: Schema.Unknown, after: Schema.NullOr(Schema.String) })

const idOf = (after: string | null): DocumentId | undefined => {
  const id = parse(after ?? "")
  return typeof id === "string" ? id : undefined
}

export const readerMethods = (fences: ReadonlyArray<Fence>): MethodTable<Bridge | Catalogue> =>
  new Map([
    ...(methodTable(fences) as MethodTable<Bridge | Catalogue>),
    [
      methodNames.list,
      method(ListCall, ({ after, signals }) => Catalogue.use((catalogue) => catalogue.list(signals, idOf(after))))
    ]
  ])
