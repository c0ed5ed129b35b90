/** What a line at the demo's prompt asks for. */
import { assert, describe, it } from "@effect/vitest"
import { type PromptCommand, readPrompt } from "memory-bridge/demo/Interactive"

describe("a line at the prompt", () => {
  it.each<[string, PromptCommand]>([
    ["search blue asters", { kind: "call", tool: "search", args: { query: "blue asters" } }],
    ["  SEARCH  garden  ", { kind: "call", tool: "search", args: { query: "garden" } }],
    ["search", { kind: "call", tool: "search", args: { query: "" } }],
    ["read ../x", { kind: "call", tool: "read", args: { id: "../x" } }],
    ["as beta", { kind: "speak_as", speaker: "beta" }],
    ["as nobody", { kind: "help" }],
    ["as", { kind: "help" }],
    ["quit", { kind: "quit" }],
    ["exit", { kind: "quit" }],
    ["help", { kind: "help" }],
    ["rm -rf /", { kind: "help" }],
    ["", { kind: "nothing" }],
    ["   ", { kind: "nothing" }]
  ])("%j", (line, command) => {
    assert.deepStrictEqual(readPrompt(line), command)
  })
})
