/** The last words of a program that ends in a way that no command has spoken about. Never a stack trace. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { OutputClosed, Stopped } from "./Exit.ts"
import { platformText, PlatformRefused } from "./Platform.ts"
import { Screen } from "./screen/Screen.ts"

const lastWords = (cause: Cause.Cause<unknown>): string => {
  if (Cause.hasInterruptsOnly(cause)) return ""
  const error = Cause.squash(cause)
  if (error instanceof Stopped || error instanceof OutputClosed) return ""
  if (error instanceof PlatformRefused) return platformText(error)
  return `memory-bridge: Internal error (${error instanceof Error ? error.name : "unknown"}). Nothing was changed.\n`
}

/** Says what is left to say; the failure itself goes on to the exit code. */
export const reportEnd = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Screen> =>
  Effect.tapCause(program, (cause) => {
    const text = lastWords(cause)
    return text === "" ? Effect.void : Effect.ignore(Screen.use((screen) => screen.err(text)))
  })
