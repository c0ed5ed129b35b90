/** Guard settings: nothing but what the documented form says, and one meaning by every way in. */
import { decode, decodeText, maxProtectedPaths, maxRules, policyReader } from "@memory-bridge/core/guard/Settings"
import * as Result from "effect/Result"
import { posix } from "node:path"
import { holds, same, secret, type Target } from "../Target.ts"

const home = "/home/u"

const example = {
  default_action: "approve",
  rules: [
    { tool: "read_file", action: "allow", why: "reading", match: [{ tool: "read_file", args: { path: "/a" } }] },
    { tool: "terminal", action: "block", not_match: [{ tool: "read_file", args: {} }] }
  ],
  protected_paths: [
    { path: "~/.ssh", action: "block", why: "keys", match: [{ tool: "read_file", args: { path: "/home/u/.ssh/x" } }] },
    { path: "/etc", action: "approve" }
  ]
}

const onlyHas = (value: object, ...names: ReadonlyArray<string>): boolean =>
  Object.keys(value).every((name) => names.includes(name))

type Settings = typeof example

const documented = ({ default_action, protected_paths, rules, ...rest }: Settings): boolean =>
  onlyHas(rest) &&
  ["allow", "approve", "block"].includes(default_action) &&
  rules.length <= maxRules &&
  protected_paths.length <= maxProtectedPaths &&
  rules.every(
    (rule) =>
      onlyHas(rule, "tool", "action", "why", "match", "not_match") &&
      /^\w[\w.:/-]*$/.test(rule.tool) &&
      ["allow", "approve", "block"].includes(rule.action)
  ) &&
  protected_paths.every(
    (rule) =>
      onlyHas(rule, "path", "action", "why", "match", "not_match") &&
      /^(?:~\/|\/)[^*?$\p{Cc}]*$/u.test(rule.path) &&
      ["approve", "block"].includes(rule.action)
  )

const isLiteral = (path: string): boolean =>
  path.startsWith("/") &&
  posix.normalize(path) === path &&
  (path === "/" || !path.endsWith("/")) &&
  !path.includes("/~")

export const guard: Target = {
  name: "guard",
  input: "text",
  json: true,
  words: [
    "default_action",
    "rules",
    "protected_paths",
    "tool",
    "action",
    "path",
    "why",
    "match",
    "not_match",
    "args",
    "allow",
    "approve",
    "block",
    "read_file",
    "write_file",
    "terminal",
    "patch",
    "command",
    "content",
    "~/",
    "~",
    "/..",
    "/a/..",
    "/a/../b",
    "/./",
    "//",
    "/proc",
    "/dev/null",
    "*",
    "$HOME",
    secret,
    "cat /etc/a",
    "rm -rf /etc",
    "__proto__"
  ],
  seeds: [
    JSON.stringify(example),
    JSON.stringify(example, undefined, 2),
    '{"default_action":"allow","rules":[],"protected_paths":[]}',
    JSON.stringify({
      default_action: "allow",
      rules: [],
      protected_paths: ["/a", "/b/c", "~/d", "/"].map((path) => ({ path, action: "block" }))
    }),
    JSON.stringify({
      default_action: "block",
      rules: [],
      protected_paths: [
        { path: "/a", action: "block", match: [{ tool: "terminal", args: { command: "cat /a/b" } }], not_match: [] }
      ]
    })
  ],
  check: (text) => {
    const result = decodeText(text, home)
    if (Result.isFailure(result)) {
      holds("a refusal has a rule", result.failure.rule !== "")
      holds("a refusal never repeats a value", !result.failure.rule.includes(secret))
      return
    }
    const value = JSON.parse(text) as Settings
    holds("has the documented form", documented(value))
    holds(
      "every protected path is literal and canonical",
      result.success.protectedPaths.every(({ path }) => isLiteral(path))
    )
    same("one rule for each that was written", result.success.protectedPaths.length, value.protected_paths.length)
    same("as data it means the same", Result.getOrThrow(decode(value, home)), result.success)
    const read = policyReader()
    const once = read({ state: "value", value }, home)
    same("through the reader it means the same", Result.getOrThrow(once), result.success)
    holds("and again, when nothing has changed", read({ state: "value", value }, home) === once)
  }
}
