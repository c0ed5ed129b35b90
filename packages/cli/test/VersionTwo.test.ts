/** What the operator is told of a policy of version 2: settings, names, cures and the root that refused. (issue 8) */
import { assert, describe, it } from "@effect/vitest"
import { ScanCeilings } from "@memory-bridge/core/budget/ScanBudget"
import { RootRefused, ScanRefused } from "@memory-bridge/core/notes/Notes"
import { decode } from "@memory-bridge/core/policy/Policy"
import { rootsOf } from "@memory-bridge/core/policy/Roots"
import { Tree } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { survey } from "memory-bridge/operator/doctor/Survey"
import { notComposed, spelledOut, twinsIn } from "memory-bridge/operator/doctor/Spelling"
import { explain, explanationText } from "memory-bridge/operator/Explanation"
import { leadsTo, refusedRoot } from "memory-bridge/operator/Locate"
import { noticesOf, placeOfExample } from "memory-bridge/operator/Notices"
import { groupNames, policySettings } from "memory-bridge/operator/PolicySettings"
import { cureBelow } from "memory-bridge/operator/RootCure"
import { plain } from "memory-bridge/screen/Paint"
import { resultsText } from "memory-bridge/screen/Results"
import type { SearchAnswer } from "@memory-bridge/core/notes/Notes"
import { dir, type Drawing, file, link } from "../../../tests/contract/Drawing.ts"
import { memoryTree } from "../../../tests/contract/MemoryTree.ts"

const policyOf = (keys: object) => Result.getOrThrow(decode(JSON.stringify({ version: 2, ...keys })))
const rootOf = (keys: object = {}) => rootsOf(policyOf({ root: "/v", allow: ["**"], ...keys }))[0]!
const team = { root: "/t", allow: ["**"], names: "unicode", trust: { groups: [7, 1], hard_links: true } }
const own = { root: "/o", allow: ["**"] }
const several = policyOf({ roots: { team, own }, ranking: "path" })

describe("the settings that are not the default", () => {
  const lines = (policy: ReturnType<typeof policyOf>, names = new Map<number, string>()) =>
    policySettings(policy, names).map(({ key, kind, text }) => `${kind} ${key}: ${text}`)

  it("have a line each, with each group's name and id", () => {
    assert.deepStrictEqual(lines(several, new Map([[7, "writers"]])), [
      "root roots.own: /o, its ids begin with own:",
      "root roots.team: /t, its ids begin with team:",
      "ranking ranking: path, results come as in version 1",
      "served_names roots.team.names: unicode, names of every script, with spaces and emoji, are served",
      "groups roots.team.trust.groups: members may write what is served: 1, writers (7)",
      "hard_links roots.team.trust.hard_links: on, a note may have several names and is served under each that is permitted"
    ])
  })

  it("have none where all is the default, in either version", () => {
    for (const version of [1, 2]) {
      const text = JSON.stringify({ version, root: "/v", allow: [] })
      assert.deepStrictEqual(lines(Result.getOrThrow(decode(text))), [])
    }
    assert.deepStrictEqual(
      lines(policyOf({ root: "/v", allow: [], names: "portable", trust: { groups: [], hard_links: false } })),
      []
    )
  })

  const namesOver = (etc: Drawing[string]) =>
    Effect.flatMap(Tree, (tree) => groupNames(tree, several)).pipe(Effect.provide(memoryTree({ etc }).layer))

  it.effect("take the names of groups from a group file, the first of several", () =>
    Effect.gen(function* () {
      const text = "root:x:0:\nwriters:x:7:ana\nothers:x:7:\nodd:x:1x:\n"
      const found = yield* namesOver(dir({ group: file(text, { owner: 0 }) }, { owner: 0 }))
      assert.deepStrictEqual(Array.from(found), [
        [7, "writers"],
        [0, "root"]
      ])
    })
  )

  it.effect.each([
    ["is not there", dir({}, { owner: 0 })],
    ["lies behind a link", link("/private/etc")],
    ["is a directory", dir({ group: dir({}, { owner: 0 }) }, { owner: 0 })],
    ["is not text", dir({ group: file(new Uint8Array([255]), { owner: 0 }) }, { owner: 0 })]
  ] as const)("and no names where the group file %s", ([, etc]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* namesOver(etc)).size, 0)
    })
  )

  it.effect("do not look at the group file for a policy without groups", () =>
    Effect.gen(function* () {
      const tree = memoryTree({ etc: { group: "root:x:0:\n" } })
      yield* Effect.flatMap(Tree, (system) => groupNames(system, policyOf(own))).pipe(Effect.provide(tree.layer))
      assert.deepStrictEqual(tree.log, [])
    })
  )
})

