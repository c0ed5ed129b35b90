/** The prompt after the transcript: a line becomes a command, and a command a call of the simulated host. */
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { Screen } from "../screen/Screen.ts"
import type { Callers } from "./Callers.ts"
import { reasonOf } from "./Check.ts"
import type { Caller, Tool } from "./Steps.ts"

/** The callers that a person may speak as. */
export const speakers = ["alpha", "beta", "gamma", "cron", "subagent"] as const satisfies ReadonlyArray<Caller>
export type Speaker = (typeof speakers)[number]

export type PromptCommand =
  | { readonly kind: "call"; readonly tool: Tool; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: "speak_as"; readonly speaker: Speaker }
  | { readonly kind: "quit" | "help" | "nothing" }

const isSpeaker = (name: string): name is Speaker => (speakers as ReadonlyArray<string>).includes(name)

/** What a line asks for. Everything after the first word is one argument, so queries need no quotes. */
export const readPrompt = (line: string): PromptCommand => {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*(.*?)\s*$/su.exec(line) ?? []
  switch (word.toLowerCase()) {
    case "":
      return { kind: "nothing" }
    case "search":
      return { kind: "call", tool: "search", args: { query: rest } }
    case "read":
      return { kind: "call", tool: "read", args: { id: rest } }
    case "as":
      return isSpeaker(rest) ? { kind: "speak_as", speaker: rest } : { kind: "help" }
    case "quit":
    case "exit":
      return { kind: "quit" }
    default:
      return { kind: "help" }
  }
}

export const helpText = `search WORDS    read ID    as ${speakers.join("|")}    quit\n`

const pretty = (answer: string): string => {
  try {
    return JSON.stringify(JSON.parse(answer), undefined, 2)
  } catch {
    return answer
  }
}

/** Runs until `quit` or the end of the input. */
export const converse = Effect.fnUntraced(function* (host: Callers) {
  const screen = yield* Screen
  const stdio = yield* Stdio.Stdio
  let speaker: Speaker = "alpha"
  const prompt = Effect.suspend(() => screen.out(screen.paint.strong(`${speaker}> `)))

  const obey = Effect.fnUntraced(function* (command: PromptCommand) {
    switch (command.kind) {
      case "call": {
        const reply = yield* host.call(speaker, command.tool, command.args)
        const reason = reasonOf(reply.log)
        yield* screen.out(pretty(reply.answer) + "\n")
        if (reason !== undefined) yield* screen.out(screen.paint.dim(`the operator's log says: ${reason}`) + "\n")
        break
      }
      case "speak_as":
        speaker = command.speaker
        break
      case "help":
        yield* screen.out(helpText)
        break
      case "nothing":
      case "quit":
        break
    }
    if (command.kind !== "quit") yield* prompt
  })

  yield* screen.out(`The policies are as at the start. Ask something:\n${helpText}`)
  yield* prompt
  yield* stdio.stdin.pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.map(readPrompt),
    Stream.takeUntil((command) => command.kind === "quit"),
    Stream.runForEach(obey)
  )
  yield* screen.out("\n")
})
