/**
 * Questions and the operator's answers to them, by number.
 *
 * Questions are numbered in the order in which they are asked, and that order depends on the text and on earlier
 * answers alone, so the same answers always meet the same questions. An answer counts only where it was offered.
 */
import type { Action } from "../../guard/Decision.ts"
import { rootDefect } from "../../guard/LiteralPath.ts"
import { expandHome } from "../../guard/Policy.ts"
import type { Verb } from "../Vocabulary.ts"

/** What words, or an answer, ask of the policy. */
export type Wish =
  | { readonly kind: "tool"; readonly tool: string; readonly action: Action }
  /** Deleting or copying beside a rule for the terminal, which is settled together with it. */
  | { readonly kind: "verb"; readonly verb: Verb; readonly action: Action }
  | {
      readonly kind: "restrict"
      readonly action: Exclude<Action, "allow">
      readonly verbs: ReadonlyArray<Verb>
      readonly path: string
    }

export interface Choice {
  readonly text: string
  readonly wishes: ReadonlyArray<Wish>
}

export interface Asked {
  /** The words of the text that it is about. */
  readonly about: string
  readonly text: string
  readonly choices: ReadonlyArray<Choice>
  /** Where an absolute path is an answer: what it leads to. */
  readonly path?: (path: string) => ReadonlyArray<Wish>
}

export interface Question {
  readonly number: number
  readonly about: string
  readonly text: string
  readonly choices: ReadonlyArray<{ readonly answer: string; readonly text: string }>
  readonly takes_path: boolean
}

/** An answer that no question offers. */
export interface AnswerDefect {
  readonly number: number
  readonly rule: string
}

export interface Answered {
  readonly wishes: ReadonlyArray<Wish>
  /** For `why`: which answer it was. */
  readonly note: string
}

export interface Dialogue {
  /** `undefined`: not answered; the question is among the open ones. */
  readonly ask: (asked: Asked) => Answered | undefined
  readonly open: () => ReadonlyArray<Question>
  readonly defects: () => ReadonlyArray<AnswerDefect>
}

const letters = "abcdefghij"

/** Only the form is judged here, for which any home does. */
export const literalDefect = (path: string): boolean => rootDefect(expandHome(path, "/home/user")) !== undefined

export const dialogue = (answers: ReadonlyMap<number, string>): Dialogue => {
  const open: Array<Question> = []
  const defects: Array<AnswerDefect> = []
  let count = 0
  const ask = ({ about, choices, path, text }: Asked): Answered | undefined => {
    const number = ++count
    const given = answers.get(number)
    const chosen = given !== undefined && given.length === 1 ? choices[letters.indexOf(given)] : undefined
    if (given !== undefined) {
      if (chosen !== undefined) return { wishes: chosen.wishes, note: `answer ${number}${given}: ${chosen.text}` }
      if (path !== undefined && !literalDefect(given)) return { wishes: path(given), note: `answer ${number}` }
      const offered = choices.map((_, index) => letters.charAt(index)).concat(path === undefined ? [] : ["a path"])
      defects.push({ number, rule: `takes ${offered.join(" or ")}` })
    }
    open.push({
      number,
      about,
      text,
      choices: choices.map((choice, index) => ({ answer: letters.charAt(index), text: choice.text })),
      takes_path: path !== undefined
    })
    return undefined
  }
  return {
    ask,
    open: () => open,
    defects: () => [
      ...defects,
      ...[...answers.keys()]
        .filter((number) => number > count || number < 1)
        .map((number) => ({ number, rule: "answers no question" }))
    ]
  }
}
