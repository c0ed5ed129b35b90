/** Flags that several commands share, and their wording. */
import { Flag } from "effect/cli"
import * as Option from "effect/Option"
import type { Form } from "../operator/Ask.ts"

export const policy = Flag.Path("policy").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("Policy that decides which notes may be served")
)

/** `undefined` where it is not given. */
export const limit = Flag.Int("limit").pipe(
  Flag.withMetavar("N"),
  Flag.withDescription("Results at most, 1 to 10"),
  Flag.optional,
  Flag.map(Option.getOrUndefined)
)

/** The built plugin of a demo. */
export const plugin = Flag.Path("plugin").pipe(
  Flag.withMetavar("DIR"),
  Flag.withDescription("Built plugin to show, if not the one beside this program; it is copied"),
  Flag.optional,
  Flag.map(Option.getOrUndefined)
)

/** For reports that no agent gets. */
export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print the report as JSON on one line"),
  Flag.withDefault(false)
)

export const form = Flag.Boolean("json").pipe(
  Flag.withDescription("Print the answer as an agent gets it: JSON on one line"),
  Flag.withDefault(false),
  Flag.map((json): Form => (json ? "json" : "person"))
)
