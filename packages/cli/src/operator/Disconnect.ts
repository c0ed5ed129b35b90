/** Disconnects a Hermes home: shows what would go and what stays, asks, does it. (issue 7 item 4) */
import * as Effect from "effect/Effect"
import { disconnect, sweep } from "../connect/Disconnect.ts"
import { connectCalls, placesOf } from "../connect/Places.ts"
import { planUndo } from "../connect/UndoPlan.ts"
import { askDisconnect, disconnectedText, nothingWritten, notConnected, undoPlanText } from "../screen/ConnectText.ts"
import { Screen } from "../screen/Screen.ts"
import { alone, consent, type Consent, orStop } from "./Connect.ts"
import { homeOf } from "./HermesHome.ts"

export interface DisconnectOptions extends Consent {
  readonly home: string | undefined
}

export const disconnectHermes = Effect.fnUntraced(function* (options: DisconnectOptions) {
  const screen = yield* Screen
  const home = homeOf(options.home)
  const calls = connectCalls()
  yield* alone(calls, home, "disconnected")
  const plan = yield* orStop(planUndo(calls, home), "disconnected")
  if (plan === undefined) {
    if (!options.dryRun) yield* orStop(sweep(calls, placesOf(home)), "disconnected")
    return yield* screen.out(notConnected)
  }
  yield* screen.out(undoPlanText(plan, screen))
  if (options.dryRun) return yield* screen.out(nothingWritten)
  yield* consent(options, askDisconnect)
  yield* orStop(disconnect(calls, plan), "disconnected")
  yield* screen.out(disconnectedText(screen))
}, Effect.scoped)
