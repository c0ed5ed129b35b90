/** Readers without processes: each one keeps what it was sent, and says what a test makes it say. */
import type { Start } from "@memory-bridge/mcp-server/reader/Child"

export interface Sent {
  readonly id: number
  readonly method: string
  readonly params: unknown
}

export interface FakeReader {
  readonly sent: Array<Sent>
  killed: boolean
  /** Answers what it was sent last. */
  readonly answer: (result: unknown) => void
  readonly say: (text: string) => void
  /** The system lets go of it. */
  readonly go: () => void
}

/** Readers by the order of their start. `mortal` ones go when they are killed. */
export const fakeReaders = (mortal = true) => {
  const readers: Array<FakeReader> = []
  let startable = true
  const start: Start = ({ ended, line }) => {
    if (!startable) throw new Error("no process")
    const say = (text: string) => line({ kind: "line", bytes: new TextEncoder().encode(text) })
    const reader: FakeReader = {
      sent: [],
      killed: false,
      say,
      answer: (result) => say(JSON.stringify({ jsonrpc: "2.0", id: reader.sent.at(-1)!.id, result })),
      go: ended
    }
    readers.push(reader)
    return {
      send: (text) => void reader.sent.push(JSON.parse(text) as Sent),
      kill: () => {
        reader.killed = true
        if (mortal) ended()
      }
    }
  }
  return {
    readers,
    start,
    startable: (now: boolean) => {
      startable = now
    }
  }
}
