/**
 * The host's own structured model call, asked for over the pipe that the plugin holds. (seed 004 `--model`; model.py)
 *
 * There is no other way to a model here: without the pipe the command says so. What comes back is text that nobody
 * vouches for; it goes to the gate.
 */
import { maxProposalBytes } from "@memory-bridge/core/lab/ProposalGate"
import type { ModelRequest } from "@memory-bridge/core/lab/ProposalModel"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readSync, writeSync } from "node:fs"

const Answer = Schema.Union([Schema.Struct({ text: Schema.String }), Schema.Struct({ error: Schema.String })])
const decodeAnswer = Schema.decodeUnknownOption(Schema.fromJsonString(Answer), { onExcessProperty: "error" })

/** Bytes of a line: a text that the gate could take, with every character escaped, and some room. */
const longest = 6 * maxProposalBytes + 4096

const lineFrom = (pipe: number): string | undefined => {
  const parts: Array<Buffer> = []
  for (let length = 0; length <= longest;) {
    const part = Buffer.alloc(65_536)
    const count = readSync(pipe, part)
    if (count === 0) return undefined
    parts.push(part.subarray(0, count))
    length += count
    if (part[count - 1] === 0x0a) return Buffer.concat(parts).toString()
  }
  return undefined
}

/** The model's text, or the short code of what went wrong. */
export const askHostModel = (
  pipe: number,
  request: ModelRequest
): { readonly text: string } | { readonly error: string } => {
  try {
    const line = Buffer.from(JSON.stringify({ method: "model", request }) + "\n")
    for (let sent = 0; sent < line.length;) sent += writeSync(pipe, line, sent)
    const answer = Option.getOrUndefined(decodeAnswer(lineFrom(pipe) ?? ""))
    if (answer === undefined) return { error: "no_answer" }
    return "text" in answer || /^[a-z_]{1,40}$/.test(answer.error) ? answer : { error: "no_answer" }
  } catch {
    return { error: "no_answer" }
  }
}
