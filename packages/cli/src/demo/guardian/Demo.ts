/**
 * The guardian's demo as a program: seven calls through the real hook of the built plugin, judged one by one. (seed 004
 * "Quick demonstration", issue 3 part 6)
 *
 * The only thing that is written is the redacted audit, in a home of its own that goes with the rest.
 */
import * as Effect from "effect/Effect"
import { exitCodes, Stopped } from "../../Exit.ts"
import { Screen } from "../../screen/Screen.ts"
import { failures, sayFailure } from "../Ending.ts"
import * as Host from "../Host.ts"
import { findPlugin } from "../Plugin.ts"
import { actionOf, type Judged, mistake } from "./Check.ts"
import { countText, scenarios } from "./Scenarios.ts"
import { openingText, stepText, summaryText } from "./Transcript.ts"
import { auditLines, changed, make, type World } from "./World.ts"

/** What every turn of the demo is bound to. */
const bindingOf = ({ home, policy }: World): Host.Binding => ({
  home,
  override: null,
  scope_home: null,
  multiplex: false,
  delegated: false,
  cron: false,
  settings: { policy }
})

/** Whether all went as expected. */
const showScenarios = Effect.fnUntraced(function* (world: World, host: Host.Host) {
  const screen = yield* Screen
  const context = bindingOf(world)
  const taken: Array<ReturnType<typeof actionOf>> = []
  let failed = 0
  let before = 0
  for (const [index, scenario] of scenarios.entries()) {
    const args = scenario.args(world)
    const reply = yield* host.ask({ profile: "demo", context, hook: "pre_tool_call", tool: scenario.tool, args })
    const lines = yield* auditLines(world)
    const judged: Judged = { scenario, reply, records: lines.slice(before) }
    before = lines.length
    const wrong = mistake(judged, world)
    if (wrong !== undefined) failed++
    taken.push(actionOf(reply.answer))
    yield* screen.out(stepText({ ...judged, number: index + 1, args, wrong }, screen))
  }
  const touched = yield* changed(world)
  yield* screen.out(summaryText(countText(taken), failed, touched, screen))
  return failed === 0 && touched.length === 0
})

/** `plugin`: the built plugin directory, or `undefined` for the one beside this program. */
export const demo = ({ plugin }: { readonly plugin: string | undefined }) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const world = yield* make(yield* findPlugin("hermes-guardian", plugin))
    const host = yield* Host.start({
      place: world,
      launchHome: world.home,
      homes: [["demo", world.home]],
      registered: ["pre_tool_call"]
    })
    yield* screen.out(openingText(world.top, host.python, screen))
    const good = yield* showScenarios(world, host)
    if (!good) return yield* new Stopped({ code: exitCodes.invalid })
  }).pipe(Effect.scoped, Effect.catchTag(failures, sayFailure))
