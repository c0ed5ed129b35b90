/**
 * A policy as plain values: exact tool names, literal paths, three actions and a default. (seed 004 "Configuration")
 *
 * `Settings.ts` makes one from what the operator wrote; `defaultPolicy` stands in where nothing was written.
 */
import { groupBy } from "./Group.ts"
import type { Action } from "./Decision.ts"
import { joined } from "./LiteralPath.ts"

export interface ToolRule {
  /** Exact name; case counts. */
  readonly tool: string
  readonly action: Action
  /** What the operator wrote down as the reason; "" for nothing. */
  readonly why: string
}

/** Guards a path, what is below it, and what it lies in, against reads and writes alike. */
export interface PathRule {
  /** Absolute, `~/` expanded. */
  readonly path: string
  readonly action: Exclude<Action, "allow">
  readonly why: string
}

export interface Policy {
  /** For tools that no rule names. */
  readonly defaultAction: Action
  readonly rules: ReadonlyArray<ToolRule>
  readonly protectedPaths: ReadonlyArray<PathRule>
  /** Positions in `rules`, by tool. A map, because a tool may be called `__proto__`. */
  readonly byTool: ReadonlyMap<string, ReadonlyArray<number>>
}

export const make = (
  defaultAction: Action,
  rules: ReadonlyArray<ToolRule>,
  protectedPaths: ReadonlyArray<PathRule>
): Policy => ({
  defaultAction,
  rules,
  protectedPaths,
  byTool: groupBy(rules.keys(), (index) => rules[index]?.tool ?? "")
})

/** Expands a leading `~/`, for paths that the operator wrote. */
export const expandHome = (path: string, userHome: string): string =>
  path.startsWith("~/") ? joined(userHome, path.slice(2)) : path

export const defaultPolicy = (userHome: string): Policy =>
  make(
    "block",
    [
      { tool: "read_file", action: "allow", why: "" },
      { tool: "write_file", action: "approve", why: "" },
      { tool: "patch", action: "approve", why: "" },
      { tool: "terminal", action: "approve", why: "" }
    ],
    ["~/.ssh", "~/.aws", "~/.hermes"].map((path) => ({ path: expandHome(path, userHome), action: "block", why: "" }))
  )
