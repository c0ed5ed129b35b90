/**
 * The conservative template: the guard's built-in policy, written out with reasons. (seed 004 "Configuration", "the
 * documented conservative offline template")
 *
 * Its three protected paths stand in every proposal of the offline builder as well. They are the only paths that do not
 * come from the operator: a proposal without them would open what the built-in policy keeps shut.
 */
import type { ProposalData, ProposedPath } from "./ProposalData.ts"

export const standingPaths: ReadonlyArray<ProposedPath> = [
  { path: "~/.ssh", action: "block", why: "template: keys of the user" },
  { path: "~/.aws", action: "block", why: "template: credentials of the user" },
  { path: "~/.hermes", action: "block", why: "template: the host's own settings and data" }
]

export const template: ProposalData = {
  default_action: "block",
  rules: [
    { tool: "read_file", action: "allow", why: "template: reading outside protected paths" },
    { tool: "write_file", action: "approve", why: "template: a person confirms each write" },
    { tool: "patch", action: "approve", why: "template: a person confirms each change" },
    { tool: "terminal", action: "approve", why: "template: a person confirms each command" }
  ],
  protected_paths: standingPaths
}
