/**
 * What each statement asks of the policy, and which question it raises where the rule language cannot say it.
 *
 * The guard decides by exact tool names and by protected roots. So an allowance that holds in one place only, a
 * terminal command apart from the others, or a push does not exist in it. Nothing is put in their place: the nearest
 * rules are offered as answers.
 */
import { type Action, isStronger } from "../../guard/Decision.ts"
import { commandNames } from "../../guard/Terminal.ts"
import { executors, spokenVerb, toolsOf, type Verb } from "../Vocabulary.ts"
import type { Asked, Choice, Dialogue, Wish } from "./Dialogue.ts"
import { literalDefect } from "./Dialogue.ts"
import type { NotUnderstood, Scope, Statement } from "./Statements.ts"

/** A wish with where it comes from. */
export type Said = Wish & { readonly sentence: number; readonly why: string }

export type Sentence = ReadonlyArray<Statement> | NotUnderstood

export interface Given {
  /** Paths by the words that stand for them, folded by `phraseKey`. */
  readonly folders: ReadonlyMap<string, string>
}

export const terminalCommands = commandNames.join(", ")

/** How a name for a folder is compared: case, and `-`, `_` or a space between words, do not count. */
export const phraseKey = (phrase: string): string =>
  phrase
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, " ")
    .trim()

export const isNotUnderstood = (sentence: Sentence): sentence is NotUnderstood => !Array.isArray(sentence)

export const tools = (verb: Verb, action: Action): ReadonlyArray<Wish> =>
  (toolsOf[verb] ?? []).map((tool): Wish => ({ kind: "tool", tool, action }))

const terminal = (action: Action): ReadonlyArray<Wish> => tools("run", action)

/** A statement whose verbs are not tied to a place. */
const isUnscoped = ({ outside, scopes }: Statement): boolean => scopes.length === 0 && !outside

const grants = ({ action }: Statement): boolean => action === "allow" || action === "approve"

const list = (verbs: ReadonlyArray<Verb>): string => verbs.map((verb) => spokenVerb[verb]).join(" and ")

const leaveOut: Choice = { text: "leave the sentence out: it grants nothing and forbids nothing", wishes: [] }

const notUnderstood = ({ hint, part }: NotUnderstood, about: string): Asked => ({
  about,
  text: `${part === "" ? "This" : `"${part}"`} is not understood: ${hint}. Say it in other words, or:`,
  choices: [leaveOut]
})

const chooseAction = (about: string, verbs: ReadonlyArray<Verb>): Asked => ({
  about,
  text: `The text does not say what is to happen with ${list(verbs)}.`,
  choices: [
    { text: `never ${list(verbs)}`, wishes: verbs.flatMap((verb) => tools(verb, "block")) },
    { text: `ask before all ${list(verbs)}`, wishes: verbs.flatMap((verb) => tools(verb, "approve")) },
    { text: `allow ${list(verbs)}`, wishes: verbs.flatMap((verb) => tools(verb, "allow")) }
  ]
})

const push = (about: string): Asked => ({
  about,
  text:
    `The guard cannot let an agent push: its terminal takes ${terminalCommands} and nothing that reaches a network. ` +
    "A tool of a server that pushes can be named in the text.",
  choices: [{ text: "pushing stays blocked; you push yourself", wishes: [] }]
})

/** Deleting and copying without a rule for the terminal. */
const terminalOnly = (about: string, verb: Verb, action: Action): Asked => {
  const ask: Choice = {
    text: `ask before every terminal command (${terminalCommands})`,
    wishes: terminal("approve")
  }
  const never: Choice = { text: `no terminal command at all, so no ${spokenVerb[verb]}`, wishes: terminal("block") }
  const free: Choice = { text: "allow all of these terminal commands without asking", wishes: terminal("allow") }
  return {
    about,
    text: `For the guard ${spokenVerb[verb]} is a terminal command like the others; it has one rule for all of them.`,
    choices: action === "allow" ? [ask, never, free] : [ask, never]
  }
}

/** Reading, editing or running in one place only. */
const narrower = (about: string, verbs: ReadonlyArray<Verb>, place: string, free: boolean): Asked => {
  const all = (action: Action): ReadonlyArray<Wish> => verbs.flatMap((verb) => tools(verb, action))
  return {
    about,
    text:
      `The guard cannot limit ${list(verbs)} to ${place}: a rule names a tool, not a place. ` +
      "Only protected paths have a place, and they hold for every use.",
    choices: [
      { text: `ask before all ${list(verbs)}, wherever it is`, wishes: all("approve") },
      { text: `no ${list(verbs)}`, wishes: all("block") },
      ...(free ? [{ text: `allow ${list(verbs)} everywhere but in protected paths`, wishes: all("allow") }] : [])
    ]
  }
}

