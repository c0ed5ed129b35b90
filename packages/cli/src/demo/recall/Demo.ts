/**
 * The recall demo as a program: three turns of a scripted host over the reference Broker, then its death, an impostor on
 * its port, and its return. (issue 4 part 6, seed 003 "Recall lifecycle")
 *
 * Everything but the host is real: the provider, its sidecar, the Broker and what goes over the wire between them.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { exitCodes, Stopped } from "../../Exit.ts"
import { Screen } from "../../screen/Screen.ts"
import { failures, sayFailure } from "../Ending.ts"
import { findPlugin } from "../Plugin.ts"
import { takePort } from "./Impostor.ts"
import { type Provider, start } from "./Provider.ts"
import { openingText, type Shown, shownText, summaryText } from "./Transcript.ts"
import { make, startBroker, type World } from "./World.ts"

const asters = "Where in the garden do the blue asters go?"
const watering = "When was the watering of the garden decided, with collected rainwater?"

const turnText = (handed: ReadonlyArray<string>, count: number): string =>
  handed.length === 0 ? "nothing" : `${handed.join(", ")}; status: ${count} new`

/** One turn, from its hand-over to the answer of what it asks for the next. */
const turn = Effect.fnUntraced(function* (provider: Provider, shows: string, question: string, expected: boolean) {
  const { count, handed } = yield* provider.hand(question)
  const shown: Shown = {
    shows,
    lines: [
      ["asked", question],
      ["handed", turnText(handed, count)]
    ],
    good: handed.length > 0 === expected && count === handed.length
  }
  return shown
})

const threeTurns = Effect.fnUntraced(function* (provider: Provider) {
  const first = yield* turn(provider, "The first turn finds nothing warm and waits for nothing.", asters, false)
  yield* provider.ask(asters)
  const second = yield* turn(provider, "The second turn gets what the first one asked for.", "And what now?", true)
  yield* provider.ask(asters)
  const third = yield* turn(provider, "The third turn is not told the same again.", "And what now?", false)
  yield* provider.compress
  yield* provider.ask(asters)
  const armed = yield* turn(provider, "The host compressed its history: the memories come again.", "And now?", true)
  return [first, second, third, armed]
})

const withImpostor = Effect.fnUntraced(function* (world: World, provider: Provider) {
  const files = yield* FileSystem.FileSystem
  const credential = (yield* files.readFileString(world.credentialFile)).trim()
  const impostor = yield* takePort(world)
  const ended = yield* provider.ask(watering)
  const { handed } = yield* provider.hand("And what now?")
  const answer = yield* provider.search(watering)
  const received = impostor.received()
  const leaked = received.includes(credential) || received.includes("rainwater")
  const [requestLine = ""] = received.split("\r\n")
  const shown: Shown = {
    shows: "The Broker is killed, and somebody else listens on its port and says that it is the Broker.",
    lines: [
      ["received", requestLine.replace(/nonce=.*$/, "nonce=… and no more")],
      ["recall", ended],
      ["tool", answer]
    ],
    good: !leaked && received !== "" && handed.length === 0 && ended === "identity" && answer.includes("unavailable")
  }
  return shown
}, Effect.scoped)

/** `plugin`: the built plugin directory, or `undefined` for the one beside this program. */
export const demo = ({ plugin }: { readonly plugin: string | undefined }) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const world = yield* make(yield* findPlugin("hy_memory", plugin))
    const broker = yield* startBroker(world)
    const provider = yield* start(world)
    yield* screen.out(openingText(world.top, provider.python, screen))
    const turns = yield* threeTurns(provider)
    for (const [index, shown] of turns.entries()) yield* screen.out(shownText(index + 1, shown, screen))
    yield* broker.kill
    const impostor = yield* withImpostor(world, provider)
    yield* screen.out(shownText(turns.length + 1, impostor, screen))
    yield* startBroker(world)
    yield* provider.ask(watering)
    const back = yield* turn(
      provider,
      "The Broker is back, at another port, and the same grant holds.",
      "And now?",
      true
    )
    yield* screen.out(shownText(turns.length + 2, back, screen))
    const failed = [...turns, impostor, back].filter(({ good }) => !good).length
    yield* screen.out(summaryText(failed, screen))
    if (failed > 0) return yield* new Stopped({ code: exitCodes.invalid })
  }).pipe(Effect.scoped, Effect.catchTag(failures, sayFailure))
