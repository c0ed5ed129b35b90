/**
 * From one sentence to what it says, or to the place where it stops being understood.
 *
 * A sentence is a row of clauses. In each, a head (`can`, `must ask before`, `never`) is followed by verbs, and verbs by
 * what they are about. A clause may also end with its head (`deleting is blocked`). Whatever fits into neither makes
 * the whole sentence not understood: half a sentence can mean the opposite.
 */
import type { Action } from "../../guard/Decision.ts"
import { classOf, type Verb, verbOf, type WordClass } from "../Vocabulary.ts"
import type { Token } from "./Tokens.ts"

/** A place: a path, or words that the operator may give a path for. */
export type Scope =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "phrase"; readonly phrase: string }

export interface Statement {
  /** `choose`: the words name verbs and do not say what is to happen to them. */
  readonly action: Action | "choose"
  /** None: the scopes, tools or everything are meant as such. */
  readonly verbs: ReadonlyArray<Verb>
  readonly scopes: ReadonlyArray<Scope>
  readonly tools: ReadonlyArray<string>
  /** The scopes are where this does not hold. */
  readonly outside: boolean
  readonly only: boolean
  readonly everything: boolean
  /** The words that say so. */
  readonly words: string
}

export interface NotUnderstood {
  readonly kind: "not_understood"
  /** The words where it stops. */
  readonly part: string
  readonly hint: string
}

interface Group {
  readonly verbs: Array<Verb>
  readonly scopes: Array<Scope>
  readonly tools: Array<string>
  outside: boolean
  generic: boolean
  everything: boolean
  only: boolean
  at: number
  end: number
}

interface Clause {
  readonly intro: "none" | "except"
  readonly head: Array<WordClass>
  /** The head stood behind its verbs. */
  postfix: boolean
  suffix: "with" | "without" | undefined
  commas: number
  at: number
  readonly groups: Array<Group>
}

class Stop {
  readonly token: Token | undefined
  readonly hint: string
  constructor(token: Token | undefined, hint: string) {
    this.token = token
    this.hint = hint
  }
}

const hints = {
  unknown: "this word is not in the vocabulary",
  logic: "words like this can turn the meaning round",
  written: "this is no word, no whole path and no tool name",
  order: "the words do not stand where they are understood",
  double: "two negations, or a negation of asking",
  empty: "it does not say what for",
  modal: "`must` needs `ask before` or `never` behind it",
  forge: "this is understood after `push` only",
  terminal: "this is understood after `run` or `use` only",
  tool: "a tool name stands alone, or after `run` or `use`"
} as const

const newGroup = (at: number): Group => ({
  verbs: [],
  scopes: [],
  tools: [],
  outside: false,
  generic: false,
  everything: false,
  only: false,
  at,
  end: at
})

const newClause = (intro: Clause["intro"], at: number): Clause => ({
  intro,
  head: [],
  postfix: false,
  suffix: undefined,
  commas: 0,
  at,
  groups: []
})

const hasObject = (group: Group): boolean =>
  group.scopes.length + group.tools.length > 0 || group.generic || group.everything

const hasContent = (clause: Clause): boolean =>
  clause.groups.some((group) => group.verbs.length > 0 || hasObject(group))

type HeadDefect = "double" | "modal" | "order"

/** What a head comes to: negation is counted, asking is stronger than allowing. */
const headAction = ({ head, postfix, suffix }: Clause): Action | HeadDefect | undefined => {
  const count = (of: WordClass): number => head.filter((one) => one === of).length
  const [never, forbid, ask, allow] = [count("never"), count("forbid"), count("ask"), count("allow")]
  if (never + forbid > 1 || (never + forbid > 0 && ask > 0)) return "double"
  if (forbid > 0 && allow > 0 && !postfix) return "double"
  const plain: Action | undefined = never + forbid > 0 ? "block" : ask > 0 ? "approve" : allow > 0 ? "allow" : undefined
  if (plain === undefined) return head.length > 0 ? "modal" : suffix === undefined ? undefined : "order"
  if (suffix === undefined) return plain
  if (suffix === "with") return plain === "block" ? "order" : "approve"
  return plain === "block" ? "approve" : plain === "allow" ? "allow" : "double"
}

