/** Seed 004 "Supported argument inspection": exact names and types for four tools, names alone for all others. */
import { assert, describe, it } from "@effect/vitest"
import { inspect } from "@memory-bridge/core/guard/Inspection"

const uses = (tool: string, args: unknown): string => {
  const inspection = inspect(tool, args)
  switch (inspection.kind) {
    case "by_name":
      return "by name"
    case "unsupported":
      return `${inspection.reason}: ${inspection.detail}`
    case "paths":
      return inspection.operands
        .map(({ incoming, path, use }) => `${use} ${path}${incoming === "" ? "" : ` as ${incoming}`}`)
        .join(", ")
  }
}

const terminal = (command: string, rest: object = {}) => uses("terminal", { command, ...rest })

describe("the arguments of a supported tool are exactly its own", () => {
  it.each([
    ["read_file", { path: "/a" }, "read /a"],
    ["read_file", { path: "/a", offset: 1, limit: 2000 }, "read /a"],
    ["read_file", { path: "/a", offset: -5 }, "read /a"],
    ["write_file", { path: "/a", content: "x" }, "write /a"],
    ["patch", { path: "/a", old_string: "x", new_string: "y" }, "write /a"],
    ["patch", { path: "/a", old_string: "x", new_string: "y", replace_all: true, mode: "replace" }, "write /a"],
    ["terminal", { command: "pwd" }, ""],
    ["terminal", { command: "pwd", workdir: "/w", background: false, timeout: 180 }, "enter /w"]
  ])("%s %j touches: %s", (tool, args, expected) => {
    assert.strictEqual(uses(tool, args), expected)
  })

  it.each([
    ["read_file", {}, "path missing"],
    ["read_file", { file_path: "/a" }, "unknown argument"],
    ["read_file", { path: "/a", file_path: "/a" }, "unknown argument"],
    ["read_file", { path: ["/a"] }, "path invalid"],
    ["read_file", { path: null }, "path invalid"],
    ["read_file", { path: "/a", offset: "1" }, "offset invalid"],
    ["read_file", { path: "/a", offset: 1.5 }, "offset invalid"],
    ["read_file", { path: "/a", limit: null }, "limit invalid"],
    ["read_file", { path: "a" }, "path relative"],
    ["read_file", { path: "/proc/1/environ" }, "path special_file_system"],
    ["read_file", null, "arguments are no object"],
    ["read_file", [], "arguments are no object"],
    ["read_file", "/a", "arguments are no object"],
    ["write_file", { path: "/a" }, "content missing"],
    ["write_file", { path: "/a", content: "x", cross_profile: true }, "unknown argument"],
    ["write_file", { path: "/a", content: "x", cross_profile: false }, "unknown argument"],
    ["write_file", { path: "/a", content: 1 }, "content invalid"],
    ["patch", { mode: "patch", patch: "*** Begin Patch" }, "unknown argument"],
    ["patch", { path: "/a", old_string: "x", new_string: "y", mode: "patch" }, "mode invalid"],
    ["patch", { path: "/a", old_string: "x" }, "new_string missing"],
    ["patch", { path: "/a", old_string: "x", new_string: "y", replace_all: "true" }, "replace_all invalid"],
    ["terminal", {}, "command missing"],
    ["terminal", { command: ["pwd"] }, "command invalid"],
    ["terminal", { command: "pwd", background: true }, "background invalid"],
    ["terminal", { command: "pwd", background: 0 }, "background invalid"],
    ["terminal", { command: "pwd", timeout: 0 }, "timeout invalid"],
    ["terminal", { command: "pwd", timeout: 181 }, "timeout invalid"],
    ["terminal", { command: "pwd", timeout: 1.5 }, "timeout invalid"],
    ["terminal", { command: "pwd", timeout: true }, "timeout invalid"],
    ["terminal", { command: "pwd", pty: false }, "unknown argument"],
    ["terminal", { command: "pwd", watch_patterns: [] }, "unknown argument"],
    ["terminal", { command: "pwd", workdir: "srv" }, "workdir relative"],
    ["terminal", { command: "pwd", workdir: "" }, "workdir relative"]
  ])("%s %j is refused: %s", (tool, args, detail) => {
    assert.strictEqual(uses(tool, args), `arguments_unsupported: ${detail}`)
  })

  it("an own __proto__ is an unknown argument, and inherited ones are none", () => {
    const own: unknown = JSON.parse('{"path":"/a","__proto__":{"x":1}}')
    assert.strictEqual(uses("read_file", own), "arguments_unsupported: unknown argument")
    assert.strictEqual(uses("read_file", Object.create({ path: "/a" })), "arguments_unsupported: path missing")
  })
})

describe("a command's operands are all touched, each in its way", () => {
  it.each([
    ["cat /a /b", "read /a, read /b"],
    ["touch /a /b", "write /a, write /b"],
    ["mkdir -p /a/b", "create /a/b"],
    ["rm /a", "remove /a"],
    ["rm -f /a /b", "remove /a, remove /b"],
    ["rm -fr /a", "take /a"],
    ["cp /a/x /b", "read /a/x, receive /b as x"],
    ["mv /a/x/ /b", "take /a/x/, receive /b as x"]
  ])("%s: %s", (command, expected) => {
    assert.strictEqual(terminal(command), expected)
  })

  it("the working directory comes first", () => {
    assert.strictEqual(terminal("cat /a", { workdir: "/w" }), "enter /w, read /a")
  })

  it("a source that gives its copy no name of its own is refused", () => {
    assert.strictEqual(terminal("mv /a/.. /b"), "command_unsupported: source without a name")
    assert.strictEqual(terminal("cp / /b"), "command_unsupported: source without a name")
  })

  it("a refused command names the place and nothing of the text", () => {
    assert.strictEqual(terminal("cat /a;rm /b"), "command_unsupported: character at 6")
  })
})

it("every other tool is judged by its name, whatever its arguments are", () => {
  for (const tool of ["search_files", "execute_code", "process", "Read_File", "__proto__", "constructor", "toString"]) {
    assert.strictEqual(uses(tool, { path: "../../x", anything: [1, null] }), "by name")
  }
})
