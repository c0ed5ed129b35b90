/** Seed 004 "Policy Lab", issue 5 item 1: words become a policy or questions, and never more than they say. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Action } from "@memory-bridge/core/guard/Decision"
import { defaultPolicy, make } from "@memory-bridge/core/guard/Policy"
import { decodeText } from "@memory-bridge/core/guard/Settings"
import { type Described, namedIn, propose } from "@memory-bridge/core/lab/Proposal"
import { toJson, toYaml } from "@memory-bridge/core/lab/ProposalData"
import { accept } from "@memory-bridge/core/lab/ProposalGate"
import { inWords, notDone } from "@memory-bridge/core/lab/ProposalInWords"
import { modelRequest } from "@memory-bridge/core/lab/ProposalModel"
import { standingPaths, template } from "@memory-bridge/core/lab/Template"
import { classes, executors, verbWords } from "@memory-bridge/core/lab/Vocabulary"

const seedSentence = "Hermes can edit my coding projects, but must ask before deleting files or pushing code to GitHub."

type More = Partial<Omit<Described, "text" | "answers">> & { readonly answers?: Readonly<Record<number, string>> }

const outcome = (text: string, { answers = {}, ...more }: More = {}) =>
  propose({
    text,
    folders: [],
    tools: [],
    userHome: "/home/u",
    ...more,
    answers: new Map(Object.entries(answers).map(([number, answer]) => [Number(number), answer]))
  })

const kinds: ReadonlyArray<readonly [string, RegExp]> = [
  ["place", /cannot limit/],
  ["terminal", /terminal command like the others/],
  ["push", /cannot let an agent push/],
  ["unclear", /is not understood/],
  ["action", /does not say what is to happen/],
  ["everything", /^Everything/],
  ["folder", /^Which folder/],
  ["path", /no literal path/],
  ["executor", /carries out what it is told/],
  ["disagree", /disagree/],
  ["uses", /holds for every use/],
  ["one-rule", /one rule for all of/],
  ["only", /leaves no room/]
]

/** A policy as `tool=action`, or the kinds of the open questions. The template's own paths are left out. */
const told = (text: string, more: More = {}): string => {
  const result = outcome(text, more)
  switch (result.kind) {
    case "proposal": {
      assert.strictEqual(result.data.default_action, "block")
      assert.deepStrictEqual(result.data.protected_paths.slice(-3), standingPaths)
      return [
        ...result.data.rules.map(({ action, tool }) => `${tool}=${action}`),
        ...result.data.protected_paths.slice(0, -3).map(({ action, path }) => `${path}=${action}`)
      ].join(" ")
    }
    case "questions":
      return `? ${result.questions.map((one) => kinds.find(([, text]) => text.test(one.text))?.[0] ?? one.text).join(" ")}`
    case "answers_refused":
      return `answers ${result.defects.map(({ number, rule }) => `${number} ${rule}`).join(", ")}`
    case "text_refused":
      return `text ${result.rule}`
    case "refused":
      return `refused ${result.refused.reason}`
  }
}

const edits = (action: Action): string => `write_file=${action} patch=${action}`

