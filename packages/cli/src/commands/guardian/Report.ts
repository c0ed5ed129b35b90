/** `memory-bridge guardian report`: a review as a page to look at, to send and to print. */
import { Command, Flag } from "effect/cli"
import { reportPolicy } from "../../operator/Lab.ts"
import { home } from "./Activate.ts"
import { proposed } from "./Review.ts"
import { policy, recorded } from "./Simulate.ts"

const page = Flag.Path("html").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("File for the page; nothing is ever written over")
)

export const command = Command.make("report", { html: page, proposed, policy, ...recorded, home }, reportPolicy).pipe(
  Command.withShortDescription("Write a review as a page: one file, no network, no script"),
  Command.withDescription(
    "Write a review as a page: what changes, the simulated calls, the policy in words. One file, no network, no script"
  ),
  Command.withExamples([{ command: "memory-bridge guardian report --proposed ./guard.json --html ./review.html" }])
)
