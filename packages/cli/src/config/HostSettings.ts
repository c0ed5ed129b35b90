/**
 * The guard's settings by the host's own interface, inside Hermes. (core `ActiveSettings`; issue 5 item 4 "settings
 * written through the host's API when inside Hermes")
 *
 * The plugin's Python side started this program and holds the other end of a pipe: one JSON object a line, a question
 * and its answer. It decides nothing; it hands `get` and `set` on to the host (commands.py). The configuration file is
 * looked at all the same, since what others can write is no place for a policy.
 */
import { defaultPolicy } from "@memory-bridge/core/guard/Policy"
import { PolicySetting } from "@memory-bridge/core/guard/Settings"
import { type ActivationRefused, ActiveSettings, refused } from "@memory-bridge/core/lab/ActivationPlace"
import { readConfig } from "@memory-bridge/platform-posix/lab/ConfigFile"
import type { LabCalls } from "@memory-bridge/platform-posix/lab/LabCalls"
import { isRefused } from "@memory-bridge/platform-posix/lab/Places"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readSync, writeSync } from "node:fs"
import type { GuardKey } from "./GuardKeys.ts"
import { settingsText } from "./SettingsText.ts"

/** Set by the plugin for the programs that it starts. */
const variable = "MEMORY_BRIDGE_HOST_PIPE"

/** The descriptor of the pipe, where the host started this program. */
export const hostPipe = (environment: NodeJS.ProcessEnv = process.env): number | undefined => {
  const text = environment[variable] ?? ""
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) > 2 ? Number(text) : undefined
}

const Answer = Schema.Union([
  Schema.Struct({ setting: PolicySetting }),
  Schema.Struct({ done: Schema.Literal(true) }),
  Schema.Struct({ error: Schema.String })
])
const decodeAnswer = Schema.decodeUnknownOption(Schema.fromJsonString(Answer), { onExcessProperty: "error" })

/** Bytes of an answer. */
const longest = 4 * 1024 * 1024

/** One question, one answer; `undefined` where the other end has gone or says something else. */
const ask = (pipe: number, question: object): typeof Answer.Type | undefined => {
  try {
    const line = Buffer.from(JSON.stringify(question) + "\n")
    for (let sent = 0; sent < line.length;) sent += writeSync(pipe, line, sent)
    const parts: Array<Buffer> = []
    let length = 0
    for (let ended = false; !ended && length <= longest;) {
      const part = Buffer.alloc(65_536)
      const count = readSync(pipe, part)
      if (count === 0) return undefined
      parts.push(part.subarray(0, count))
      length += count
      ended = part[count - 1] === 0x0a
    }
    return Option.getOrUndefined(decodeAnswer(Buffer.concat(parts).toString()))
  } catch {
    return undefined
  }
}

const get = (pipe: number, key: GuardKey): Effect.Effect<PolicySetting, ActivationRefused> =>
  Effect.suspend(() => {
    const answer = ask(pipe, { method: "get", key })
    return answer !== undefined && "setting" in answer
      ? Effect.succeed(answer.setting)
      : Effect.fail(refused("host_refused", "host", "no_answer"))
  })

const set = (pipe: number, value: unknown): Effect.Effect<void, ActivationRefused> =>
  Effect.suspend(() => {
    const answer = ask(pipe, { method: "set", key: "policy", value })
    if (answer !== undefined && "done" in answer) return Effect.void
    const isCode = answer !== undefined && "error" in answer && /^[a-z_]{1,40}$/.test(answer.error)
    return Effect.fail(refused("host_refused", "host", isCode ? answer.error : "no_answer"))
  })

export const layerOf = (home: string, calls: LabCalls, pipe: number): Layer.Layer<ActiveSettings> =>
  Layer.sync(ActiveSettings, () => {
    const trusted = Effect.suspend(() => {
      const found = readConfig(calls, home)
      return isRefused(found) ? Effect.fail(found) : Effect.void
    })

    return ActiveSettings.of({
      read: Effect.andThen(
        trusted,
        Effect.all({ policy: get(pipe, "policy"), mode: get(pipe, "mode"), auditChain: get(pipe, "audit_chain") })
      ),
      replace: (policy) => {
        switch (policy.state) {
          case "value":
            return set(pipe, policy.value)
          // The host's interface cannot take a setting away; the built-in policy, written out, decides the same.
          case "unset":
            return set(pipe, settingsText(defaultPolicy("~")))
          case "raised":
            return Effect.fail(refused("policy_invalid", "review"))
        }
      }
    })
  })
