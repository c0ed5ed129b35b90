/** JSON-RPC frames: lines do not depend on how the stream was cut, and every line has exactly one answer or none. */
import { answerTo, method } from "@memory-bridge/hermes-plugin/rpc/Dispatch"
import { type Line, makeLines } from "@memory-bridge/hermes-plugin/rpc/Lines"
import { readMessage } from "@memory-bridge/hermes-plugin/rpc/Message"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { isUtf8 } from "node:buffer"
import { askPython } from "../Python.ts"
import { bytesOf, type Difference, holds, inUtf8, same, type Target } from "../Target.ts"
import { comparable } from "./Json.ts"

/** Small, so that inputs meet it. */
const limit = 96

const answer = answerTo(
  new Map([
    ["echo", method(Schema.Unknown, (params) => Effect.succeed(params ?? null))],
    ["typed", method(Schema.Struct({ a: Schema.Int }), ({ a }) => Effect.succeed({ a }))],
    ["dies", method(Schema.Unknown, () => Effect.die(new Error("never shown")))],
    ["nothing", method(Schema.Unknown, () => Effect.succeed(undefined))]
  ])
)
const quiet = Effect.provide(Logger.layer([]))

/** The rule of Lines once more, over the whole. */
const wholeLines = (bytes: Buffer): ReadonlyArray<string> => {
  const parts = bytes.toString("latin1").split("\n")
  const open = parts.pop() ?? ""
  const lines = parts.map((part) => (part.length > limit ? "too long" : `line ${part}`))
  return open.length > limit ? [...lines, "too long"] : lines
}

const shown = (line: Line): string =>
  line.kind === "too_long" ? "too long" : `line ${Buffer.from(line.bytes).toString("latin1")}`

/** Cuts that depend on the bytes alone. */
const cutAnyhow = (bytes: Buffer): ReadonlyArray<Buffer> => {
  const chunks: Array<Buffer> = []
  for (let at = 0, step = 1; at < bytes.length; at += step) {
    step = 1 + (((bytes[at] ?? 0) * 7 + at) % 41)
    chunks.push(bytes.subarray(at, at + step))
  }
  return chunks
}

const checkAnswer = (line: Buffer): void => {
  const text = Effect.runSync(quiet(answer({ kind: "line", bytes: line })))
  const message = readMessage(line)
  holds("only a notification has no answer", (text === undefined) === (message.kind === "notification"))
  if (text === undefined) return
  holds("an answer is one line", text.indexOf("\n") === text.length - 1)
  const parsed = JSON.parse(text) as Record<string, unknown>
  holds("an answer has a result or an error", Object.hasOwn(parsed, "result") !== Object.hasOwn(parsed, "error"))
  same("an answer has the id of its call", parsed["id"], message.kind === "notification" ? null : message.id)
  holds("no message of a defect is shown", !text.includes("never shown"))
}

const isJson = (bytes: Buffer): boolean => {
  const message = readMessage(bytes)
  return !(message.kind === "refused" && message.error === "parse_error")
}

const call = (method: string, params: unknown, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

export const rpc: Target = {
  name: "rpc",
  input: "bytes",
  json: true,
  words: [
    "\n",
    "\r\n",
    "\x00",
    '"jsonrpc":"2.0"',
    '"id":',
    '"method":',
    '"params":',
    "echo",
    "typed",
    "dies",
    "nothing",
    "null",
    "-0",
    "1.5",
    "9007199254740993",
    "[",
    "[".repeat(4_000),
    "\xff",
    "\xed\xa0\x80"
  ],
  seeds: [
    call("echo", { a: 1 }),
    call("typed", { a: 1 }, "x"),
    call("dies", null, null),
    call("nothing", []),
    '{"jsonrpc":"2.0","method":"echo"}',
    `${call("echo", 1)}\n${call("typed", { a: "x" }, 2)}\n{"half`,
    inUtf8(call("echo", "\u00e9\u8336\u2028")),
    "[]\n\n{}\n"
  ],
  check: (input) => {
    const bytes = bytesOf(input)
    const [atOnce, inPieces] = [makeLines(limit), makeLines(limit)]
    const whole = atOnce(bytes).map(shown)
    same("lines are those of the whole, cut anyhow", cutAnyhow(bytes).flatMap(inPieces).map(shown), whole)
    same("lines are what stands between line feeds", whole, wholeLines(bytes))
    for (const part of input.split("\n").slice(0, 8)) checkAnswer(bytesOf(part))
  },
  compare: (inputs) => {
    const asked = inputs.filter((input) => {
      const bytes = bytesOf(input)
      return isUtf8(bytes) && comparable(bytes.toString("utf8"))
    })
    const answers = askPython(
      "json_reader.py",
      asked.map((input) => bytesOf(input).toString("hex"))
    )
    return asked.flatMap((input, index): ReadonlyArray<Difference> => {
      const ours = isJson(bytesOf(input))
      return ours === (answers[index] !== "not_json")
        ? []
        : [{ input, detail: `here ${ours}, there ${answers[index]}` }]
    })
  }
}
