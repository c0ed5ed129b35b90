/**
 * The lab says what the enforcing plugin would do: the same calls, once through the simulation and once through the `Guard`
 * service with its settings, its audit and the real file system. (issue "the lab's verdicts equal the enforcing
 * plugin's on the same calls")
 */
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AuditLog } from "@memory-bridge/core/guard/AuditLog"
import type { AuditRecord } from "@memory-bridge/core/guard/AuditRecord"
import { FreshId } from "@memory-bridge/core/guard/FreshId"
import { Guard } from "@memory-bridge/core/guard/Guard"
import { type Installation, selfRoots } from "@memory-bridge/core/guard/Installation"
import { make, type Policy } from "@memory-bridge/core/guard/Policy"
import { settingsOf } from "@memory-bridge/core/lab/Fingerprint"
import { neighboursOf } from "@memory-bridge/core/lab/Neighbours"
import { placeOf, scenariosOf } from "@memory-bridge/core/lab/Scenarios"
import { type ProposedCall, simulate } from "@memory-bridge/core/lab/Simulation"
import * as PathFacts from "@memory-bridge/platform-posix/guard/PathFacts"
import { randomFrom, type Random } from "../guard/support/Random.ts"

/** A home with directories, files, links between them, a hard link and a dangling one. */
const grow = (): Installation => {
  const user = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "lab-agreement-")))
  for (const directory of ["project/src", "secret/deep", "other", ".hermes/plugins/hermes-guardian", ".ssh"]) {
    fs.mkdirSync(join(user, directory), { recursive: true })
  }
  for (const file of ["project/a", "secret/key", "secret/deep/k", ".ssh/id"]) fs.writeFileSync(join(user, file), "x")
  fs.symlinkSync(join(user, "secret"), join(user, "project/link"))
  fs.symlinkSync("../secret/key", join(user, "project/keylink"))
  fs.symlinkSync("../nowhere", join(user, "project/dangling"))
  fs.symlinkSync(join(user, "other"), join(user, "moved"))
  fs.linkSync(join(user, "project/a"), join(user, "project/second"))
  return {
    hermes_home: join(user, ".hermes"),
    user_home: user,
    plugin_source: join(user, ".hermes/plugins/hermes-guardian"),
    backups: [join(user, ".hermes/plugin-data/hermes-guardian/backups")]
  }
}

const tools = ["read_file", "write_file", "patch", "terminal", "execute_code", "some_new_tool"]
const places = ["secret", "secret/deep", "secret/key", "moved", "project/link", "none/yet", ".ssh", "project"]
const spots = [...places, "", "project/a", "project/second", "project/keylink", "project/dangling", "project/link/key"]
const detours = ["", "/.", "/", "/new", "/../a", "/deep/../../secret", "2"]

const policyIn = (random: Random, home: string): Policy =>
  make(
    random.pick(["allow", "approve", "block"]),
    random.list(8, () => ({
      tool: random.pick(tools),
      action: random.pick(["allow", "allow", "approve", "block"]),
      why: ""
    })),
    random.list(4, () => ({
      path: join(home, random.pick(places)),
      action: random.pick(["approve", "block"]),
      why: "w"
    }))
  )

const randomCall = (random: Random, home: string): ProposedCall => {
  const path = () => `${join(home, random.pick(spots))}${random.pick(detours)}`
  const tool = random.pick(tools)
  const command = random.pick([`cat ${path()}`, `rm -r ${path()}`, `cp ${path()} ${path()}`, `mv ${path()} ${path()}`])
  const args =
    tool === "terminal"
      ? { command, ...(random.chance(0.2) ? { workdir: path() } : {}) }
      : tool === "write_file"
        ? { path: path(), content: "" }
        : tool === "patch"
          ? { path: path(), old_string: "a", new_string: "b" }
          : { path: path() }
  return { source: "recorded", label: "", tool, args }
}

/** The service with an audit that keeps its records in memory. */
const enforcing = () => {
  const records: Array<AuditRecord> = []
  const audit = Layer.succeed(
    AuditLog,
    AuditLog.of({
      append: (_home, record) =>
        Effect.sync(() => {
          if (record.event === "policy_decision") records.push(record)
        })
    })
  )
  const ids = Layer.succeed(FreshId, FreshId.of({ next: Effect.succeed("id") }))
  return { records, layer: Guard.layer.pipe(Layer.provide([PathFacts.layer, audit, ids])) }
}

describe("the lab and the enforcing plugin", () => {
  it.effect(
    "decide the same calls alike: scenarios, neighbours of every rule, and random ones on a tree with links",
    () =>
      Effect.gen(function* () {
        const installation = grow()
        yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(installation.user_home, { recursive: true })))
        const { layer, records } = enforcing()
        const guard = yield* Effect.provide(Guard, layer)
        const seen = new Set<string>()
        for (let seed = 1; seed <= 12; seed++) {
          const random = randomFrom(seed)
          const policy = policyIn(random, installation.user_home)
          const calls = [
            ...scenariosOf(placeOf(policy, installation)),
            ...neighboursOf(policy),
            ...Array.from({ length: 400 }, () => randomCall(random, installation.user_home))
          ]
          const outcomes = simulate({ policy, self: selfRoots(installation), view: PathFacts.posixView }, calls)
          for (const [index, { args, tool }] of calls.entries()) {
            const settings = { state: "value", value: settingsOf(policy) }
            const directive = yield* guard.evaluate({ settings, installation, call: { tool, args } })
            const { action, reason, rule } = records.at(-1) ?? {}
            seen.add(`${reason} ${action}`)
            const simulated = outcomes[index]?.decision
            assert.deepStrictEqual(
              { action, reason, rule },
              { ...simulated },
              `seed ${seed}: ${tool} ${JSON.stringify(args)}`
            )
            assert.strictEqual(directive.action, simulated?.action)
          }
        }
        for (const reason of ["protected_path", "tool_rule", "default_action"]) {
          for (const action of ["approve", "block"])
            assert.isTrue(seen.has(`${reason} ${action}`), `${reason} ${action}`)
        }
        for (const reason of ["self_protection", "path_unresolved", "hard_link", "arguments_unsupported"]) {
          assert.isTrue(seen.has(`${reason} block`), reason)
        }
        assert.isTrue(seen.has("tool_rule allow"))
      }).pipe(Effect.scoped)
  )
})
