/**
 * From the operator's words, a template, a model's answer or a file to a policy that can be reviewed. (seed 004 "Policy
 * Lab"; issue 5 item 1)
 *
 * Nothing is put in force, and no setting is read. Exit code 3 means that questions are open, 2 that a proposal was
 * refused. A file for the result is made new, for its owner alone, and never written over.
 */
import {
  type Described,
  namedIn,
  type Outcome,
  propose as proposeFrom,
  textDefect
} from "@memory-bridge/core/lab/Proposal"
import { type ProposalData, toJson } from "@memory-bridge/core/lab/ProposalData"
import { accept, maxProposalBytes, proposalCures, ProposalRefused } from "@memory-bridge/core/lab/ProposalGate"
import { inWords, notDone } from "@memory-bridge/core/lab/ProposalInWords"
import { modelRequest } from "@memory-bridge/core/lab/ProposalModel"
import { literalDefect } from "@memory-bridge/core/lab/proposal/Dialogue"
import { template } from "@memory-bridge/core/lab/Template"
import { decodeUtf8 } from "@memory-bridge/platform-posix/Utf8"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import { homedir } from "node:os"
import { hostPipe } from "../config/HostSettings.ts"
import { exitCodes, Stopped } from "../Exit.ts"
import { proposalRefusedText, proposalText, questionsText, questionText } from "../screen/ProposalText.ts"
import { Screen } from "../screen/Screen.ts"
import { askHostModel } from "./HostModel.ts"
import { show } from "./Quote.ts"

export interface ProposeOptions {
  readonly text: string | undefined
  readonly template: boolean
  readonly model: boolean
  /** A file, or `-` for standard input. */
  readonly proposal: string | undefined
  /** NAME=PATH each. */
  readonly folder: ReadonlyArray<string>
  readonly tool: ReadonlyArray<string>
  /** NUMBER=ANSWER each. */
  readonly answer: ReadonlyArray<string>
  readonly out: string | undefined
  readonly json: boolean
}

const stop = Effect.fnUntraced(function* (text: string, code: Stopped["code"]) {
  yield* (yield* Screen).err(`memory-bridge: ${text}\n`)
  return yield* new Stopped({ code })
})

/** What stands before and after the first `=`. */
const pair = (text: string): readonly [string, string] | undefined => {
  const at = text.indexOf("=")
  return at < 1 || at === text.length - 1 ? undefined : [text.slice(0, at), text.slice(at + 1)]
}

const badFlag = (flag: string, value: string, form: string) =>
  stop(`${flag} ${show(value)} is not valid.\n  hint  ${flag} ${form}`, exitCodes.invalid)

const describedBy = Effect.fnUntraced(function* ({ answer, folder, text = "", tool }: ProposeOptions) {
  const folders: Array<readonly [string, string]> = []
  for (const given of folder) {
    const parts = pair(given)
    if (parts === undefined || literalDefect(parts[1]))
      return yield* badFlag("--folder", given, "projects=/absolute/path")
    folders.push(parts)
  }
  for (const name of tool) {
    if (!/^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}$/.test(name)) return yield* badFlag("--tool", name, "exact_tool_name")
  }
  const answers = new Map<number, string>()
  for (const given of answer) {
    const [number = "", chosen = ""] = pair(given) ?? []
    if (!/^[1-9]\d{0,3}$/.test(number) || answers.has(Number(number))) return yield* badFlag("--answer", given, "1=a")
    answers.set(Number(number), chosen)
  }
  return { text, folders, tools: tool, answers, userHome: homedir() } satisfies Described
})

/** At most what the gate takes and one more byte, so that it sees what is too large. */
const bytesOf = <E, R>(stream: Stream.Stream<Uint8Array, E, R>) =>
  Effect.gen(function* () {
    const parts: Array<Uint8Array> = []
    let length = 0
    yield* Stream.runForEachWhile(stream, (part) => {
      parts.push(part)
      length += part.length
      return Effect.succeed(length <= maxProposalBytes)
    })
    return Buffer.concat(parts)
  })

const fileText = Effect.fnUntraced(function* (file: string) {
  const stdio = yield* Stdio.Stdio
  const files = yield* FileSystem.FileSystem
  const bytes = yield* (file === "-" ? bytesOf(stdio.stdin) : bytesOf(files.stream(file))).pipe(
    Effect.catch(() => stop(`The proposal cannot be read.\n  component  ${show(file)}`, exitCodes.notFound))
  )
  if (bytes.length > maxProposalBytes) {
    return yield* new ProposalRefused({
      reason: "too_large",
      key: "",
      rule: `is longer than ${maxProposalBytes} bytes`
    })
  }
  const text = decodeUtf8(bytes, 0, bytes.length)
  return text ?? (yield* new ProposalRefused({ reason: "not_json", key: "", rule: "is not UTF-8 text" }))
})

const modelText = Effect.fnUntraced(function* (described: Described) {
  const pipe = hostPipe()
  if (pipe === undefined) {
    return yield* stop(
      "There is no model here: --model uses that of Hermes.\n" +
        "  cure  hermes guardian propose --model 'TEXT'\n" +
        "  or    leave --model out, or check any model's answer with --proposal FILE",
      exitCodes.refused
    )
  }
  const answer = askHostModel(pipe, modelRequest(described.text, namedIn(described)))
  if ("text" in answer) return answer.text
  return yield* stop(`The model of Hermes gave no answer (${answer.error}).`, exitCodes.refused)
})