/** Reads the tokens of one sentence. */
class Reader {
  private readonly text: string
  private readonly tokens: ReadonlyArray<Token>
  private at = 0
  private readonly clauses: Array<Clause>

  constructor(text: string, tokens: ReadonlyArray<Token>) {
    this.text = text
    this.tokens = tokens
    this.clauses = [newClause("none", tokens[0]?.at ?? 0)]
  }

  private get clause(): Clause {
    return this.clauses.at(-1) as Clause
  }

  private classAt(index: number): WordClass | undefined {
    const token = this.tokens[index]
    return token?.kind === "word" ? classOf.get(token.word) : undefined
  }

  private verbAt(index: number): Verb | undefined {
    const token = this.tokens[index]
    return token?.kind === "word" ? verbOf.get(token.word) : undefined
  }

  private nextMeaningful(): number {
    let index = this.at
    while (this.classAt(index) === "filler") index++
    return index
  }

  /** The group that words are added to; a verb after an object opens another. */
  private group(token: Token, forVerb: boolean): Group {
    const last = this.clause.groups.at(-1)
    if (last !== undefined && !(forVerb && hasObject(last))) {
      last.end = token.end
      return last
    }
    const made = newGroup(token.at)
    made.end = token.end
    this.clause.groups.push(made)
    return made
  }

  private action(token: Token, of: WordClass): void {
    const { clause } = this
    const content = hasContent(clause)
    if (clause.suffix !== undefined || clause.postfix || (content && clause.head.length > 0)) {
      if (clause.postfix) {
        const last = this.classAt(this.at - 1)
        if (last !== "filler" && last !== "never" && last !== "modal" && last !== "allow") {
          throw new Stop(token, hints.order)
        }
        clause.head.push(of)
        return
      }
      this.clauses.push(newClause("none", token.at))
    } else if (content) {
      if (clause.intro === "except") throw new Stop(token, hints.order)
      clause.postfix = true
    }
    this.clause.head.push(of)
  }

  private suffix(token: Token, of: "with" | "without"): void {
    const { clause } = this
    this.at++
    const index = this.nextMeaningful()
    const consent = this.classAt(index)
    const word = this.tokens[index]
    const means = consent === "consent" || (word?.kind === "word" && /^(approval|confirmation)$/.test(word.word))
    if (!means || clause.suffix !== undefined || clause.intro === "except" || !hasContent(clause)) {
      throw new Stop(token, hints.order)
    }
    const severalVerbs = clause.groups.reduce((sum, group) => sum + group.verbs.length, 0) > 1
    if (of === "without" && clause.commas > 0 && severalVerbs) throw new Stop(token, hints.order)
    clause.suffix = of
    this.at = index + 1
  }

  private phrase(token: Token): void {
    const { clause } = this
    const group = clause.groups.at(-1)
    const expected = group !== undefined || this.classAt(this.at) === "possessive" || this.afterPlaceWord()
    if (!expected || clause.suffix !== undefined || clause.postfix) throw new Stop(token, hints.unknown)
    if (clause.head.length === 0 && clause.intro === "none" && group === undefined) {
      throw new Stop(token, hints.unknown)
    }
    const names: Array<string> = []
    let last: Token = token
    for (let first = true; ; first = false) {
      const next = this.tokens[this.at]
      if (next?.kind !== "word") break
      const of = classOf.get(next.word)
      const isName = of === undefined && !verbOf.has(next.word)
      const isPossessive = of === "possessive" && first
      const isNoun = (of === "generic" || of === "folder") && (names.length > 0 || !first)
      if (!isName && !isPossessive && !isNoun) break
      if (!isPossessive && !(of === "folder" && names.length > 0)) names.push(next.word)
      last = next
      this.at++
    }
    if (names.length === 0) throw new Stop(token, hints.empty)
    const into = this.group(last, false)
    into.scopes.push({ kind: "phrase", phrase: names.join(" ") })
  }