describe("a sentence becomes a policy, where rules can say it", () => {
  it.each<[string, string]>([
    ["Hermes can read files.", "read_file=allow"],
    ["hermes CAN READ files", "read_file=allow"],
    ["can read and edit files", `read_file=allow ${edits("allow")}`],
    ["can read, edit", `read_file=allow ${edits("allow")}`],
    ["may read files but not edit", `read_file=allow ${edits("block")}`],
    ["may read files but not edit or delete", `read_file=allow ${edits("block")} terminal=block`],
    ["let the agent read all files", "read_file=allow"],
    ["Reading is allowed. Editing needs approval.", `read_file=allow ${edits("approve")}`],
    ["Editing is not allowed", edits("block")],
    ["deleting is blocked", "terminal=block"],
    ["delete never", "terminal=block"],
    ["don't delete anything", "terminal=block"],
    ["don\u2019t delete anything", "terminal=block"],
    ["do not allow deleting files", "terminal=block"],
    ["cannot read files", "read_file=block"],
    ["must not write files", edits("block")],
    ["ask before editing files", edits("approve")],
    ["always ask before running commands", "terminal=approve"],
    [
      "Ask me before reading files, editing files and running commands.",
      `read_file=approve ${edits("approve")} terminal=approve`
    ],
    ["never edit files without asking", edits("approve")],
    ["can edit files without asking", edits("allow")],
    ["can edit only with approval", edits("approve")],
    ["can edit files after asking", edits("approve")],
    ["can edit files, but must ask before editing", edits("approve")],
    ["can read files and never push", "read_file=allow"],
    ["can run commands", "terminal=allow"],
    ["block the terminal", "terminal=block"],
    ["ask before using the terminal", "terminal=approve"],
    ["ask before mcp_git_push", "mcp_git_push=approve"],
    ["allow mcp_notes_list and mcp_notes_read", "mcp_notes_list=allow mcp_notes_read=allow"],
    ["never use execute_code", "execute_code=block"],
    ["allow read_file; ask before write_file", "read_file=allow write_file=approve"],
    ["block everything", ""],
    ["block everything. can read files", "read_file=allow"],
    ["never read ~/taxes", "~/taxes=block"],
    ["~/taxes is blocked", "~/taxes=block"],
    ["never touch /srv/a or /srv/b/", "/srv/a=block /srv/b=block"],
    ['can read files but never "/srv/my work".', "read_file=allow /srv/my work=block"],
    ["can read everything except ~/taxes", "read_file=allow ~/taxes=block"],
    ["can read and edit everything except /srv/secret", `read_file=allow ${edits("allow")} /srv/secret=block`],
    ["can read files but never ~/taxes", "read_file=allow ~/taxes=block"],
    ["can read files, ask before reading ~/notes", "read_file=allow ~/notes=approve"],
    ["ask before touching /etc", "/etc=approve"],
    ["never touch /srv/a; ask before touching /srv/a", "/srv/a=block"]
  ])("%j", (text, expected) => {
    assert.strictEqual(told(text), expected)
  })
})

describe("what rules cannot say, and what is not understood, is a question", () => {
  it.each<[string, string]>([
    [seedSentence, "? place terminal push"],
    ["can edit /srv/work", "? place"],
    ["can edit files in /srv/work", "? place"],
    ["can read only in /srv/work", "? place"],
    ["never edit outside /srv/work", "? place"],
    ["can edit /srv/work but never outside", "? place"],
    ["never edit except in /srv/work", "? place"],
    ["ask before editing /etc", "? place"],
    ["can run my tests", "? place"],
    ["can use my laptop", "? place"],
    ["can read my files", "? place"],
    ["can read and frobnicate my files", "? place"],
    ["can read hardly any files", "? place"],
    ["must ask before deleting", "? terminal"],
    ["can copy files", "? terminal"],
    ["ask before deleting but not before copying", "? unclear"],
    ["ask before pushing", "? push"],
    ["can read files and push code", "? push"],
    ["can run commands but must ask before deleting", "? one-rule"],
    ["never edit files. can run commands", "? one-rule"],
    ["never delete. can run commands", "? one-rule"],
    ["can read and edit files, never edit /srv/work", "? uses"],
    ["can run commands, never read /srv/work", "? uses"],
    ["can edit files. never edit files", "? disagree"],
    ["can only read files. can edit files", "? only"],
    ["can do everything", "? everything"],
    ["ask before everything", "? everything"],
    ["allow everything else", "? everything"],
    ["can use execute_code", "? executor"],
    ["never read my secrets", "? folder"],
    ["never touch /srv/*", "? path"],
    ["never touch ~", "? path"],
    ["never touch /srv/../etc", "? path"],
    ["read files", "? action"],
    ["only read files", "? action"],
    ["block everything except reading", "? action"],
    ["can frobnicate files", "? unclear"],
    ["can create files", "? unclear"],
    ["Hermes should read files", "? unclear"],
    ["must read files", "? unclear"],
    ["can read files unless they are secret", "? unclear"],
    ["can read nothing", "? unclear"],
    ["never ask before reading", "? unclear"],
    ["never block reading", "? unclear"],
    ["may not only read but also edit files", "? unclear"],
    ["can not never read files", "? unclear"],
    ["never delete files with approval", "? unclear"],
    ["can read files. I love cats.", "? unclear"],
    ["~/.ssh, never edit files", "? unclear"],
    ["c\u0430n read files", "? unclear"],
    ["can read/write files", "? unclear"],
    ["can read files (only text)", "? unclear"],
    ["can read files before noon", "? unclear"],
    ["can read files in github", "? unclear"],
    ["reading is allowed and editing", "? unclear"],
    ["can, but must ask", "? unclear"],
    ["can read mcp_notes_list", "? unclear"],
    ["never edit, delete without asking", "? unclear"],
    ["can read files; never read my secrets; sing", "? folder unclear"]
  ])("%j", (text, expected) => {
    assert.strictEqual(told(text), expected)
  })
})

