/** What a peer of recall sends: answers, proofs, questions. Nothing throws, and only what has the form comes through. */
import { objectOf } from "@memory-bridge/core/recall/Answer"
import { blockOf, maxBlockChars } from "@memory-bridge/core/recall/Block"
import { contextAnswer, maxLimit, memoriesOf, questionOf, questionText } from "@memory-bridge/core/recall/ContextWire"
import { credentialOf } from "@memory-bridge/core/recall/Credential"
import type { Discovery } from "@memory-bridge/core/recall/Discovery"
import { proof, proves } from "@memory-bridge/core/recall/Identity"
import { channelsOf, isItemId, itemsOf, maxContentLength } from "@memory-bridge/core/recall/Item"
import { lengthOf } from "@memory-bridge/core/notes/Text"
import * as Result from "effect/Result"
import { createHmac } from "node:crypto"
import { holds, same, type Target } from "../Target.ts"

const sign = (key: string, text: string): string => createHmac("sha256", key).update(text).digest("hex")
const credential = credentialOf("abcdefghijklmnop")!
const discovery: Discovery = {
  instance: "aaaaaaaaaaaaaaaa",
  pid: 1,
  started: 0,
  endpoint: { scheme: "http", host: "127.0.0.1", port: 8_000, loopback: true },
  protocols: ["context/2"]
}
const nonce = "nnnnnnnnnnnnnnnn"
const rightProof = proof(sign, credential, nonce, discovery.instance, 8_000)
const wrongProof = "0".repeat(64)

const identity = (proofs: ReadonlyArray<string>) =>
  JSON.stringify({ version: 1, product: "memhub-broker", instance: discovery.instance, proofs })

const firstContent = (memories: ReadonlyArray<unknown>, id: string): unknown => {
  for (const one of memories as ReadonlyArray<Readonly<Record<string, unknown>> | null>) {
    const content = one?.["content"]
    const counts = typeof content === "string" && content.trim() !== "" && content.length <= maxContentLength
    if (counts && one?.["memory_id"] === id) return content
  }
  return undefined
}

const items = [
  { memory_id: "m1", content: "First <b>memory</b>" },
  { memory_id: "m2", content: "Second", extra: 1 }
]

export const broker: Target = {
  name: "broker",
  input: "text",
  json: true,
  words: [
    "version",
    "memories",
    "memory_id",
    "id",
    "content",
    "memory",
    "profile",
    "proactive",
    "normal",
    "product",
    "memhub-broker",
    "instance",
    "proofs",
    wrongProof,
    "query",
    "limit",
    "session",
    "</memhub_memory_context>",
    "<memory-context>",
    "\u202e",
    "x".repeat(9_001)
  ],
  seeds: [
    JSON.stringify({ version: 1, memories: items }),
    JSON.stringify({ version: 2, memories: { profile: items, proactive: [], normal: [items[1]] } }),
    JSON.stringify({ version: 1, memories: [items[0], { memory_id: "m1", content: "Another" }, items[1]] }),
    JSON.stringify({ version: 2, memories: {} }),
    identity([wrongProof]),
    identity([wrongProof, rightProof]),
    questionText("context/2", { query: "what", limit: 5, session: "s" }),
    '{"success":true,"memories":[{"id":"a","memory":"x"}]}'
  ],
  check: (text) => {
    for (const status of [200, 429]) {
      const refused = objectOf({ status, mediaType: "application/json", body: text, retryAfter: text.slice(0, 20) })
      if (status !== 200) holds("another status is never an answer", Result.isFailure(refused))
    }
    const answer = objectOf({ status: 200, mediaType: "application/json", body: text, retryAfter: undefined })
    if (Result.isFailure(answer)) return
    const object = answer.success
    for (const limit of [1, maxLimit]) {
      const memories = memoriesOf(object, limit)
      if (Result.isFailure(memories)) continue
      holds("never more than was asked for", memories.success.length <= limit)
      holds("ids are unique", new Set(memories.success.map((item) => item.id)).size === memories.success.length)
      const flat = object["memories"]
      for (const { content, id } of memories.success) {
        if (Array.isArray(flat)) same("of two memories with one id the first counts", firstContent(flat, id), content)
        holds(
          "an item has an id and a content within bounds",
          isItemId(id) && content.trim() !== "" && content.length <= maxContentLength
        )
      }
      same(
        "what was read is read again from what is written",
        memoriesOf(contextAnswer(1, memories.success) as never, limit),
        memories
      )
      const block = blockOf(memories.success, maxBlockChars)
      holds("a block is within its limit", lengthOf(block.text) <= maxBlockChars)
      holds(
        "a block has a line for each item",
        block.items.length === 0 ? block.text === "" : block.text.split("\n").length === block.items.length + 3
      )
      holds(
        "a block has no markup but its own",
        block.text.split(/[<>]/u).length - 1 === (block.items.length === 0 ? 0 : 4)
      )
    }
    const channels = channelsOf(object["memories"] ?? object)
    if (channels !== undefined)
      holds(
        "a server's items are bounded",
        itemsOf(channels, { id: ["memory_id", "id"], content: ["content", "memory"] }, 5).length <= 5
      )
    const proven = proves(sign, object, credential, nonce, discovery)
    const lists = object["proofs"]
    holds("only a right signature proves", !proven || (Array.isArray(lists) && lists.includes(rightProof)))
    const question = questionOf(object)
    if (question !== undefined) {
      const protocol = question.version === 1 ? "context/1" : "context/2"
      same(
        "a question means the same when written again",
        questionOf(JSON.parse(questionText(protocol, question))),
        question
      )
    }
  }
}
