/**
 * From the operator's words to a proposed policy, or to the questions that are open. (seed 004 "Policy Lab": "asks for
 * clarification rather than inventing unsupported permissions")
 *
 * Offline and deterministic: the same text, names and answers give the same bytes. Three rounds of questions: what each
 * statement means by itself; where two statements disagree; what one rule for the terminal does to the others. What
 * no word grants stays blocked, and what is built goes through the gate like any other proposal.
 */
import * as Result from "effect/Result"
import { type Action, isStronger } from "../guard/Decision.ts"
import type { Policy } from "../guard/Policy.ts"
import { type AnswerDefect, type Dialogue, dialogue, type Question, type Wish } from "./proposal/Dialogue.ts"
import {
  onlyTools,
  phraseKey,
  type Said,
  type Sentence,
  strongest,
  terminalCommands,
  tools,
  wishesOf
} from "./proposal/Meaning.ts"
import { readSentence } from "./proposal/Statements.ts"
import { maxTextLength, notShown, sentencesOf, type Token, tokensOf } from "./proposal/Tokens.ts"
import { type ProposalData, type ProposedPath, toJson } from "./ProposalData.ts"
import { accept, type ProposalRefused } from "./ProposalGate.ts"
import { standingPaths } from "./Template.ts"
import { spokenAction, spokenVerb, toolsOf, type Verb } from "./Vocabulary.ts"

export interface Described {
  readonly text: string
  /** Names of folders and their paths. */
  readonly folders: ReadonlyArray<readonly [name: string, path: string]>
  /** Tool names that the operator gave apart from the text. */
  readonly tools: ReadonlyArray<string>
  readonly answers: ReadonlyMap<number, string>
  readonly userHome: string
}

export type Outcome =
  | { readonly kind: "proposal"; readonly data: ProposalData; readonly policy: Policy }
  | { readonly kind: "questions"; readonly questions: ReadonlyArray<Question> }
  | { readonly kind: "answers_refused"; readonly defects: ReadonlyArray<AnswerDefect> }
  | { readonly kind: "text_refused"; readonly rule: string }
  | { readonly kind: "refused"; readonly refused: ProposalRefused }

export const textDefect = (text: string): string | undefined => {
  if (text.trim() === "") return "is empty"
  if (text.length > maxTextLength) return `is longer than ${maxTextLength} characters`
  return notShown.test(text.replaceAll(/[\n\t]/g, " "))
    ? "holds a character that is not shown (control, bidi, zero width)"
    : undefined
}

const tokensFor = ({ text, tools: names }: Pick<Described, "text" | "tools">) => tokensOf(text, new Set(names))

/** What the operator named in the text: no proposal may name more. */
export const namedIn = (
  described: Pick<Described, "text" | "tools" | "folders">
): { readonly paths: ReadonlyArray<string>; readonly tools: ReadonlyArray<string> } => {
  const tokens = tokensFor(described)
  return {
    paths: [
      ...described.folders.map(([, path]) => path),
      ...tokens.flatMap((token) => (token.kind === "path" ? [token.path] : []))
    ],
    tools: [...described.tools, ...tokens.flatMap((token) => (token.kind === "tool" ? [token.tool] : []))]
  }
}

interface Ruling {
  readonly action: Action
  readonly why: string
}

const joinedWhy = (whys: ReadonlyArray<string>): string => {
  const all = [...new Set(whys)].join("; ")
  return all.length <= 500 ? all : `${all.slice(0, 497).toWellFormed()}...`
}

/** The strongest of what was said, with the words that said so. */
const ruling = (said: ReadonlyArray<Ruling>): Ruling | undefined => {
  const action = strongest(said.map((one) => one.action))
  return action === undefined
    ? undefined
    : { action, why: joinedWhy(said.filter((one) => one.action === action).map((one) => one.why)) }
}

type ToolSaid = Said & { readonly kind: "tool" }

const aboutAll = (said: ReadonlyArray<{ readonly why: string }>): string => joinedWhy(said.map(({ why }) => why))

