/**
 * Which policy decides now, and where does it come from? (issue 5 items 2 and 3)
 *
 * The settings are read as an activation reads them, with the same trust in the same places, and mean what they mean to
 * it: no entry is the guard's default policy, and an entry that is no policy blocks every call.
 */
import type { Policy } from "@memory-bridge/core/guard/Policy"
import { type ActivationRefused, ActiveSettings } from "@memory-bridge/core/lab/ActivationPlace"
import { meaningOf } from "@memory-bridge/core/lab/Activation"
import { configFileOf } from "@memory-bridge/platform-posix/lab/ConfigFile"
import { labCalls } from "@memory-bridge/platform-posix/lab/LabCalls"
import * as Effect from "effect/Effect"
import { settingsLayer } from "../config/Settings.ts"
import { show } from "./Quote.ts"

/** - `file`: one that was named; `settings`, `default`, `invalid`: what the home's settings come to */
export type Origin = "file" | "settings" | "default" | "invalid"

/** A policy and where it was found. */
export interface FoundPolicy {
  readonly policy: Policy
  readonly origin: Origin
  /** The file, as the operator may be shown it. */
  readonly file: string
}

const originOf = (state: "value" | "unset" | "raised", valid: boolean): Origin =>
  state === "unset" ? "default" : valid ? "settings" : "invalid"

export const activePolicy = (home: string, userHome: string): Effect.Effect<FoundPolicy, ActivationRefused> =>
  Effect.gen(function* () {
    const { policy: setting } = yield* (yield* ActiveSettings).read
    const { policy, valid } = meaningOf(setting, userHome)
    return { policy, origin: originOf(setting.state, valid), file: configFileOf(home) }
  }).pipe(Effect.provide(settingsLayer(home, labCalls()).layer))

export const originWords = ({ file, origin }: Pick<FoundPolicy, "file" | "origin">): string => {
  switch (origin) {
    case "file":
      return show(file)
    case "settings":
      return `settings in ${show(file)}`
    case "default":
      return `the guard's default, as ${show(file)} sets none`
    case "invalid":
      return `${show(file)} sets no valid policy, so every call is blocked`
  }
}
