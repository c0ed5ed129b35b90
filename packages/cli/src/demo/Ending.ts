/** How a demo that cannot go on ends: one sentence of why, a cure where there is one, exit code 2. */
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import { exitCodes, Stopped } from "../Exit.ts"
import { show } from "../operator/Quote.ts"
import { Screen } from "../screen/Screen.ts"
import type { HostFailed } from "./Host.ts"
import type { PluginMissing } from "./Plugin.ts"

export const refuse = Effect.fnUntraced(function* (text: string) {
  yield* (yield* Screen).err(text)
  return yield* new Stopped({ code: exitCodes.refused })
})

/** What can keep any demo from going on. */
export type DemoFailure = HostFailed | PluginMissing | PlatformError

const textOf = (failure: DemoFailure): string => {
  switch (failure._tag) {
    case "PluginMissing":
      return `memory-bridge: There is no built plugin in ${failure.looked}.\n  cure  npm run build\n`
    case "PlatformError":
      return `memory-bridge: The demo's files could not be made (${failure.reason._tag}).\n`
    case "HostFailed":
      return hostText(failure)
  }
}

const hostText = ({ detail, reason }: HostFailed): string => {
  switch (reason) {
    case "python_missing":
      return "memory-bridge: The demo needs Python.\n  cure  install Python 3.11 or newer, so that python3 is on PATH\n"
    case "python_too_old":
      return (
        `memory-bridge: The demo needs Python 3.11 or newer; python3 on PATH is ${detail}.\n` +
        "  cure  put a newer python3 first on PATH\n"
      )
    case "host_failed":
      return `memory-bridge: The simulated host ended early.${detail === "" ? "" : `\n  last words  ${show(detail)}`}\n`
  }
}

export const failures = ["HostFailed", "PluginMissing", "PlatformError"] as const satisfies ReadonlyArray<
  DemoFailure["_tag"]
>

export const sayFailure = (failure: DemoFailure) => refuse(textOf(failure))
