/** Lines as messages: what is refused, with which code and which id. */
import { assert, describe, it } from "@effect/vitest"
import { errorLine, errors, readMessage, resultLine } from "@memory-bridge/mcp-server/wire/Message"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const read = (text: string | Uint8Array) =>
  readMessage({ kind: "line", bytes: typeof text === "string" ? bytes(text) : text })

describe("a message is read", () => {
  it.each([
    [`{"jsonrpc":"2.0","id":1,"method":"ping"}`, { kind: "call", id: 1, method: "ping", params: undefined }],
    [`{"jsonrpc":"2.0","id":"a","method":"x","params":{}}\r`, { kind: "call", id: "a", method: "x", params: {} }],
    [`{"jsonrpc":"2.0","id":0,"method":"x","later":[1]}`, { kind: "call", id: 0, method: "x", params: undefined }],
    [`{"jsonrpc":"2.0","method":"n","params":{"a":1}}`, { kind: "notification", method: "n", params: { a: 1 } }],
    [`{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}`, { kind: "nothing" }],
    [`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}`, { kind: "nothing" }],
    ["", { kind: "nothing" }],
    [" \t\r", { kind: "nothing" }]
  ])("%j", (line, message) => {
    assert.deepStrictEqual(read(line), message as never)
  })
})

describe("a message is refused", () => {
  it.each([
    ["nonsense", null, "parse_error"],
    [`{"jsonrpc":"2.0","id":1,"method":"ping"`, null, "parse_error"],
    ["[]", null, "batch"],
    [`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, null, "batch"],
    ["1", null, "invalid_request"],
    ["null", null, "invalid_request"],
    [`"ping"`, null, "invalid_request"],
    ["{}", null, "invalid_request"],
    [`{"id":4,"method":"ping"}`, 4, "invalid_request"],
    [`{"jsonrpc":"1.0","id":4,"method":"ping"}`, 4, "invalid_request"],
    [`{"jsonrpc":"2.0","id":4}`, 4, "invalid_request"],
    [`{"jsonrpc":"2.0","id":4,"method":7}`, 4, "invalid_request"],
    [`{"jsonrpc":"2.0","id":4,"method":"ping","params":[]}`, 4, "invalid_request"],
    [`{"jsonrpc":"2.0","id":null,"method":"ping"}`, null, "invalid_request"],
    [`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, null, "invalid_request"],
    [`{"jsonrpc":"2.0","id":1e300,"method":"ping"}`, null, "invalid_request"],
    [`{"jsonrpc":"2.0","id":{},"method":"ping"}`, null, "invalid_request"],
    [`{"jsonrpc":"2.0","id":"${"x".repeat(257)}","method":"ping"}`, null, "invalid_request"],
    [`{"__proto__":{"jsonrpc":"2.0","id":1,"method":"ping"}}`, null, "invalid_request"]
  ] as const)("%j", (line, id, error) => {
    assert.deepStrictEqual(read(line), { kind: "refused", id, error: errors[error] })
  })

  it("that is not UTF-8, before it could become another text", () => {
    const line = bytes(`{"jsonrpc":"2.0","id":1,"method":"p?ng"}`).map((byte) => (byte === 63 ? 0xff : byte))
    assert.deepStrictEqual(read(line), { kind: "refused", id: null, error: errors.parse_error })
  })

  it("that is too long", () => {
    assert.deepStrictEqual(readMessage({ kind: "too_long" }), {
      kind: "refused",
      id: null,
      error: errors.line_too_long
    })
  })
})

describe("an answer", () => {
  it("is one line", () => {
    assert.strictEqual(
      resultLine("a\nb", { text: "x\ny" }),
      `{"jsonrpc":"2.0","id":"a\\nb","result":{"text":"x\\ny"}}\n`
    )
    assert.strictEqual(
      errorLine(null, errors.parse_error),
      `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}\n`
    )
  })
})