describe("names that could be taken for another", () => {
  it("are counted once each, directories too", () => {
    const ids = ["t:cafe\u0301/a.md", "t:cafe\u0301/e\u0301.md", "t:caf\u00e9/a.md", "t:b.md"]
    assert.deepStrictEqual(notComposed(ids), { count: 2, examples: ["t:cafe\u0301/"] })
  })

  it("have twins in one directory alone, by case or form", () => {
    assert.deepStrictEqual(twinsIn(["o:a.md", "t:a.md", "t:d/a.md", "t:d/b.md"]), { count: 0, examples: [] })
    assert.deepStrictEqual(twinsIn(["t:d/A.md", "t:d/a.md", "t:e/\u00e9.md", "t:e/e\u0301.md"]), {
      count: 4,
      examples: ["t:d/A.md", "t:d/a.md"]
    })
    assert.deepStrictEqual(twinsIn(["t:D/a.md", "t:d/a.md"]).examples, ["t:D/", "t:d/"])
  })

  it("are spelled so that a reader sees which is which", () => {
    assert.strictEqual(spelledOut("caf\u00e9.md"), "caf\u00e9.md")
    assert.strictEqual(spelledOut("cafe\u0301.md"), "caf\\u{65}\\u{301}.md")
    assert.strictEqual(spelledOut("\u1100\u1161.md"), "\\u{1100}\\u{1161}.md")
  })
})

describe("a cure below a root", () => {
  const note = { part: "note", path: "/v/d/a b.md" } as const

  it("of a linked note names the key and what follows from it", () => {
    const { cure } = cureBelow(rootOf(), "hard_link", note)
    assert.include(cure, "cp -p '/v/d/a b.md'")
    assert.include(cure, "# or, in a policy of version 2, trust.hard_links: true")
    assert.include(cure, "a deny of one does not reach the others")
  })

  it("of a linked note among group writers names the group", () => {
    const { cure, meaning } = cureBelow(rootOf({ trust: { groups: [9, 7], hard_links: true } }), "hard_link", note)
    assert.include(meaning, "accepted group that may read it")
    assert.include(cure, "if the whole group may read it: chgrp 7 '/v/d/a b.md' && chmod g+r '/v/d/a b.md'")
  })

  it("of a stranger's note is chgrp, taking over and setgid where groups are accepted, and taking over elsewhere", () => {
    const { cure } = cureBelow(rootOf({ trust: { groups: [7] } }), "foreign_owner", note)
    for (const part of ["chgrp 7 '/v/d/a b.md'", "take it over: sudo chown", "chmod g+s"]) assert.include(cure, part)
    assert.notInclude(cureBelow(rootOf(), "foreign_owner", note).cure, "chgrp")
  })

  it("of an odd name tells of unicode where that would serve it, and what unicode refuses", () => {
    assert.include(cureBelow(rootOf(), "odd_name", note).cure, '"unicode" (policy version 2)')
    assert.strictEqual(cureBelow(rootOf(), "odd_name", { ...note, path: "/v/.a b.md" }).cure, "rename it")
    const unicode = cureBelow(rootOf({ names: "unicode" }), "odd_name", note)
    assert.strictEqual(unicode.cure, "rename it")
    assert.include(unicode.meaning, "cannot be seen")
  })

  it("leaves a directory of the system alone", () => {
    const { cure } = cureBelow(rootOf({ trust: { groups: [7] } }), "foreign_owner", { part: "directory", path: "/srv" })
    assert.include(cure, "leave /srv as it is")
  })

  it("is the plain one for every other rule", () => {
    assert.strictEqual(
      cureBelow(rootOf({ trust: { groups: [7] } }), "group_writable", note).cure,
      "chmod go-w '/v/d/a b.md'"
    )
  })
})

describe("the root that refused", () => {
  const over = (drawing: Drawing) => memoryTree(drawing)
  const asked = (tree: ReturnType<typeof over>, refusal: RootRefused | ScanRefused, rawEntries = 50_000) =>
    refusedRoot(several, refusal).pipe(
      Effect.map(({ root }) => root),
      Effect.provide(tree.layer),
      Effect.provideService(ScanCeilings, { rawEntries, bytes: 1_000 })
    )

  it.effect("is found by its component, or by where a search stops", () =>
    Effect.gen(function* () {
      const both = { o: { "a.md": "x" }, t: { "a.md": "x", "b.md": "x" } }
      const broken = { ...both, t: dir({}, { fails: { list: "io" } }) }
      assert.strictEqual(yield* asked(over(both), new RootRefused({ component: "/t", rule: "world_writable" })), "/t")
      assert.strictEqual(yield* asked(over(both), new RootRefused({ component: "/", rule: "world_writable" })), "/o")
      assert.strictEqual(yield* asked(over(broken), new ScanRefused({ reason: "root_unlistable" })), "/t")
      assert.strictEqual(yield* asked(over(both), new ScanRefused({ reason: "raw_entries" }), 2), "/t")
      assert.strictEqual(yield* asked(over(both), new ScanRefused({ reason: "raw_entries" }), 0), "/o")
    })
  )

  it("is named with its path", () => {
    const [, root] = rootsOf(several)
    const text = explanationText(explain(new ScanRefused({ reason: "root_unlistable" }), { policyPath: "/p", root }))
    assert.match(text, /^ {2}root +team, \/t$/m)
    const refused = new RootRefused({ component: "/", rule: "world_writable" })
    assert.match(explanationText(explain(refused, { policyPath: "/p", root })), /^ {2}root +team, \/t$/m)
    assert.notMatch(explanationText(explain(refused, { policyPath: "/p", root: rootOf() })), /^ {2}root /m)
  })

  it("is no other whose path begins alike", () => {
    assert.isTrue(leadsTo("/", rootOf()) && leadsTo("/v", rootOf()))
    assert.isFalse(
      leadsTo("/v", rootOf({ root: "/vv" })) ||
        leadsTo("/v/d", rootOf()) ||
        leadsTo("/vv", rootOf()) ||
        leadsTo("/o", rootOf())
    )
  })
})