/** Second round: what different sentences say about one tool; within a sentence the strongest counts. */
const settle = (said: ReadonlyArray<Said>, { ask }: Dialogue): Map<string, Ruling> => {
  const rulings = new Map<string, Ruling>()
  const asked = new Map<string, Ruling | undefined>()
  const ofTools = said.filter((one): one is ToolSaid => one.kind === "tool")
  for (const tool of new Set(ofTools.map((one) => one.tool))) {
    const mine = ofTools.filter((one) => one.tool === tool)
    const perSentence = [...new Set(mine.map((one) => one.sentence))].flatMap(
      (sentence) => ruling(mine.filter((one) => one.sentence === sentence)) ?? []
    )
    const actions = [...new Set(perSentence.map(({ action }) => action))]
    const plain = ruling(perSentence)
    if (plain === undefined) continue
    if (actions.length === 1) {
      rulings.set(tool, plain)
      continue
    }
    // One question for the tools of one verb.
    const about = aboutAll(perSentence)
    const key = `${about} ${actions.join(" ")}`
    if (!asked.has(key)) {
      const named = ofTools.filter((one) => aboutAll(ofTools.filter((other) => other.tool === one.tool)) === about)
      const names = [...new Set(named.map((one) => one.tool))]
      const answered = ask({
        about,
        text: `The sentences disagree about ${names.length === 0 ? tool : names.join(" and ")}.`,
        choices: actions
          .toSorted((one, other) => (isStronger(one, other) ? -1 : 1))
          .map((action) => ({ text: `${spokenAction[action]} it`, wishes: [{ kind: "tool", tool, action }] }))
      })
      const [wish] = answered?.wishes ?? []
      asked.set(
        key,
        wish?.kind === "tool" ? { action: wish.action, why: joinedWhy([about, answered?.note ?? ""]) } : undefined
      )
    }
    const answer = asked.get(key)
    if (answer !== undefined) rulings.set(tool, answer)
  }
  return rulings
}

const granted = (rulings: ReadonlyMap<string, Ruling>, tool: string): Action => rulings.get(tool)?.action ?? "block"

const weakest = (actions: ReadonlyArray<Action>): Action =>
  actions.reduce<Action>((best, one) => (isStronger(best, one) ? one : best), "block")

/** How freely something can be done, by tools of its own or in the terminal. */
const reach = (rulings: ReadonlyMap<string, Ruling>, verb: Verb): Action =>
  weakest([...(toolsOf[verb] ?? []), "terminal"].map((tool) => granted(rulings, tool)))

const everyUse: ReadonlyArray<Verb> = ["read", "edit", "delete", "copy", "run"]

/** Third round: protected paths hold for every use, so a restriction of one use needs a word where others are free. */
const protect = (said: ReadonlyArray<Said>, rulings: Map<string, Ruling>, { ask }: Dialogue): Array<ProposedPath> => {
  const paths: Array<ProposedPath> = []
  for (const one of said) {
    if (one.kind !== "restrict") continue
    const { action, path, verbs, why } = one
    const free = everyUse.filter((verb) => isStronger(action, reach(rulings, verb)))
    const exact = verbs.length === 0 || free.every((verb) => verbs.includes(verb))
    if (exact) {
      paths.push({ path, action, why })
      continue
    }
    if (!free.some((verb) => verbs.includes(verb))) continue
    const spoken = verbs.map((verb) => spokenVerb[verb]).join(" and ")
    const everywhere = verbs.flatMap((verb) => tools(toolsOf[verb] === undefined ? "run" : verb, action))
    const answered = ask({
      about: why,
      text: `A protected path holds for every use: the guard cannot ${spokenAction[action]} ${spoken} alone in ${path}.`,
      choices: [
        { text: `${spokenAction[action]} every use of ${path}, reading too`, wishes: [{ ...one, verbs: [] }] },
        { text: `${spokenAction[action]} ${spoken} everywhere`, wishes: everywhere }
      ]
    })
    for (const wish of answered?.wishes ?? []) {
      const because = joinedWhy([why, answered?.note ?? ""])
      if (wish.kind === "restrict") paths.push({ path, action, why: because })
      if (wish.kind === "tool") {
        const before = rulings.get(wish.tool)
        rulings.set(wish.tool, ruling([...(before === undefined ? [] : [before]), { action, why: because }]) as Ruling)
      }
    }
  }
  return paths
}

/** Third round: the terminal can read, write and delete as well, by one rule. */
const settleTerminal = (said: ReadonlyArray<Said>, rulings: Map<string, Ruling>, { ask }: Dialogue): void => {
  const verbsSaid = said.filter((one): one is Said & { readonly kind: "verb" } => one.kind === "verb")
  const terminal = granted(rulings, "terminal")
  const own = (["read", "edit"] as const).flatMap((verb) =>
    (toolsOf[verb] ?? []).flatMap((tool) => {
      const ruled = rulings.get(tool)
      return ruled === undefined || !isStronger(ruled.action, terminal) ? [] : [{ verb: verb as Verb, ...ruled }]
    })
  )
  const apart = verbsSaid.filter((one) => one.action !== terminal)
  const all = [...apart, ...own]
  if (all.length === 0 || (terminal === "block" && apart.length === 0)) return
  const strictest = strongest([terminal, ...all.map(({ action }) => action)]) as Action
  const names = [...new Set(all.map(({ verb }) => spokenVerb[verb]))].join(" and ")
  const block: ReadonlyArray<Wish> = tools("run", "block")
  const approve: ReadonlyArray<Wish> = tools("run", "approve")
  const blockChoice = { text: "no terminal command at all", wishes: block }
  const askChoice = { text: `ask before every terminal command, ${names} included`, wishes: approve }
  const answered = ask({
    about: aboutAll(all),
    text: `The terminal has one rule for all of ${terminalCommands}; it cannot treat ${names} apart.`,
    choices: strictest === "block" ? [blockChoice, askChoice] : [askChoice, blockChoice]
  })
  const [wish] = answered?.wishes ?? []
  if (wish?.kind === "tool") {
    rulings.set("terminal", { action: wish.action, why: joinedWhy([aboutAll(all), answered?.note ?? ""]) })
  }
}