const everything = (about: string): Asked => {
  const ask = [...tools("read", "approve"), ...tools("edit", "approve"), ...terminal("approve")]
  const some = [...tools("read", "allow"), ...tools("edit", "allow"), ...terminal("approve")]
  return {
    about,
    text: "Everything would include tools that the guard cannot look into. Those stay blocked; for the others:",
    choices: [
      { text: "ask before reading, editing and terminal commands", wishes: ask },
      { text: "allow reading and editing, ask before terminal commands", wishes: some },
      { text: "nothing follows from these words", wishes: [] }
    ]
  }
}

const executor = (about: string, tool: string): Asked => ({
  about,
  text: `${tool} carries out what it is told, and the guard sees no more of it than its name.`,
  choices: [
    { text: `${tool} stays blocked`, wishes: [{ kind: "tool", tool, action: "block" }] },
    { text: `ask before each call of ${tool}`, wishes: [{ kind: "tool", tool, action: "approve" }] }
  ]
})

const whichFolder = (about: string, phrase: string, path: (path: string) => ReadonlyArray<Wish>): Asked => ({
  about,
  text: `Which folder is "${phrase}"? Answer with its absolute path, or give it with --folder "${phrase}=/PATH".`,
  choices: [],
  path
})

const badPath = (about: string, path: string): Asked => ({
  about,
  text: `${path} is no literal path that the guard can protect: no pattern, no variable, no . or .. in it. Correct it, or:`,
  choices: [{ text: "leave the path out: nothing protects it", wishes: [] }]
})

const expanded = (verbs: ReadonlyArray<Verb>): ReadonlyArray<Verb> => [
  ...new Set(verbs.flatMap((verb): ReadonlyArray<Verb> => (verb === "touch" ? ["read", "edit"] : [verb])))
]

const hasTools = (verb: Verb): boolean => toolsOf[verb] !== undefined

const spokenScope = (scope: Scope): string => (scope.kind === "path" ? scope.path : `"${scope.phrase}"`)

