/**
 * In whose name the demo asks: what a host binds for each of its callers. (seed 000 "Hermes public plugin interfaces")
 */
import * as Effect from "effect/Effect"
import { type Fixture, type Profile, profiles } from "./Fixture.ts"
import * as Host from "./Host.ts"
import { type Caller, registeredTools, type Tool } from "./Steps.ts"

/** A turn of a gateway that serves several profiles: override and secret scope both name the profile's home. */
const routed = (home: string): Host.Binding => ({
  home,
  override: home,
  scope_home: home,
  multiplex: true,
  delegated: false,
  cron: false,
  settings: {}
})

interface Bound {
  readonly profile: Profile
  readonly context: Host.Binding
}

const bindingOf = (caller: Caller, { homeOf }: Fixture): Bound => {
  const alpha = routed(homeOf("alpha"))
  switch (caller) {
    case "alpha":
    case "beta":
    case "gamma":
      return { profile: caller, context: routed(homeOf(caller)) }
    case "cron":
      return { profile: "alpha", context: { ...alpha, cron: true } }
    case "subagent":
      return { profile: "alpha", context: { ...alpha, delegated: true } }
    case "nobody":
      return { profile: "alpha", context: { ...alpha, override: null, scope_home: null } }
    case "conflict":
      return { profile: "alpha", context: { ...alpha, scope_home: homeOf("beta") } }
  }
}

export interface Callers {
  readonly python: string
  readonly call: (
    caller: Caller,
    tool: Tool,
    args: Readonly<Record<string, unknown>>
  ) => Effect.Effect<Host.Reply, Host.HostFailed>
}

/** The host with the demo's three profiles. */
export const start = (fixture: Fixture) =>
  Effect.map(
    Host.start({
      place: fixture,
      launchHome: fixture.homeOf("alpha"),
      homes: profiles.map((profile) => [profile, fixture.homeOf(profile)] as const),
      registered: registeredTools
    }),
    ({ ask, python }): Callers => ({
      python,
      call: (caller, tool, args) => ask({ ...bindingOf(caller, fixture), tool: `memory_bridge_${tool}`, args })
    })
  )