/** Third round: `only` beside other permissions. */
const settleOnly = (sentences: ReadonlyArray<Sentence>, rulings: Map<string, Ruling>, { ask }: Dialogue): void => {
  const only = onlyTools(sentences)
  if (only === undefined) return
  const others = [...rulings].filter(([tool, { action }]) => action !== "block" && !only.tools.has(tool))
  if (others.length === 0) return
  const names = others.map(([tool]) => tool).join(", ")
  const answered = ask({
    about: only.words,
    text: `"only" leaves no room for ${names}, which other words grant.`,
    choices: [
      { text: `block ${names}`, wishes: others.map(([tool]) => ({ kind: "tool", tool, action: "block" })) },
      { text: `keep what the other words grant`, wishes: [] }
    ]
  })
  for (const wish of answered?.wishes ?? []) {
    if (wish.kind !== "tool") continue
    rulings.set(wish.tool, { action: wish.action, why: joinedWhy([`"${only.words}"`, answered?.note ?? ""]) })
  }
}

const inspectedFirst = ["read_file", "write_file", "patch", "terminal"]

const merged = (paths: ReadonlyArray<ProposedPath>): ReadonlyArray<ProposedPath> =>
  [...new Set(paths.map(({ path }) => path))].map((path) => {
    const mine = paths.filter((one) => one.path === path)
    const { action, why } = ruling(mine) as Ruling
    return { path, action: action as ProposedPath["action"], why }
  })

const dataOf = (rulings: ReadonlyMap<string, Ruling>, paths: ReadonlyArray<ProposedPath>): ProposalData => {
  const names = [
    ...inspectedFirst.filter((tool) => rulings.has(tool)),
    ...[...rulings.keys()].filter((tool) => !inspectedFirst.includes(tool))
  ]
  return {
    default_action: "block",
    rules: names.map((tool) => {
      const { action, why } = rulings.get(tool) as Ruling
      return { tool, action, why }
    }),
    protected_paths: merged([...paths, ...standingPaths])
  }
}

const wordsOf = (text: string, sentence: ReadonlyArray<Token>): string =>
  text.slice(sentence[0]?.at ?? 0, sentence.at(-1)?.end ?? 0).replaceAll(/\s+/g, " ")

export const propose = (described: Described): Outcome => {
  const { answers, folders, text, userHome } = described
  const rule = textDefect(text)
  if (rule !== undefined) return { kind: "text_refused", rule }
  const pieces = sentencesOf(tokensFor(described))
  const sentences = pieces.map((tokens) => readSentence(text, tokens))
  const texts = pieces.map((tokens) => wordsOf(text, tokens))
  const talk = dialogue(answers)
  const stopped = (): Outcome | undefined => {
    const [defects, questions] = [talk.defects(), talk.open()]
    if (questions.length > 0 && defects.every(({ rule: broken }) => broken === "answers no question")) {
      // An answer to a question of a later round is not wrong yet.
      return { kind: "questions", questions }
    }
    return questions.length > 0 ? { kind: "answers_refused", defects } : undefined
  }

  const said = wishesOf(
    sentences,
    texts,
    { folders: new Map(folders.map(([name, path]) => [phraseKey(name), path])) },
    talk
  )
  const first = stopped()
  if (first !== undefined) return first
  const rulings = settle(said, talk)
  const second = stopped()
  if (second !== undefined) return second
  const paths = protect(said, rulings, talk)
  const third = stopped()
  if (third !== undefined) return third
  settleTerminal(said, rulings, talk)
  settleOnly(sentences, rulings, talk)
  const fourth = stopped()
  if (fourth !== undefined) return fourth
  const defects = talk.defects()
  if (defects.length > 0) return { kind: "answers_refused", defects }

  const data = dataOf(rulings, paths)
  const named = namedIn(described)
  const answered = [...answers.values()].filter((answer) => /^~?\//.test(answer))
  const through = accept(toJson(data), { paths: [...named.paths, ...answered], tools: named.tools, userHome })
  return Result.isFailure(through)
    ? { kind: "refused", refused: through.failure }
    : { kind: "proposal", data, policy: through.success.policy }
}
