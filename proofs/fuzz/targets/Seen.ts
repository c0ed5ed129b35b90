/** The seen file: nobody's state unless it has exactly the form, and read again as the same. */
import { maxSessions, maxShown } from "@memory-bridge/core/recall/Seen"
import { maxStateBytes, stateOf, stateText } from "@memory-bridge/core/recall/SeenFile"
import { holds, same, type Target } from "../Target.ts"

const key = "0123456789abcdef0123456789abcdef"
const digest = "00112233445566778899aabbccddeeff"

export const seen: Target = {
  name: "seen",
  input: "text",
  json: true,
  words: [
    "version",
    "key",
    "sessions",
    "session",
    "shown",
    key,
    digest,
    "s1",
    "\ud800",
    "\u2028",
    "x".repeat(257),
    "__proto__",
    "[".repeat(3_000)
  ],
  seeds: [
    JSON.stringify({ version: 1, key, sessions: [] }),
    JSON.stringify({
      version: 1,
      key,
      sessions: [
        {
          session: "s1",
          shown: [
            ["m1", digest],
            ["m2", digest]
          ]
        }
      ]
    }),
    JSON.stringify({
      version: 1,
      key,
      sessions: [
        { session: "s\u00e9", shown: [] },
        { session: "t", shown: [['\u8336"', digest]] }
      ]
    })
  ],
  check: (text) => {
    const state = stateOf(text)
    if (state === undefined) return
    holds(
      "sessions and what they were shown are bounded",
      state.sessions.size <= maxSessions && [...state.sessions.values()].every((shown) => shown.size <= maxShown)
    )
    const { sessions } = JSON.parse(text) as { readonly sessions: ReadonlyArray<unknown> }
    same("no session stands there twice", state.sessions.size, sessions.length)
    const written = stateText(state)
    holds("what is written fits into the file", Buffer.byteLength(written) <= maxStateBytes)
    same("a state is read again as the same", stateOf(written), state)
  }
}