/** First round: every statement by itself. */
export const wishesOf = (
  sentences: ReadonlyArray<Sentence>,
  texts: ReadonlyArray<string>,
  { folders }: Given,
  { ask }: Dialogue
): ReadonlyArray<Said> => {
  const said: Array<Said> = []
  const understood = sentences.flatMap((sentence) => (isNotUnderstood(sentence) ? [] : sentence))
  const free = understood.filter((one) => isUnscoped(one) && grants(one))
  const granted = new Set(free.flatMap(({ verbs }) => expanded(verbs)))
  const runs = understood.some(
    ({ outside, scopes, tools, verbs }) =>
      scopes.length === 0 && !outside && (verbs.includes("run") || tools.includes("terminal"))
  )
  const confined = new Set(understood.filter(({ only, outside }) => only || outside).flatMap(({ verbs }) => verbs))
  const insideToo = new Set(
    understood
      .filter((one) => one.action === "allow" && one.scopes.length > 0 && !one.outside)
      .flatMap((one) => one.verbs)
  )

  const add = (sentence: number, words: string, wishes: ReadonlyArray<Wish>, note = "") => {
    // Half a character at the cut would be refused by the gate.
    const why = `"${words.length > 200 ? `${words.slice(0, 199).toWellFormed()}...` : words}"${note === "" ? "" : ` (${note})`}`
    for (const wish of wishes) said.push({ ...wish, sentence, why: why.slice(0, 500).toWellFormed() })
  }
  const raise = (sentence: number, asked: Asked) => {
    const answered = ask(asked)
    if (answered !== undefined) add(sentence, asked.about, answered.wishes, answered.note)
  }

  const byTool = (sentence: number, { action, tools: names, words }: Statement) => {
    for (const tool of names) {
      if (action === "choose")
        raise(
          sentence,
          notUnderstood(
            { kind: "not_understood", part: tool, hint: "it does not say what is to happen with it" },
            words
          )
        )
      else if (action === "allow" && executors.has(tool)) raise(sentence, executor(words, tool))
      else add(sentence, words, [{ kind: "tool", tool, action }])
    }
  }

  const byScope = (sentence: number, statement: Statement) => {
    const { action, outside, scopes, words } = statement
    const verbs = expanded(statement.verbs.length === 0 ? ["touch"] : statement.verbs)
    const whole = statement.verbs.length === 0 || statement.verbs.includes("touch")
    const place = `${outside ? "what is not in " : ""}${scopes.map(spokenScope).join(" and ")}`
    if (action === "choose") {
      return raise(
        sentence,
        notUnderstood({ kind: "not_understood", part: "", hint: "it does not say what is to happen there" }, words)
      )
    }
    const withTools = verbs.filter(hasTools)
    if (outside) {
      // The allowance for inside, where there is one, asks already.
      const rest = withTools.filter((verb) => !insideToo.has(verb))
      if (rest.length > 0) raise(sentence, narrower(words, rest, place, false))
      for (const verb of verbs.filter((verb) => !hasTools(verb) && !insideToo.has(verb)))
        apart(sentence, verb, "approve", words)
      return
    }
    const covered = verbs.every((verb) => granted.has(verb))
    if (action === "allow" || (action === "approve" && !whole && !covered)) {
      const rest = withTools.filter((verb) => action === "allow" || !granted.has(verb))
      if (rest.length > 0) {
        const open = action === "allow" && !rest.some((verb) => confined.has(verb))
        raise(sentence, narrower(words, rest, place, open))
      }
      for (const verb of verbs.filter((verb) => !hasTools(verb))) apart(sentence, verb, action, words)
      return
    }
    const restrict = (path: string): ReadonlyArray<Wish> => [
      { kind: "restrict", action, verbs: whole ? [] : statement.verbs, path }
    ]
    for (const scope of scopes) {
      const path = scope.kind === "path" ? scope.path : folders.get(phraseKey(scope.phrase))
      if (path === undefined) raise(sentence, whichFolder(words, scope.kind === "phrase" ? scope.phrase : "", restrict))
      else if (literalDefect(path)) raise(sentence, badPath(words, path))
      else add(sentence, words, restrict(path))
    }
  }

  /** Deleting, copying and pushing, which have no tool of their own. */
  const apart = (sentence: number, verb: Verb, action: Action, words: string) => {
    if (verb === "push") {
      if (action !== "block") raise(sentence, push(words))
    } else if (runs) add(sentence, words, [{ kind: "verb", verb, action }])
    else if (action === "block") add(sentence, words, terminal("block"))
    else raise(sentence, terminalOnly(words, verb, action))
  }

  const byVerb = (sentence: number, { action, verbs: given, words }: Statement) => {
    if (action === "choose") {
      const verbs = expanded(given)
      return raise(
        sentence,
        verbs.length > 0 && verbs.every(hasTools)
          ? chooseAction(words, verbs)
          : notUnderstood({ kind: "not_understood", part: "", hint: "it does not say what is to happen" }, words)
      )
    }
    if (given.length === 0 || given.includes("touch")) {
      if (action !== "block") return raise(sentence, everything(words))
      add(sentence, words, [...tools("read", "block"), ...tools("edit", "block"), ...terminal("block")])
    }
    for (const verb of new Set(given)) {
      if (hasTools(verb)) add(sentence, words, tools(verb, action))
      else if (verb !== "touch") apart(sentence, verb, action, words)
    }
  }

  for (const [sentence, statements] of sentences.entries()) {
    if (isNotUnderstood(statements)) {
      raise(sentence, notUnderstood(statements, texts[sentence] ?? ""))
      continue
    }
    for (const statement of statements) {
      if (statement.tools.length > 0) byTool(sentence, statement)
      else if (statement.scopes.length > 0 || statement.outside) byScope(sentence, statement)
      else if (statement.everything) {
        // What is blocked without a rule needs none.
        if (statement.action !== "block") raise(sentence, everything(statement.words))
      } else byVerb(sentence, statement)
    }
  }
  return said
}

/** `only` before verbs without a place: everything else is meant to stay out. */
export const onlyTools = (
  sentences: ReadonlyArray<Sentence>
): { readonly tools: ReadonlySet<string>; readonly words: string } | undefined => {
  const exclusive = sentences.flatMap((sentence) =>
    isNotUnderstood(sentence) ? [] : sentence.filter((one) => one.only && isUnscoped(one) && grants(one))
  )
  if (exclusive.length === 0) return undefined
  return {
    tools: new Set(
      exclusive.flatMap(({ tools: names, verbs }) => [
        ...names,
        ...expanded(verbs).flatMap((verb) => toolsOf[verb] ?? (verb === "push" ? [] : ["terminal"]))
      ])
    ),
    words: exclusive.map(({ words }) => words).join("; ")
  }
}

export const strongest = (actions: ReadonlyArray<Action>): Action | undefined =>
  actions.reduce<Action | undefined>(
    (best, one) => (best === undefined || isStronger(one, best) ? one : best),
    undefined
  )
