/**
 * Connects a Hermes home: shows what would change, asks, does it. (issue 7 item 4; seed 003 "Clicking Connect is approval
 * to replace the current Hermes memory.provider")
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { connect } from "../connect/Connect.ts"
import { planConnect } from "../connect/Plan.ts"
import { connectCalls, type ConnectCalls, lockHome } from "../connect/Places.ts"
import { isPluginName, type PluginName, pluginNames } from "../connect/Plugins.ts"
import type { ConnectRefused, Outcome } from "../connect/Refused.ts"
import { shipped } from "../connect/Shipped.ts"
import { exitCodes, Stopped } from "../Exit.ts"
import {
  alreadyConnected,
  askConnect,
  connectedText,
  connectPlanText,
  connectRefusedText,
  nothingWritten
} from "../screen/ConnectText.ts"
import { Screen } from "../screen/Screen.ts"
import { homeOf } from "./HermesHome.ts"
import { show } from "./Quote.ts"

export interface Consent {
  /** Shows what would change, and changes nothing. */
  readonly dryRun: boolean
  /** Given on the command line. */
  readonly yes: boolean
}

export interface ConnectOptions extends Consent {
  readonly home: string | undefined
  /** Names with commas between them; `undefined` for all. */
  readonly plugins: string | undefined
}

/** The value, or the end of the command with the reason said. */
export const orStop = Effect.fnUntraced(function* <A>(outcome: Outcome<A>, what: "connected" | "disconnected") {
  if (Result.isSuccess(outcome)) return outcome.success
  const refused: ConnectRefused = outcome.failure
  yield* (yield* Screen).err(connectRefusedText(refused, what))
  return yield* new Stopped({ code: exitCodes.refused })
})

/** Keeps others out of this home until the scope closes. */
export const alone = (calls: ConnectCalls, home: string, what: "connected" | "disconnected") =>
  Effect.acquireRelease(
    Effect.suspend(() => orStop(lockHome(calls, home), what)),
    (directory) => Effect.sync(() => void calls.close(directory))
  )

const invalid = Effect.fnUntraced(function* (text: string) {
  yield* (yield* Screen).err(`memory-bridge: ${text}\n`)
  return yield* new Stopped({ code: exitCodes.invalid })
})

/** A yes: on the command line, or typed in a terminal. */
export const consent = Effect.fnUntraced(function* ({ yes }: Consent, question: string) {
  if (yes) return
  const screen = yield* Screen
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stdinIsTerminal)) {
    return yield* invalid("Not confirmed. Nothing was changed.\n  hint  look at it with --dry-run, then give --yes")
  }
  yield* screen.out(question)
  const terminal = yield* Terminal.Terminal
  const answer = yield* terminal.readLine.pipe(Effect.catch(() => Effect.interrupt))
  if (answer.trim().toLowerCase() !== "yes") return yield* invalid("Not confirmed. Nothing was changed.")
})

const namesIn = Effect.fnUntraced(function* (text: string | undefined) {
  const names = text === undefined ? pluginNames : text.split(",").map((name) => name.trim())
  const wrong = names.find((name) => !isPluginName(name))
  if (wrong !== undefined) {
    return yield* invalid(`There is no plugin ${show(JSON.stringify(wrong))}.\n  hint  ${pluginNames.join(", ")}`)
  }
  return pluginNames.filter((name) => names.includes(name)) satisfies ReadonlyArray<PluginName>
})

export const connectHermes = Effect.fnUntraced(function* (options: ConnectOptions) {
  const screen = yield* Screen
  const names = yield* namesIn(options.plugins)
  const home = homeOf(options.home)
  const calls = connectCalls()
  const plugins = yield* orStop(Result.all(names.map(shipped)), "connected")
  yield* alone(calls, home, "connected")
  const plan = yield* orStop(planConnect(calls, home, plugins), "connected")
  yield* screen.out(connectPlanText(plan, screen))
  if (plan.isDone) return yield* screen.out(alreadyConnected)
  if (options.dryRun) return yield* screen.out(nothingWritten)
  yield* consent(options, askConnect)
  yield* orStop(connect(calls, plan), "connected")
  yield* screen.out(connectedText(plan, screen))
}, Effect.scoped)