describe("the survey of several roots", () => {
  const surveyed = (drawing: Drawing) => survey(several).pipe(Effect.provide(memoryTree(drawing).layer))

  it.effect("goes on past a root that is refused, and tells of notices with a cure", () =>
    Effect.gen(function* () {
      const found = yield* surveyed({
        o: dir({ "a.md": "x" }, { mode: 0o777 }),
        t: {
          "cafe\u0301.md": "x",
          "caf\u00e9.md": "x",
          "two.md": file("x", { links: 2, group: 7, mode: 0o640 }),
          d: dir({ "left.md": file("x", { owner: 5, group: 5 }) }, { mode: 0o775, group: 7 }),
          s: dir({ "left.md": file("x", { owner: 5, group: 5 }) }, { mode: 0o2775, group: 7 })
        }
      })
      assert.deepStrictEqual([...found.served], ["team:cafe\u0301.md", "team:caf\u00e9.md", "team:two.md"])
      const told = noticesOf(several, found)
      assert.deepStrictEqual(
        told.map(({ notice }) => [notice, found.noticed.find((each) => each.notice === notice)!.count]),
        [
          ["not_composed", 1],
          ["twins", 2],
          ["linked", 1],
          ["no_setgid", 1]
        ]
      )
      assert.deepStrictEqual(
        told.map(({ cure }) => cure),
        [
          String.raw`mv -n $'/t/cafe\xcc\x81.md' $'/t/caf\xc3\xa9.md'`,
          "rename one of the two, if one is meant",
          "find '/t' -samefile '/t/two.md'",
          "chgrp 1 '/t/d' && chmod g+s '/t/d'"
        ]
      )
    })
  )

  it.effect("is nothing where all are refused", () =>
    Effect.gen(function* () {
      const found = yield* surveyed({ o: dir({}, { mode: 0o777 }), t: dir({}, { mode: 0o777 }) })
      assert.deepStrictEqual([found.served.length, found.stopped, found.stoppedAt], [0, "root_unlistable", "/o"])
    })
  )

  const limited = (limits: object, drawing: Drawing, rawEntries = 50_000) => {
    const policy = policyOf({ roots: { team, own }, limits, ranking: "path" })
    return survey(policy).pipe(
      Effect.provide(memoryTree(drawing).layer),
      Effect.provideService(ScanCeilings, { rawEntries, bytes: 1_000 })
    )
  }

  it.effect("is stopped by nothing once the budget of a search is used up", () =>
    Effect.gen(function* () {
      const drawing = { o: { "a.md": "x", "b.md": "x" }, t: dir({}, { fails: { list: "io" } }) }
      const found = yield* limited({ max_entries: 1 }, drawing)
      assert.deepStrictEqual([[...found.served], found.beyond, found.stopped], [["own:a.md"], 1, undefined])
      assert.deepStrictEqual([...found.skipped], [{ reason: "unlistable", count: 1, example: "team:" }])
      assert.strictEqual((yield* limited({ max_entries: 2 }, drawing)).stoppedAt, "/t")
      const many = { ...drawing, t: { "a.md": "x", "b.md": "x", "c.md": "x" } }
      assert.strictEqual((yield* limited({ max_entries: 1 }, many, 4)).stopped, undefined)
      assert.strictEqual((yield* limited({ max_entries: 2 }, many, 4)).stopped, "raw_entries")
    })
  )

  it.effect("looks ahead in the order of names, as a search does", () =>
    Effect.gen(function* () {
      const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`${index}.md`, "x"]))
      const found = yield* limited({ max_depth: 1 }, { o: { d: { z: many, "a.md": "x" } }, t: {} }, 5)
      assert.deepStrictEqual([found.stopped, found.skipped[0]?.example], [undefined, "own:d/a.md"])
    })
  )

  it("has examples of which each is found again", () => {
    const place = (example: string) => placeOfExample(several, example).path
    assert.deepStrictEqual(["team:d/a.md", "own:d/", "team:"].map(place), ["/t/d/a.md", "/o/d", "/t"])
  })
})

describe("results of version 2", () => {
  const answer = {
    results: [{ id: "team:a.md", title: "A", snippet: "x", line: 12 }],
    truncated: true,
    truncated_by: ["results", "depth"]
  } as unknown as SearchAnswer

  it("tell the line, and what left something out", () => {
    const text = resultsText(answer, "x", { paint: plain, width: undefined })
    assert.include(text, "1. team:a.md, line 12\n")
    assert.include(text, "raise --limit")
    assert.include(text, "deeper than limits.max_depth")
    assert.notInclude(text, "limits.max_entries")
  })
})