/** A terminal on both sides: each question is asked there, until a line is left empty. */
const converse = Effect.fnUntraced(function* (described: Described, json: boolean) {
  const screen = yield* Screen
  const stdio = yield* Stdio.Stdio
  const terminal = yield* Terminal.Terminal
  const answers = new Map(described.answers)
  let outcome: Outcome = proposeFrom(described)
  if (json || screen.width === undefined || !(yield* stdio.stdinIsTerminal)) return outcome
  while (outcome.kind === "questions") {
    const [question] = outcome.questions
    if (question === undefined) return outcome
    yield* screen.out(`${questionText(question, screen)}Answer (nothing to stop): `)
    const line = (yield* terminal.readLine.pipe(Effect.catch(() => Effect.succeed("")))).trim()
    if (line === "") {
      yield* screen.out("\n")
      return outcome
    }
    const next = proposeFrom({ ...described, answers: new Map([...answers, [question.number, line]]) })
    if (next.kind === "answers_refused") {
      yield* screen.out(`${next.defects.map(({ rule }) => `This ${rule}.`).join(" ")}\n`)
    } else {
      answers.set(question.number, line)
      outcome = next
    }
  }
  return outcome
})

const save = Effect.fnUntraced(function* (file: string, data: ProposalData) {
  const files = yield* FileSystem.FileSystem
  const refused = (rule: string) =>
    stop(`The proposal is not written.\n  component  ${show(file)}\n  rule       ${rule}`, exitCodes.refused)
  const handle = yield* files
    .open(file, { flag: "wx", mode: 0o600 })
    .pipe(
      Effect.catch(({ reason }) =>
        refused(
          reason._tag === "AlreadyExists"
            ? "there is something of that name; nothing is written over"
            : "the file cannot be made"
        )
      )
    )
  yield* handle.writeAll(new TextEncoder().encode(toJson(data))).pipe(
    Effect.andThen(handle.sync),
    Effect.catch(() => Effect.andThen(Effect.ignore(files.remove(file)), refused("the file cannot be written whole")))
  )
}, Effect.scoped)

const refuse = Effect.fnUntraced(function* (refused: ProposalRefused, json: boolean) {
  const screen = yield* Screen
  const { key, reason, rule } = refused
  if (json)
    yield* screen.out(`${JSON.stringify({ state: "refused", reason, key, rule, cure: proposalCures[reason] })}\n`)
  else yield* screen.err(proposalRefusedText(refused))
  return yield* new Stopped({ code: exitCodes.refused })
})

const present = Effect.fnUntraced(function* (data: ProposalData, { json, out }: ProposeOptions) {
  const screen = yield* Screen
  if (out !== undefined) yield* save(out, data)
  const report = { state: "proposal", policy: data, words: inWords(data), not_done: notDone(data), file: out ?? null }
  yield* screen.out(json ? `${JSON.stringify(report)}\n` : proposalText(data, out, screen))
})

const fromText = Effect.fnUntraced(function* (described: Described, options: ProposeOptions) {
  const screen = yield* Screen
  const { json } = options
  const outcome = yield* converse(described, json)
  switch (outcome.kind) {
    case "proposal":
      return yield* present(outcome.data, options)
    case "questions":
      yield* screen.out(
        json
          ? `${JSON.stringify({ state: "questions", questions: outcome.questions })}\n`
          : questionsText(outcome.questions, screen)
      )
      return yield* new Stopped({ code: exitCodes.notFound })
    case "answers_refused": {
      const lines = outcome.defects.map(({ number, rule }) => `  answer ${number}  ${rule}`)
      return yield* stop(`An answer does not fit.\n${lines.join("\n")}`, exitCodes.invalid)
    }
    case "text_refused":
      return yield* stop(`The text cannot be used: it ${outcome.rule}.`, exitCodes.invalid)
    case "refused":
      return yield* refuse(outcome.refused, json)
  }
})

const source = ({ model, proposal, template: asTemplate, text }: ProposeOptions) => {
  if (asTemplate) return text === undefined && !model && proposal === undefined ? "template" : undefined
  if (proposal !== undefined) return model ? undefined : "file"
  return text === undefined ? undefined : model ? "model" : "text"
}

export const propose = Effect.fnUntraced(function* (options: ProposeOptions) {
  const from = source(options)
  if (from === undefined) {
    return yield* stop(
      "Say one thing to propose from.\n  hint  propose 'TEXT', propose --model 'TEXT', propose --template or propose --proposal FILE",
      exitCodes.invalid
    )
  }
  const described = yield* describedBy(options)
  if (described.answers.size > 0 && from !== "text") {
    return yield* stop("--answer belongs to a text without --model.", exitCodes.invalid)
  }
  if (from === "text") return yield* fromText(described, options)
  if (from === "template") return yield* present(template, options)
  const defect = options.text === undefined ? undefined : textDefect(options.text)
  if (defect !== undefined) return yield* stop(`The text cannot be used: it ${defect}.`, exitCodes.invalid)

  const read = yield* Effect.result(
    Effect.flatMap(from === "model" ? modelText(described) : fileText(options.proposal ?? "-"), (text) =>
      Effect.fromResult(accept(text, { ...namedIn(described), userHome: described.userHome }))
    )
  )
  if (Result.isSuccess(read)) return yield* present(read.success.data, options)
  return yield* read.failure instanceof ProposalRefused ? refuse(read.failure, options.json) : Effect.fail(read.failure)
})
