/**
 * What a recalled memory is, and which parts of an answer count as one. (recall-contract 1.4 "POST /context")
 *
 * An item stands alone: a bad one is dropped and the others stay. Of two with one id the first counts; equal text under
 * two ids stays two. More than was asked for is cut off, every channel having its turn, so that a full profile channel
 * cannot keep out what belongs to the question.
 */

/** What goes before the model. */
export interface Shown {
  /** 1 to 256 UTF-16 units, well-formed, no control character. Opaque. */
  readonly id: string
  readonly content: string
}

export interface Item extends Shown {
  /** What decides whether the memory has changed: its content, or more of it than is shown. */
  readonly revision: string
}

export const maxIdLength = 256

/** UTF-16 units of one content. A longer one fits into no block. */
export const maxContentLength = 9_000

const control = /[\p{Cc}\u2028\u2029]/u

export const isItemId = (value: unknown): value is string =>
  typeof value === "string" &&
  value !== "" &&
  value.length <= maxIdLength &&
  value.isWellFormed() &&
  !control.test(value)

const isContent = (value: unknown): value is string =>
  typeof value === "string" && value.length <= maxContentLength && value.trim() !== ""

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** How a source spells an item's id and content: the first of the names that is there. */
export interface Spelling {
  readonly id: ReadonlyArray<string>
  readonly content: ReadonlyArray<string>
}

const member = (record: Readonly<Record<string, unknown>>, names: ReadonlyArray<string>): unknown => {
  const name = names.find((name) => Object.hasOwn(record, name))
  return name === undefined ? undefined : record[name]
}

const itemOf = (value: unknown, spelling: Spelling): Item | undefined => {
  if (!isRecord(value)) return undefined
  const id = member(value, spelling.id)
  const content = member(value, spelling.content)
  return isItemId(id) && isContent(content) ? { id, content, revision: content } : undefined
}

/** First of each channel, then second of each, and so on. */
function* inTurns(channels: ReadonlyArray<ReadonlyArray<unknown>>): Generator<unknown> {
  const longest = channels.reduce((most, channel) => Math.max(most, channel.length), 0)
  for (let row = 0; row < longest; row++) {
    for (const channel of channels) if (row < channel.length) yield channel[row]
  }
}

/** At most `limit` good items of the channels. */
export const itemsOf = (
  channels: ReadonlyArray<ReadonlyArray<unknown>>,
  spelling: Spelling,
  limit: number
): ReadonlyArray<Item> => {
  const items = new Map<string, Item>()
  for (const value of inTurns(channels)) {
    if (items.size >= limit) break
    const item = itemOf(value, spelling)
    if (item !== undefined && !items.has(item.id)) items.set(item.id, item)
  }
  return [...items.values()]
}

const channelNames = ["profile", "proactive", "normal"] as const

/**
 * The channels of a `memories` member: a flat list is one channel; an object has up to three, those it lacks being
 * empty. `undefined` for any other form.
 */
export const channelsOf = (memories: unknown): ReadonlyArray<ReadonlyArray<unknown>> | undefined => {
  if (Array.isArray(memories)) return [memories]
  if (!isRecord(memories)) return undefined
  const channels: Array<ReadonlyArray<unknown>> = []
  for (const name of channelNames) {
    if (!Object.hasOwn(memories, name)) continue
    const channel = memories[name]
    if (!Array.isArray(channel)) return undefined
    channels.push(channel)
  }
  return channels.length === 0 && Object.keys(memories).length > 0 ? undefined : channels
}
