/**
 * What the demo shows, as a table: who asks what, after which change, and what must come back. (seed 000 "Validation
 * status", "Tools", "How it decides access")
 *
 * For a refusal both sides are expected: the code that the agent gets and the reason that the operator's log gets, so
 * that a step cannot pass because something else went wrong.
 */
import type { PublicCode } from "@memory-bridge/core/host/PublicAnswer"
import {
  type Fixture,
  giveAlpha,
  loosenAlpha,
  type OperatorAction,
  removeAlpha,
  secretWord,
  tightenAlpha
} from "./Fixture.ts"

/** In whose name, and in what kind of run, the simulated host makes a call. */
export type Caller = "alpha" | "beta" | "gamma" | "cron" | "subagent" | "nobody" | "conflict"

export const describeCaller: Readonly<Record<Caller, string>> = {
  alpha: "alpha",
  beta: "beta",
  gamma: "gamma, a profile without a policy,",
  cron: "a cron job of alpha",
  subagent: "a subagent of alpha",
  nobody: "a gateway turn that names no profile",
  conflict: "a turn whose signals name two profiles"
}

export type Tool = "search" | "read"

/** The tools of the plugin, by the names that it registers. */
export const registeredTools = ["memory_bridge_read", "memory_bridge_search"] as const

export type Expected =
  | { readonly kind: "found"; readonly ids: ReadonlyArray<string> }
  | { readonly kind: "content"; readonly id: string; readonly holds: string }
  | { readonly kind: "refused"; readonly code: PublicCode; readonly reason: string }

export interface Step {
  readonly by: Caller
  readonly tool: Tool
  readonly args: (fixture: Fixture) => Readonly<Record<string, unknown>>
  readonly expected: Expected
  /** The point of it, in a few words. */
  readonly shows: string
  /** What the operator does first, with the words for it. */
  readonly operator?: { readonly does: string; readonly action: OperatorAction }
}

const search =
  (query: string): Step["args"] =>
  () => ({ query })
const read =
  (id: string): Step["args"] =>
  () => ({ id })

const found = (...ids: ReadonlyArray<string>): Expected => ({ kind: "found", ids })
const refused = (code: PublicCode, reason: string): Expected => ({ kind: "refused", code, reason })
const hidden = refused("not_found_or_denied", "not_found_or_denied")
const invalid = refused("invalid_request", "invalid_request")
const garden: Expected = { kind: "content", id: "projects/garden.md", holds: "blue asters" }
const three = found("decisions/watering.md", "projects/garden.md", "workflows/visit.md")

const reading: ReadonlyArray<Step> = [
  {
    by: "alpha",
    tool: "search",
    args: search("garden"),
    expected: three,
    shows: "what alpha's policy allows, no more"
  },
  { by: "alpha", tool: "read", args: read("projects/garden.md"), expected: garden, shows: "a note by its id" }
]

const tricks: ReadonlyArray<Step> = [
  {
    by: "alpha",
    tool: "read",
    args: read("projects/private/budget.md"),
    expected: hidden,
    shows: "a note that the policy denies"
  },
  {
    by: "alpha",
    tool: "read",
    args: read("people/contact.md"),
    expected: hidden,
    shows: "a note that no pattern allows"
  },
  {
    by: "alpha",
    tool: "read",
    args: read("projects/nothing.md"),
    expected: hidden,
    shows: "a note that is not there: the same answer"
  },
  {
    by: "alpha",
    tool: "read",
    args: read("../outside/secret.md"),
    expected: invalid,
    shows: "a way up and out"
  },
  {
    by: "alpha",
    tool: "read",
    args: ({ root }) => ({ id: `${root}/projects/garden.md` }),
    expected: invalid,
    shows: "an absolute path, even to a note that is allowed"
  },
  {
    by: "alpha",
    tool: "read",
    args: read("projects/escape.md"),
    expected: hidden,
    shows: "a symbolic link to a secret outside"
  },
  {
    by: "alpha",
    tool: "read",
    args: read("projects/elsewhere/secret.md"),
    expected: hidden,
    shows: "the same through a linked folder"
  },
  {
    by: "alpha",
    tool: "search",
    args: search(secretWord),
    expected: found(),
    shows: "a word that only the secret has"
  },
  {
    by: "alpha",
    tool: "search",
    args: ({ homeOf }) => ({ query: "garden", home: homeOf("beta") }),
    expected: invalid,
    shows: "a model that tries to say who it is"
  }
]

const callers: ReadonlyArray<Step> = [
  {
    by: "beta",
    tool: "search",
    args: search("garden"),
    expected: found("decisions/watering.md"),
    shows: "the same question under another policy"
  },
  {
    by: "beta",
    tool: "read",
    args: read("projects/garden.md"),
    expected: hidden,
    shows: "what alpha may read, beta may not"
  },
  {
    by: "gamma",
    tool: "search",
    args: search("garden"),
    expected: refused("unavailable", "policy_unreadable"),
    shows: "no policy, no access"
  },
  {
    by: "nobody",
    tool: "search",
    args: search("garden"),
    expected: refused("unavailable", "home_unbound"),
    shows: "no profile, no access"
  },
  {
    by: "conflict",
    tool: "search",
    args: search("garden"),
    expected: refused("unavailable", "home_conflict"),
    shows: "no guess between two profiles"
  }
]

const runs: ReadonlyArray<Step> = [
  {
    by: "cron",
    tool: "search",
    args: search("garden"),
    expected: refused("unavailable", "cron_refused"),
    shows: "cron jobs are refused unless the policy opts in"
  },
  {
    by: "subagent",
    tool: "search",
    args: search("garden"),
    expected: refused("unavailable", "subagent_refused"),
    shows: "subagents likewise"
  },
  {
    by: "cron",
    tool: "search",
    args: search("garden"),
    expected: three,
    shows: "the opt-in counts at once",
    operator: { does: "sets allow_cron in alpha's policy", action: giveAlpha("exampleWithCron") }
  },
  {
    by: "subagent",
    tool: "search",
    args: search("garden"),
    expected: refused("unavailable", "subagent_refused"),
    shows: "and for cron jobs only"
  },
  {
    by: "subagent",
    tool: "search",
    args: search("garden"),
    expected: three,
    shows: "until it opts in to subagents too",
    operator: { does: "sets allow_subagents as well", action: giveAlpha("exampleWithBoth") }
  }
]

const revocation: ReadonlyArray<Step> = [
  {
    by: "alpha",
    tool: "read",
    args: read("projects/garden.md"),
    expected: hidden,
    shows: "the note of step 2, revoked between two calls",
    operator: { does: "narrows alpha's policy to decisions", action: giveAlpha("decisionsOnly") }
  },
  {
    by: "alpha",
    tool: "search",
    args: search("garden"),
    expected: refused("unavailable", "policy_unreadable"),
    shows: "everything revoked",
    operator: { does: "removes alpha's policy", action: removeAlpha }
  },
  {
    by: "alpha",
    tool: "search",
    args: search("garden"),
    expected: refused("unavailable", "policy_path_untrusted"),
    shows: "a policy that others can write is no policy",
    operator: { does: "puts the policy back, but group-writable (chmod g+w)", action: loosenAlpha }
  },
  {
    by: "alpha",
    tool: "search",
    args: search("garden"),
    expected: three,
    shows: "trusted again",
    operator: { does: "takes that right away (chmod g-w)", action: tightenAlpha }
  }
]

export const steps: ReadonlyArray<Step> = [...reading, ...tricks, ...callers, ...runs, ...revocation]
