/**
 * The words that the offline builder understands. (seed 004 "Policy Lab"; docs/policy-vocabulary.md says the same to
 * people)
 *
 * A closed list on purpose: a word that is not in it is never guessed at. It becomes part of a folder's name, where a
 * name can stand, or the reason for a question.
 */
import type { Action } from "../guard/Decision.ts"

/**
 * What an agent may do, as far as the words tell it apart. The guard tells less apart: `read` is one tool, `edit` two,
 * `run` is the terminal, and `delete` and `copy` are terminal commands like any other. `push` is no command that the
 * terminal takes, and `touch` stands for every use of a path.
 */
export type Verb = "read" | "edit" | "delete" | "copy" | "run" | "push" | "touch"

/** Verbs that have tools of their own. */
export const toolsOf: Readonly<Partial<Record<Verb, ReadonlyArray<string>>>> = {
  read: ["read_file"],
  edit: ["write_file", "patch"],
  run: ["terminal"]
}

/**
 * Host tools that carry out whatever they are told, or hand it on. No proposal may allow them: the guard sees their
 * name and nothing of what they do.
 */
export const executors: ReadonlySet<string> = new Set(["execute_code", "delegate_task", "process", "cronjob"])

export const spokenVerb: Readonly<Record<Verb, string>> = {
  read: "reading",
  edit: "editing",
  delete: "deleting",
  copy: "copying or moving",
  run: "terminal commands",
  push: "pushing",
  touch: "every use"
}

/**
 * - `allow`, `ask`, `never`, `forbid`: what is to happen; `never` turns what follows round, `forbid` is a block itself
 * - `modal`: says only that something is to happen, not what
 * - `consent`: what `with`, `after` and `without` may be followed by
 * - `generic`: an object that names no place; `folder` one that may end the name of a place
 * - `logic`: turns or bends the meaning in ways that the builder does not follow
 */
export type WordClass =
  | "allow"
  | "ask"
  | "never"
  | "forbid"
  | "modal"
  | "consent"
  | "before"
  | "with"
  | "without"
  | "only"
  | "but"
  | "except"
  | "join"
  | "inside"
  | "outside"
  | "possessive"
  | "everything"
  | "else"
  | "generic"
  | "folder"
  | "terminal"
  | "forge"
  | "use"
  | "for"
  | "filler"
  | "logic"

const words = (text: string): ReadonlyArray<string> => text.split(" ")

export const classes: ReadonlyArray<readonly [WordClass, ReadonlyArray<string>]> = [
  ["allow", words("can may allow allows allowed let lets permit permits permitted")],
  ["ask", words("ask asks confirm confirms approve approval")],
  ["never", words("never not cannot can't don't mustn't no")],
  ["forbid", words("block blocks blocked deny denied forbid forbidden")],
  ["modal", words("must need needs has have require requires")],
  ["consent", words("asking confirmation permission")],
  ["before", words("before")],
  ["with", words("with after")],
  ["without", words("without")],
  ["only", words("only")],
  ["but", words("but")],
  ["except", words("except")],
  ["join", words("and or")],
  ["inside", words("in inside within under below from on")],
  ["outside", words("outside")],
  ["possessive", words("my our your")],
  ["everything", words("everything anything")],
  ["else", words("else")],
  ["generic", words("file files code")],
  ["folder", words("folder folders directory directories")],
  ["terminal", words("command commands terminal shell")],
  ["forge", words("github gitlab git commits")],
  ["use", words("use uses using")],
  ["for", words("for")],
  [
    "filler",
    words("hermes agent assistant it you the a an to is are be do does please also always ever me first all any every")
  ],
  [
    "logic",
    words(
      "unless if when whenever while until once sometimes usually mostly maybe perhaps should would could " +
        "might nothing none nobody neither nor either some most few other others than instead rather though although " +
        "however otherwise still already too"
    )
  ]
]

const verbs: ReadonlyArray<readonly [Verb, ReadonlyArray<string>]> = [
  ["read", words("read reads reading")],
  ["edit", words("edit edits editing write writes writing change changes changing modify modifies modifying")],
  ["delete", words("delete deletes deleting remove removes removing")],
  ["copy", words("copy copies copying move moves moving rename renames renaming")],
  ["run", words("run runs running execute executes executing")],
  ["push", words("push pushes pushing")],
  ["touch", words("touch touches touching access accesses accessing")]
]

const byWord = <A>(table: ReadonlyArray<readonly [A, ReadonlyArray<string>]>): ReadonlyMap<string, A> =>
  new Map(table.flatMap(([meaning, of]) => of.map((word) => [word, meaning] as const)))

export const classOf: ReadonlyMap<string, WordClass> = byWord(classes)
export const verbOf: ReadonlyMap<string, Verb> = byWord(verbs)

/** For documentation and its test. */
export const verbWords: ReadonlyArray<readonly [Verb, ReadonlyArray<string>]> = verbs

export const spokenAction: Readonly<Record<Action, string>> = { allow: "allow", approve: "ask before", block: "block" }
