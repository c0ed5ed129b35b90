/** A proposed policy, the questions that stand before one, and why there is none, for a person. */
import { toYaml, type ProposalData } from "@memory-bridge/core/lab/ProposalData"
import { proposalCures, type ProposalRefused } from "@memory-bridge/core/lab/ProposalGate"
import { inWords, notDone } from "@memory-bridge/core/lab/ProposalInWords"
import type { Question } from "@memory-bridge/core/lab/proposal/Dialogue"
import { quote, show } from "../operator/Quote.ts"
import type { Look } from "./Results.ts"
import { wrap } from "./Wrap.ts"

/** A point of a list: later lines stand below the first. */
const point = (mark: string, text: string, width: number | undefined): string =>
  wrap(show(text), width === undefined ? undefined : Math.max(16, width - mark.length))
    .map((line, index) => (index === 0 ? mark : " ".repeat(mark.length)) + line)
    .join("\n")

export const questionText = (question: Question, { paint, width }: Look): string =>
  [
    paint.strong(point(`${question.number}. `, question.about, width)),
    point("   ", question.text, width),
    ...question.choices.map(({ answer, text }) => point(`   ${answer}  `, text, width)),
    ""
  ].join("\n")

const answerHint = (questions: ReadonlyArray<Question>): string =>
  questions.map(({ choices, number }) => `--answer ${number}=${choices[0]?.answer ?? "/PATH"}`).join(" ")

export const questionsText = (questions: ReadonlyArray<Question>, look: Look): string =>
  [
    "No policy yet: the text leaves questions.",
    "",
    ...questions.map((question) => questionText(question, look)),
    point("", `Answer each, for example: ${answerHint(questions)}. Or say it in other words.`, look.width),
    ""
  ].join("\n")

/** `file`: where the proposal was written. */
export const proposalText = (data: ProposalData, file: string | undefined, { paint, width }: Look): string => {
  const points = (lines: ReadonlyArray<string>) => lines.map((line) => point("- ", line, width))
  const named = file === undefined ? "FILE" : quote(file)
  return [
    "A proposal. Nothing is in force.",
    "",
    paint.strong("What it says"),
    ...points(inWords(data)),
    "",
    paint.strong("What it does not do"),
    ...points(notDone(data)),
    "",
    paint.strong("As settings, to be merged into config.yaml"),
    toYaml(data),
    paint.strong(file === undefined ? "Next, with the proposal in a file (--out FILE)" : "Next"),
    `  memory-bridge guardian simulate --policy ${named}`,
    `  memory-bridge guardian review --proposed ${named}`,
    `  memory-bridge guardian activate --policy ${named}`,
    ""
  ].join("\n")
}

export const proposalRefusedText = ({ key, reason, rule }: ProposalRefused): string =>
  [
    "memory-bridge: The proposal is refused.",
    `  reason     ${reason}`,
    ...(key === "" ? [] : [`  key        ${show(key)}`]),
    `  rule       ${show(rule)}`,
    `  cure       ${proposalCures[reason]}`,
    ""
  ].join("\n")
