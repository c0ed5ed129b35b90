/**
 * What the guardian's demo shows, as a table: seven tool calls, and what must be decided. (seed 004 "Quick demonstration":
 * 1 allow, 1 approve, 5 block)
 *
 * For each the host's side and the record are expected, so that none can pass because something else went wrong.
 */
import type { Action, EvaluationReason, RuleReference } from "@memory-bridge/core/guard/Decision"
import type { World } from "./World.ts"

export interface Scenario {
  /** The point of it, in a few words. */
  readonly shows: string
  readonly tool: string
  readonly args: (world: World) => Readonly<Record<string, unknown>>
  readonly action: Action
  readonly reason: EvaluationReason
  readonly rule: RuleReference | null
  /** The tool's name as it is recorded. */
  readonly recorded: string
}

export const scenarios: ReadonlyArray<Scenario> = [
  {
    shows: "an ordinary read",
    tool: "read_file",
    args: ({ project }) => ({ path: `${project}/notes.md` }),
    action: "allow",
    reason: "tool_rule",
    rule: "tool:0",
    recorded: "read_file"
  },
  {
    shows: "a write, for which the policy asks for approval",
    tool: "write_file",
    args: ({ project }) => ({ path: `${project}/notes.md`, content: "# Notes\n\nChanged.\n" }),
    action: "approve",
    reason: "tool_rule",
    rule: "tool:1",
    recorded: "write_file"
  },
  {
    shows: "the same tool on a protected file",
    tool: "read_file",
    args: ({ project }) => ({ path: `${project}/.env` }),
    action: "block",
    reason: "protected_path",
    rule: "path:1",
    recorded: "read_file"
  },
  {
    shows: "the deletion of a protected directory, named by its parent",
    tool: "terminal",
    args: ({ keys }) => ({ command: `rm -rf ${keys.slice(0, keys.lastIndexOf("/"))}` }),
    action: "block",
    reason: "protected_path",
    rule: "path:0",
    recorded: "terminal"
  },
  {
    shows: "shell syntax that could mean anything",
    tool: "terminal",
    args: ({ project }) => ({ command: `cat ${project}/notes.md | sh` }),
    action: "block",
    reason: "command_unsupported",
    rule: null,
    recorded: "terminal"
  },
  {
    shows: "an executor that no rule names",
    tool: "execute_code",
    args: ({ project }) => ({ code: `print(open("${project}/.env").read())` }),
    action: "block",
    reason: "default_action",
    rule: null,
    recorded: "other"
  },
  {
    shows: "an attempt on the audit itself, which no policy can permit",
    tool: "terminal",
    args: ({ audit }) => ({ command: `rm ${audit}` }),
    action: "block",
    reason: "self_protection",
    rule: null,
    recorded: "terminal"
  }
]

/** How often each action was taken, as the last line of the demo. */
export const countText = (taken: ReadonlyArray<Action | undefined>): string => {
  const count = (action: Action) => taken.filter((one) => one === action).length
  return `${count("allow")} allow, ${count("approve")} approve, ${count("block")} block`
}
