/** The whole guard on a real system: real looks, real audit, with all that it logs and answers kept for inspection. */
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import type { Directive } from "@memory-bridge/core/guard/Directive"
import { Guard } from "@memory-bridge/core/guard/Guard"
import { auditFileOf, type Installation } from "@memory-bridge/core/guard/Installation"
import * as AuditFile from "@memory-bridge/platform-posix/guard/AuditFile"
import * as FreshIds from "@memory-bridge/platform-posix/FreshIds"
import * as PathFacts from "@memory-bridge/platform-posix/guard/PathFacts"

export interface Live {
  readonly user: string
  readonly installation: Installation
  readonly evaluate: (tool: unknown, args: unknown, settings?: unknown) => Effect.Effect<Directive>
  /** Everything that left the guard: audit, answers, logs of every level with their causes. */
  readonly left: () => string
  readonly audit: () => ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly end: () => void
}

export const makeLive = (): Live => {
  const user = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "guard-live-")))
  const installation: Installation = {
    hermes_home: join(user, ".hermes"),
    user_home: user,
    plugin_source: join(user, ".hermes/plugins/hermes-guardian"),
    backups: [join(user, ".hermes/plugin-data/hermes-guardian/backups")]
  }
  for (const directory of [".hermes", ".ssh", "desk"]) fs.mkdirSync(join(user, directory))
  fs.writeFileSync(join(user, ".ssh/id"), "key")
  fs.writeFileSync(join(user, "desk/a"), "free")
  const said: Array<string> = []
  const logged = Logger.layer([
    Logger.make(({ cause, fiber, logLevel, message }) => {
      said.push(JSON.stringify([logLevel, message, fiber.getRef(References.CurrentLogAnnotations), cause]))
    })
  ])
  const guard = Guard.layer.pipe(Layer.provide([PathFacts.layer, AuditFile.layer({ chain: true }), FreshIds.layer]))
  const layer = Layer.mergeAll(guard, logged, Layer.succeed(References.MinimumLogLevel, "All"))
  const auditText = () => {
    const path = auditFileOf(installation.hermes_home)
    return fs.existsSync(path) ? fs.readFileSync(path, "utf8") : ""
  }
  return {
    user,
    installation,
    evaluate: (tool, args, settings = { state: "unset" }) =>
      Guard.use((service) => service.evaluate({ settings, installation, call: { tool, args } })).pipe(
        Effect.tap((directive) => Effect.sync(() => said.push(JSON.stringify(directive)))),
        Effect.provide(layer)
      ),
    left: () => said.join("\n") + auditText(),
    audit: () =>
      auditText()
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    end: () => fs.rmSync(user, { recursive: true, force: true })
  }
}