  private afterPlaceWord(): boolean {
    let index = this.at - 1
    while (this.classAt(index) === "filler") index--
    const of = this.classAt(index)
    return of === "inside" || of === "outside"
  }

  private place(token: Token, of: "inside" | "outside"): void {
    const group = this.group(token, false)
    if (of === "outside") {
      if (group.scopes.length > 0) throw new Stop(token, hints.order)
      group.outside = true
    }
    this.at++
  }

  private word(token: Token & { readonly kind: "word" }): void {
    const { clause } = this
    const verb = verbOf.get(token.word)
    if (verb !== undefined) {
      if (clause.postfix || clause.suffix !== undefined) throw new Stop(token, hints.order)
      this.group(token, true).verbs.push(verb)
      this.at++
      return
    }
    const of = classOf.get(token.word)
    const last = clause.groups.at(-1)
    switch (of) {
      case "filler":
        this.at++
        return
      case "allow":
      case "ask":
      case "never":
      case "forbid":
      case "modal":
        this.action(token, of)
        this.at++
        return
      case "before":
        if (!clause.head.includes("ask") || hasContent(clause)) throw new Stop(token, hints.order)
        this.at++
        return
      case "for": {
        const fits = clause.head.includes("ask") || (clause.intro === "except" && clause.head.length === 0)
        if (!fits || hasContent(clause)) throw new Stop(token, hints.order)
        this.at++
        return
      }
      case "with":
      case "without":
        this.suffix(token, of)
        return
      case "only":
        return this.only(token)
      case "but":
        if (!hasContent(clause)) throw new Stop(token, hints.empty)
        this.clauses.push(newClause("none", token.at))
        this.at++
        return
      case "except":
        if (!hasContent(clause) || clause.intro === "except") throw new Stop(token, hints.order)
        this.clauses.push(newClause("except", token.at))
        this.at++
        return
      case "join":
        this.at++
        return
      case "inside":
      case "outside":
        return this.place(token, of)
      case "everything":
        this.group(token, false).everything = true
        this.at++
        return
      case "else":
        if (last?.everything !== true) throw new Stop(token, hints.order)
        this.at++
        return
      case "generic":
      case "folder":
        this.group(token, false).generic = true
        this.at++
        return
      case "terminal":
        return this.terminal(token)
      case "forge":
        if (last === undefined || !last.verbs.includes("push")) throw new Stop(token, hints.forge)
        this.group(token, false).generic = true
        this.at++
        return
      case "use":
        if (hasContent(clause)) throw new Stop(token, hints.order)
        this.at++
        return
      case "logic":
      case "consent":
        throw new Stop(token, of === "logic" ? hints.logic : hints.order)
      case "possessive":
      case undefined:
        return this.phrase(token)
    }
  }

  /** `only` before verbs, before a place, and before `with` or `after`; nowhere else is its reach clear. */
  private only(token: Token): void {
    if (this.clause.head.includes("never")) throw new Stop(token, hints.double)
    this.at++
    const index = this.nextMeaningful()
    const of = this.classAt(index)
    if (of === "with") return
    if (of !== "inside" && this.verbAt(index) === undefined) throw new Stop(token, hints.order)
    if (of === "inside" && this.clause.groups.length === 0) throw new Stop(token, hints.order)
    const group = this.group(token, of !== "inside")
    group.only = true
  }

  private terminal(token: Token): void {
    const last = this.clause.groups.at(-1)
    if (last === undefined || hasObject(last)) {
      if (last !== undefined && !last.verbs.includes("run")) throw new Stop(token, hints.terminal)
      this.group(token, false).verbs.push("run")
    } else if (!last.verbs.every((verb) => verb === "run")) throw new Stop(token, hints.terminal)
    this.group(token, false).generic = true
    this.at++
  }

