/** What is remembered within one run changes no verdict: each call is decided as if it were alone. */
import { assert, describe, it } from "@effect/vitest"
import { decide } from "@memory-bridge/core/guard/Decide"
import { tableOf } from "@memory-bridge/core/guard/Mounts"
import type { View } from "@memory-bridge/core/guard/PathFacts"
import { type ProposedCall, simulate } from "@memory-bridge/core/lab/Simulation"
import { openTools, policyOf, treeOf } from "../guard/Given.ts"

const top = { id: 1, parent: 0, point: "/", device: "8:1", root: "/", special: false }

/** `/srv/secret` is shown at `/a/m` as well. */
const world: View = {
  ...treeOf({ "/a/m": "dir", "/a/into/x": "dir", "/srv/secret/x": "dir" }),
  mounts: () => tableOf([top, { ...top, id: 2, parent: 1, point: "/a/m", root: "/srv/secret" }])
}

const policy = policyOf(openTools, { "/srv/secret": "block", "/a/into/key": "block" })

describe("one path that comes again in a run", () => {
  it("in another use, or with another incoming name, is judged anew", () => {
    const commands = ["cat /a", "rm -r /a", "cat /a", "cp /z /a/into", "cp /z/key /a/into", "mkdir /a/m", "rm -r /a/m"]
    const calls = commands.map((command): ProposedCall => ({
      source: "scenario",
      label: "",
      tool: "terminal",
      args: { command }
    }))
    for (const order of [calls, calls.toReversed()]) {
      const outcomes = simulate({ policy, self: [], view: world }, order)
      assert.deepStrictEqual(
        outcomes.map(({ decision }) => decision),
        order.map(({ args, tool }) => decide(policy, [], world, tool, args).decision)
      )
    }
  })

  it("reading a directory is not taking away what is mounted in it", () => {
    const shown = policyOf(openTools, { "/srv/secret": "block" })
    const of = (...commands: ReadonlyArray<string>) =>
      simulate(
        { policy: shown, self: [], view: world },
        commands.map((command) => ({ source: "scenario", label: "", tool: "terminal", args: { command } }))
      ).map(({ decision }) => decision.action)
    assert.deepStrictEqual(of("cat /a", "rm -r /a"), ["allow", "block"])
    assert.deepStrictEqual(of("rm -r /a", "cat /a"), ["block", "allow"])
  })
})
