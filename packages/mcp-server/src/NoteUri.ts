/**
 * The address of a note as a resource: `memory-bridge://note/{id}`, the id percent-encoded. (issue 7 item 5)
 *
 * A list gives the form that the template expands to. On the way back the rest of the address is decoded once and then
 * is an id like the one that a tool gets: which ids there are, and which are served, is for the core to say.
 */
const prefix = "memory-bridge://note/"

/** RFC 6570, simple expansion. */
export const uriTemplate = `${prefix}{id}`

/** Simple expansion encodes five marks that `encodeURIComponent` leaves; a policy that serves Unicode names serves them. */
export const uriOf = (id: string): string =>
  prefix + encodeURIComponent(id).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)

/** The id in an address, or `undefined` where it is no address of a note. */
export const idIn = (uri: string): string | undefined => {
  if (!uri.startsWith(prefix)) return undefined
  try {
    return decodeURIComponent(uri.slice(prefix.length))
  } catch {
    return undefined
  }
}