  private step(token: Token): void {
    switch (token.kind) {
      case "word":
        return this.word(token)
      case "comma":
        this.clause.commas++
        this.at++
        return
      case "path":
      case "tool": {
        if (this.clause.postfix || this.clause.suffix !== undefined) throw new Stop(token, hints.order)
        const group = this.group(token, false)
        if (token.kind === "tool") group.tools.push(token.tool)
        else group.scopes.push({ kind: "path", path: token.path })
        this.at++
        return
      }
      case "odd":
      case "stop":
        throw new Stop(token, hints.written)
    }
  }

  private quoted(from: number, to: number): string {
    return this.text
      .slice(from, to)
      .replaceAll(/\s+/g, " ")
      .replace(/(?:[\s,]|\b(?:and|or)\s*)+$/, "")
  }

  /** The verbs and the action that an `except` or a scope without verbs leans on. */
  private statementsOf(clause: Clause, before: ReadonlyArray<Statement>, end: number): ReadonlyArray<Statement> {
    if (clause.groups.length === 0) {
      throw new Stop(
        this.tokens.find((token) => token.at >= clause.at),
        clause.head.length > 0 ? hints.empty : hints.unknown
      )
    }
    const previous = before.at(-1)
    const action = this.actionOf(clause, previous)
    return clause.groups.map((group, index): Statement => {
      if (group.verbs.length === 0 && !hasObject(group) && !group.outside) throw new Stop(this.tokens[0], hints.empty)
      if (group.tools.length > 0) {
        const fits = group.verbs.every((verb) => verb === "run" || verb === "touch")
        if (!fits || group.scopes.length > 0 || group.generic || group.everything) {
          throw new Stop(this.tokens[0], hints.tool)
        }
      }
      const follows = clause.intro === "except" || previous?.action === "allow"
      const leans = group.verbs.length === 0 && group.scopes.length > 0 && index === 0 && follows
      const bare = group.outside && group.scopes.length === 0
      if (bare && (previous === undefined || previous.scopes.length === 0)) throw new Stop(this.tokens[0], hints.empty)
      const excludes = clause.intro === "except" && previous?.action === "block" && group.scopes.length > 0
      return {
        action: excludes ? "block" : action,
        verbs: leans || bare ? (previous?.verbs ?? []) : group.verbs,
        scopes: bare ? (previous?.scopes ?? []) : group.scopes,
        tools: group.tools,
        outside: group.outside || excludes,
        only: group.only,
        everything: group.everything && group.scopes.length + group.verbs.length === 0,
        words: this.quoted(index === 0 ? clause.at : group.at, clause.groups[index + 1]?.at ?? end)
      }
    })
  }

  private actionOf(clause: Clause, previous: Statement | undefined): Statement["action"] {
    if (clause.intro === "except") {
      if (clause.head.length > 0) throw new Stop(this.tokens[0], hints.order)
      return previous?.action === "allow" ? "block" : "choose"
    }
    const action = headAction(clause)
    switch (action) {
      case "double":
      case "modal":
      case "order":
        throw new Stop(
          this.tokens.find((token) => token.at >= clause.at),
          hints[action]
        )
      case undefined:
        return "choose"
      default:
        return action
    }
  }

  read(): ReadonlyArray<Statement> | NotUnderstood {
    try {
      for (let token = this.tokens[this.at]; token !== undefined; token = this.tokens[this.at]) this.step(token)
      const statements: Array<Statement> = []
      for (const [index, clause] of this.clauses.entries()) {
        const end = this.clauses[index + 1]?.at ?? this.tokens.at(-1)?.end ?? 0
        statements.push(...this.statementsOf(clause, statements, end))
      }
      return statements
    } catch (error) {
      if (!(error instanceof Stop)) throw error
      const { hint, token } = error
      return {
        kind: "not_understood",
        part: token === undefined ? "" : this.quoted(token.at, token.end),
        hint
      }
    }
  }
}

export const readSentence = (text: string, tokens: ReadonlyArray<Token>): ReadonlyArray<Statement> | NotUnderstood =>
  new Reader(text, tokens).read()
