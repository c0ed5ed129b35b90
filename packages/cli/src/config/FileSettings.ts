/**
 * The guard's settings in the host's configuration file. (core `ActiveSettings`; issue 5 item 4 "else into the config
 * file with comments and order kept")
 *
 * The file is taken apart and put together by `YamlEdit`, and read and replaced by the platform's `ConfigFile`. A value
 * that hosts could read in two ways counts as none that can be read, as it does for the guard.
 */
import type { PolicySetting } from "@memory-bridge/core/guard/Settings"
import { type ActivationRefused, ActiveSettings, refused } from "@memory-bridge/core/lab/ActivationPlace"
import { readConfig, replaceConfig } from "@memory-bridge/platform-posix/lab/ConfigFile"
import type { LabCalls } from "@memory-bridge/platform-posix/lab/LabCalls"
import { isRefused, type Read } from "@memory-bridge/platform-posix/lab/Places"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { formerKeyPath, type GuardKey, keyPath } from "./GuardKeys.ts"
import { type Change, edit, type Setting, valueAt } from "./YamlEdit.ts"
import type { EditRefused } from "./YamlSource.ts"
import type { Data } from "./YamlValue.ts"

const unsupported = ({ line, reason }: EditRefused): ActivationRefused =>
  refused("file_unsupported", "config", reason, line)

const settingIn = (bytes: Uint8Array, key: GuardKey): Result.Result<Setting, EditRefused> =>
  Result.flatMap(valueAt(bytes, keyPath(key)), (setting) =>
    setting.state === "value" ? Result.succeed(setting) : valueAt(bytes, formerKeyPath(key))
  )

const changeTo = (policy: PolicySetting): Change | undefined => {
  switch (policy.state) {
    case "value":
      return { op: "set", path: keyPath("policy"), value: policy.value as Data }
    case "unset":
      return { op: "remove", path: keyPath("policy") }
    case "raised":
      return undefined
  }
}

const nothing = new Uint8Array()

export const layerOf = (home: string, calls: LabCalls): Layer.Layer<ActiveSettings> =>
  Layer.sync(ActiveSettings, () => {
    let last: Read | undefined

    const read = (): Effect.Effect<Read | undefined, ActivationRefused> =>
      Effect.suspend(() => {
        const found = readConfig(calls, home)
        if (isRefused(found)) return Effect.fail(found)
        last = found
        return Effect.succeed(found)
      })

    const replaced = (policy: PolicySetting): Effect.Effect<void, ActivationRefused> => {
      const change = changeTo(policy)
      if (change === undefined) return Effect.fail(refused("policy_invalid", "review"))
      const edited = edit(last?.bytes ?? nothing, change)
      if (Result.isFailure(edited)) return Effect.fail(unsupported(edited.failure))
      const fault = replaceConfig(calls, home, last, edited.success.bytes)
      return fault === undefined ? Effect.void : Effect.fail(fault)
    }

    return ActiveSettings.of({
      read: Effect.flatMap(read(), (found) => {
        const bytes = found?.bytes ?? nothing
        const settings = Result.all({
          policy: settingIn(bytes, "policy"),
          mode: settingIn(bytes, "mode"),
          auditChain: settingIn(bytes, "audit_chain")
        })
        return Effect.mapError(Effect.fromResult(settings), unsupported)
      }),
      replace: (policy) => Effect.suspend(() => replaced(policy))
    })
  })
