/**
 * The descriptors of one walk: what makes a handle, and what closes all of them at the end. (core `Walk`)
 *
 * A handle is a serial number and not the descriptor itself. The system gives a closed descriptor's number to the next
 * open, so a handle that is closed twice, used too late or taken from another walk would otherwise mean some other
 * file; here it means nothing.
 */
import type { Facts } from "@memory-bridge/core/tree/Facts"

export interface Held {
  readonly descriptor: number
  /** The facts when last read. Device and mount of an open descriptor never change, so these may be relied on. */
  seen: Facts | undefined
  /** Whether the mount answers for all of its files alike, once that was asked. It stays so too. */
  uniform?: boolean
}

export interface Descriptors {
  readonly hold: (held: Held) => number
  readonly find: (handle: number) => Held | undefined
  /** Harmless for a handle that is not held. */
  readonly close: (handle: number) => void
  /** Closes all, and from then on whatever is still opened. */
  readonly end: () => void
}

/** Shared by all walks, so that a handle of one is unknown to the others. */
let serial = 0

export const descriptors = (close: (descriptor: number) => unknown): Descriptors => {
  const open = new Map<number, Held>()
  let ended = false
  // A directory is asked for once for each of its notes.
  let last: { readonly handle: number; readonly held: Held } | undefined
  return {
    hold: (held) => {
      serial += 1
      if (ended) close(held.descriptor)
      else open.set(serial, held)
      return serial
    },
    find: (handle) => {
      if (last?.handle === handle) return last.held
      const held = open.get(handle)
      last = held === undefined ? undefined : { handle, held }
      return held
    },
    close: (handle) => {
      const held = open.get(handle)
      if (held === undefined) return
      open.delete(handle)
      last = undefined
      close(held.descriptor)
    },
    end: () => {
      ended = true
      for (const held of open.values()) close(held.descriptor)
      open.clear()
      last = undefined
    }
  }
}