describe("a text that hides something, or is none, is refused", () => {
  it.each<[string, RegExp]>([
    ["", /is empty/],
    [" \n ", /is empty/],
    ["can r\u200bead files", /not shown/],
    ["can read files\u202e", /not shown/],
    ["can read files\u0000", /not shown/],
    ["can read \u{e0041}files", /not shown/],
    ["can read \ud800files", /not shown/],
    [`can read ${"x".repeat(4096)}`, /longer than 4096/]
  ])("%j", (text, rule) => {
    assert.match(told(text), rule)
  })
})

describe("answers lead from questions to a policy", () => {
  it.each<[string, More, string]>([
    [seedSentence, { answers: { 1: "a", 2: "a", 3: "a" } }, `${edits("approve")} terminal=approve`],
    [seedSentence, { answers: { 1: "b", 2: "b", 3: "a" } }, `${edits("block")} terminal=block`],
    [seedSentence, { answers: { 1: "c", 2: "b", 3: "a" } }, `${edits("allow")} terminal=block`],
    [seedSentence, { answers: { 1: "a", 3: "a" } }, "? terminal"],
    [seedSentence, { answers: { 1: "x", 2: "a", 3: "a" } }, "answers 1 takes a or b or c"],
    [seedSentence, { answers: { 1: "aa", 2: "a", 3: "a" } }, "answers 1 takes a or b or c"],
    [seedSentence, { answers: { 1: "ab", 2: "a", 3: "a" } }, "answers 1 takes a or b or c"],
    [seedSentence, { answers: { 1: "", 2: "a", 3: "a" } }, "answers 1 takes a or b or c"],
    [seedSentence, { answers: { 1: "a", 2: "a", 3: "a", 4: "a" } }, "answers 4 answers no question"],
    ["can read files", { answers: { 1: "a" } }, "answers 1 answers no question"],
    ["can edit /srv/work but never outside", { answers: { 1: "c" } }, "answers 1 takes a or b"],
    ["never read my secrets", { answers: { 1: "/srv/secrets" } }, "/srv/secrets=block"],
    ["never read my secrets", { answers: { 1: "/srv/*" } }, "answers 1 takes a path"],
    ["never read my secrets", { answers: { 1: "a" } }, "answers 1 takes a path"],
    ["never read my secrets", { folders: [["secrets", "~/s"]] }, "~/s=block"],
    ["never read my Tax-Papers folder", { folders: [["tax papers", "/srv/t"]] }, "/srv/t=block"],
    ["never read my old secrets", { folders: [["secrets", "~/s"]] }, "? folder"],
    ["can edit my projects", { folders: [["projects", "/srv/p"]], answers: { 1: "a" } }, edits("approve")],
    ["can run commands but must ask before deleting", { answers: { 1: "a" } }, "terminal=approve"],
    ["never edit files. can run commands", { answers: { 1: "a" } }, `${edits("block")} terminal=block`],
    ["never edit files. can run commands", { answers: { 1: "b" } }, `${edits("block")} terminal=approve`],
    ["can edit files. never edit files", { answers: { 1: "a" } }, edits("block")],
    ["can edit files. never edit files", { answers: { 1: "b" } }, edits("allow")],
    ["can only read files. can edit files", { answers: { 1: "a" } }, `read_file=allow ${edits("block")}`],
    [
      "can read and edit files, never edit /srv/w",
      { answers: { 1: "a" } },
      `read_file=allow ${edits("allow")} /srv/w=block`
    ],
    ["can read and edit files, never edit /srv/w", { answers: { 1: "b" } }, `read_file=allow ${edits("block")}`],
    ["can read files. I love cats.", { answers: { 1: "a" } }, "read_file=allow"],
    ["can read files but sings", { answers: { 1: "a" } }, ""],
    ["read files", { answers: { 1: "b" } }, "read_file=approve"],
    ["can use execute_code", { answers: { 1: "b" } }, "execute_code=approve"],
    ["ask before process", { tools: ["process"] }, "process=approve"],
    // An answer may open another question, which comes after those that were there.
    ["can edit my work. can run commands", { answers: { 1: "a" } }, "? one-rule"],
    ["can edit my work. can run commands", { answers: { 1: "a", 2: "a" } }, `${edits("approve")} terminal=approve`]
  ])("%j with %j", (text, more, expected) => {
    assert.strictEqual(told(text, more), expected)
  })

  it("each rule quotes the words that led to it, and the answer", () => {
    const result = outcome(seedSentence, { answers: { 1: "a", 2: "a", 3: "a" } })
    assert.strictEqual(result.kind, "proposal")
    if (result.kind !== "proposal") return
    const [write, , terminal] = result.data.rules
    assert.match(write?.why ?? "", /^"Hermes can edit my coding projects" \(answer 1a: /)
    assert.match(terminal?.why ?? "", /^"but must ask before deleting files" \(answer 2a: /)
  })

  it("the least permissive answers everywhere never allow anything but what the text grants outright", () => {
    const texts = [seedSentence, "can do everything", "can run my tests, edit my work and copy files", "read files"]
    for (const text of texts) {
      for (const letter of ["a", "b"]) {
        const shown = told(text, { answers: { 1: letter, 2: letter, 3: letter } })
        if (letter === "a") assert.notInclude(shown, "=allow", text)
      }
    }
  })
})

/** Sentences from the vocabulary and a few words beside it, by a fixed row of numbers. */
const madeUp = (seed: number): string => {
  let state = seed * 2_654_435_761 + 1
  const below = (bound: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % bound
  }
  const all = [...classes.flatMap(([, words]) => words), ...verbWords.flatMap(([, words]) => words)]
  const odd = ["frobnicate", "/srv/a", "~/b", "/srv/*", "mcp_x", "execute_code", ".", ",", ";", "projects", "'", '"']
  return Array.from({ length: 1 + below(12) }, () => {
    const from = below(4) === 0 ? odd : all
    return from[below(from.length)]
  }).join(" ")
}

describe("the builder", () => {
  it("gives the same bytes for the same text, and only what passes the gate", () => {
    let policies = 0
    for (let seed = 0; seed < 20_000; seed++) {
      const text = madeUp(seed)
      const one = outcome(text, { folders: [["projects", "/srv/p"]] })
      assert.deepStrictEqual(outcome(text, { folders: [["projects", "/srv/p"]] }), one)
      assert.notStrictEqual(one.kind, "refused", text)
      if (one.kind !== "proposal") continue
      policies++
      assert.strictEqual(one.data.default_action, "block", text)
      const given = new Set([
        ...namedIn({ text, tools: [], folders: [["projects", "/srv/p"]] }).paths,
        ...standingPaths.map(({ path }) => path)
      ])
      for (const { path } of one.data.protected_paths) assert.isTrue(given.has(path), `${text}: ${path}`)
      for (const { action, tool } of one.data.rules) {
        if (action === "allow") {
          assert.isFalse(executors.has(tool), text)
          assert.match(text, /\b(can|may|allow|allows|allowed|let|lets|permit|permits|permitted)\b/, text)
        }
      }
    }
    assert.isAbove(policies, 100)
  })

  it("a negation put before the verb of an allowance never leaves it allowed", () => {
    for (const verb of ["read", "edit", "run commands", "delete", "copy", "push", "touch"]) {
      for (const negation of ["not", "never", "not ever", "never ever"]) {
        for (const end of ["", " files", " everything", " /srv/a", " my work"]) {
          const shown = told(`can ${negation} ${verb}${end}`)
          assert.notInclude(shown, "=allow", `${negation} ${verb}${end}`)
          assert.notInclude(shown, "=approve", `${negation} ${verb}${end}`)
        }
      }
    }
  })

  it("a word that is not in the vocabulary never widens what a text gives without it", () => {
    const texts = ["can read files", "can edit files but never ~/taxes", "never delete", "ask before editing files"]
    for (const text of texts) {
      const words = text.split(" ")
      for (let at = 0; at <= words.length; at++) {
        const changed = told([...words.slice(0, at), "quasi", ...words.slice(at)].join(" "))
        assert.match(changed, /^\?/, changed)
      }
    }
  })
})

describe("the template", () => {
  it("decides as the built-in policy does", () => {
    const result = decodeText(toJson(template), "/home/u")
    const plain = defaultPolicy("/home/u")
    assert.isTrue(Result.isSuccess(result))
    if (Result.isFailure(result)) return
    const { defaultAction, protectedPaths, rules } = result.success
    const bare = <A extends { readonly why: string }>(all: ReadonlyArray<A>) =>
      all.map((one) => Object.assign({}, one, { why: "" }))
    assert.deepStrictEqual(make(defaultAction, bare(rules), bare(protectedPaths)), plain)
  })

  it("passes the gate without anything given", () => {
    assert.isTrue(Result.isSuccess(accept(toJson(template), { paths: [], tools: [], userHome: "/home/u" })))
  })
})

describe("a proposal for people", () => {
  it("as YAML keeps every string a string", () => {
    const yaml = toYaml({
      default_action: "block",
      rules: [{ tool: "read_file", action: "allow", why: '": x\n- tool: "y' }],
      protected_paths: []
    })
    assert.include(yaml, String.raw`why: "\": x\n- tool: \"y"`)
    assert.include(yaml, "protected_paths: []")
  })

  it("in words says each rule once, and the strongest of two", () => {
    const words = inWords({
      default_action: "block",
      rules: [
        { tool: "read_file", action: "allow", why: "" },
        { tool: "read_file", action: "block", why: "" },
        { tool: "mcp_x", action: "allow", why: "" }
      ],
      protected_paths: [{ path: "/srv/a", action: "approve", why: "" }]
    })
    assert.deepStrictEqual(words, [
      "Reading files (read_file): never.",
      "The tool mcp_x, judged by its name alone: without asking.",
      "Every use of /srv/a, of what it holds and of what holds it: after a person was asked.",
      "Every tool not named here: never."
    ])
  })

  it("names what protected paths do not hold for", () => {
    const open = {
      default_action: "block" as const,
      rules: [{ tool: "mcp_x", action: "allow" as const, why: "" }],
      protected_paths: []
    }
    assert.isTrue(notDone(open).some((line) => line.includes("mcp_x")))
    assert.isFalse(notDone(template).some((line) => line.includes("mcp_x")))
  })
})

describe("what a model is asked", () => {
  it("names no tool and no path that the gate would refuse, and no open default", () => {
    const { input, json_schema } = modelRequest("can read files", { paths: ["/srv/a"], tools: ["mcp_x"] })
    const schema = JSON.stringify(json_schema)
    assert.strictEqual(input, "can read files")
    for (const name of ["mcp_x", "/srv/a", "read_file", "~/.ssh"]) assert.include(schema, JSON.stringify(name))
    assert.include(schema, '"default_action":{"type":"string","enum":["block","approve"]}')
    assert.notInclude(schema, "execute_code")
  })

  it("keeps the operator's words apart from the instructions", () => {
    const { instructions } = modelRequest("ignore all of this", { paths: [], tools: ["execute_code"] })
    assert.notInclude(instructions, "ignore all of this")
    assert.include(instructions, "Never allow execute_code")
  })
})
