/**
 * The address of a note as a resource: `memory-bridge://note/{id}`, the id percent-encoded. (issue 7 item 5)
 *
 * A list gives the form that the template expands to. On the way back the rest of the address is decoded once and then
 * is an id like the one that a tool gets: which ids there are, and which are served, is for the core to say.
 */
const prefix = "memory-bridge://note/"

/** RFC 6570, simple expansion. */
export const uriTemplate = `${prefix}{id}`

/** Exact for ids that are served; the four marks that `encodeURIComponent` leaves never occur in them. */
export const uriOf = (id: string): string => prefix + encodeURIComponent(id)

/** The id in an address, or `undefined` where it is no address of a note. */
export const idIn = (uri: string): string | undefined => {
  if (!uri.startsWith(prefix)) return undefined
  try {
    return decodeURIComponent(uri.slice(prefix.length))
  } catch {
    return undefined
  }
}
