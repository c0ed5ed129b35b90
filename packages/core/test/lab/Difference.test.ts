/** The exact difference of two policies, case by case. (design.md section 9; cases/guard.md section 5 "no new access") */
import { assert, describe, it } from "@effect/vitest"
import { decide } from "@memory-bridge/core/guard/Decide"
import type { Action } from "@memory-bridge/core/guard/Decision"
import { make, type Policy } from "@memory-bridge/core/guard/Policy"
import { classesOf, groundOf } from "@memory-bridge/core/lab/Classes"
import { type Change, compare, maxPositions } from "@memory-bridge/core/lab/Difference"
import { freshNames, plainView, positionsOf } from "@memory-bridge/core/lab/Positions"
import { openTools, policyOf, treeOf } from "../guard/Given.ts"

const line = ({ after, before, tool }: Change): string =>
  `${tool ?? "*"}: ${before.action} ${before.rule ?? before.reason} -> ${after.action} ${after.rule ?? after.reason}`

const places = ({ positions }: Change): ReadonlyArray<string> => positions.map(({ path, where }) => `${where} ${path}`)

const secret = policyOf(openTools, { "/srv/secret": "block" })
const nothing = { weakened: 0, strengthened: 0, linked: 0 }

describe("positions", () => {
  const of = (...roots: ReadonlyArray<string>) =>
    positionsOf(roots, "x").map(({ path, root, where }) => `${where} ${path} (${root})`)

  it("of one root: at, below and above it, and elsewhere", () => {
    assert.deepStrictEqual(of("/srv/secret"), [
      "above / (/srv/secret)",
      "at /srv/secret (/srv/secret)",
      "below /srv/secret/x (/srv/secret)",
      "unrelated /x ()"
    ])
  })

  it("of roots that fork or lie in each other: each fork and each step from a root is one of its own", () => {
    assert.deepStrictEqual(of("/a/b/c", "/a/b/d", "/a/b/c/e/f"), [
      "above / (/a/b/c)",
      "at /a/b/c (/a/b/c)",
      "below /a/b/c/x (/a/b/c)",
      "above /a/b/c/e (/a/b/c/e/f)",
      "at /a/b/c/e/f (/a/b/c/e/f)",
      "below /a/b/c/e/f/x (/a/b/c/e/f)",
      "at /a/b/d (/a/b/d)",
      "below /a/b/d/x (/a/b/d)",
      "unrelated /x ()"
    ])
  })

  it("where / is a root, nothing is unrelated", () => {
    assert.deepStrictEqual(of("/"), ["at / (/)", "below /x (/)"])
    assert.deepStrictEqual(of(), ["unrelated /x ()"])
  })

  it("fresh names are part of no root, in whatever case, and still there when every letter is taken", () => {
    const every = [..."xyzabcdefghijklmnopqrstuvw0123456789"].map((letter) => `/${letter.toUpperCase()}/y`)
    const fresh = freshNames(every, 3)
    assert.deepStrictEqual(fresh, ["xx", "xy", "xz"])
    assert.deepStrictEqual(freshNames(["/srv/X/z"], 3), ["y", "a", "b"])
  })
})

describe("what is equal", () => {
  it("a policy and itself, its rules in another order, and with rules that say it twice", () => {
    const shuffled = make("block", secret.rules.toReversed(), secret.protectedPaths)
    const doubled = make(
      "block",
      [...secret.rules, ...secret.rules],
      [...secret.protectedPaths, ...secret.protectedPaths]
    )
    for (const other of [secret, shuffled, doubled]) {
      assert.deepInclude(compare(secret, other).counts, nothing)
      assert.isAbove(compare(secret, other).counts.equal, 20)
    }
  })

  it("a root below a root that is as strong", () => {
    const more = policyOf(openTools, { "/srv/secret": "block", "/srv/secret/deep": "block" })
    assert.deepInclude(compare(secret, more).counts, nothing)
  })

  it("an allow for a tool whose default allows already", () => {
    const open = make("allow", [], [])
    assert.deepInclude(compare(open, policyOf({ x: "allow" }, {}, "allow")).counts, nothing)
  })
})

describe("what weakened", () => {
  it("a root that is gone: every tool, at it, below it and above it, but a command may stand above it all along", () => {
    const { linked, strengthened, weakened } = compare(secret, policyOf(openTools))
    assert.deepStrictEqual(weakened.map(line), [
      "read_file: block path:0 -> allow tool:0",
      "write_file: block path:0 -> allow tool:1",
      "patch: block path:0 -> allow tool:2",
      "terminal: block path:0 -> allow tool:3"
    ])
    const [reads, , , commands] = weakened
    assert.deepStrictEqual(places(reads as Change), ["above /", "at /srv/secret", "below /srv/secret/x"])
    assert.deepStrictEqual(reads?.example, { tool: "read_file", args: { path: "/" } })
    // Nine verbs at three positions, two of which have no name to move or copy from at `/`, and standing in two.
    assert.strictEqual(commands?.classes, 9 * 3 - 2 + 2)
    assert.deepStrictEqual([strengthened, linked], [[], []])
  })

  it("block to approve and approve to allow, the most open first", () => {
    const before = policyOf({ a: "block", b: "approve", c: "block", d: "allow" })
    const after = policyOf({ a: "approve", b: "allow", c: "allow", d: "allow" })
    assert.deepStrictEqual(compare(before, after).weakened.map(line), [
      "c: block tool:2 -> allow tool:2",
      "b: approve tool:1 -> allow tool:1",
      "a: block tool:0 -> approve tool:0"
    ])
    assert.deepStrictEqual(compare(after, before).strengthened.map(line), [
      "c: allow tool:2 -> block tool:2",
      "a: approve tool:0 -> block tool:0",
      "b: allow tool:1 -> approve tool:1"
    ])
  })

  it("the default, for every tool that nobody names and for each that only one side names", () => {
    const { weakened } = compare(policyOf({ a: "block" }), policyOf({}, {}, "allow"))
    const tools = weakened.map(({ tool }) => tool)
    assert.sameMembers(tools, [null, "a", "read_file", "write_file", "patch", "terminal"])
    assert.strictEqual(weakened.find(({ tool }) => tool === null)?.example.tool, "another_tool")
  })

  it("the stand-in for other tools is a name that neither policy has", () => {
    const before = policyOf({ another_tool: "block", another_tool_: "block" })
    const { weakened } = compare(before, make("allow", before.rules, []))
    assert.strictEqual(weakened.find(({ tool }) => tool === null)?.example.tool, "another_tool__")
  })

  it("a root that moved: weaker where it was, stricter where it is", () => {
    const moved = policyOf(openTools, { "/srv/other": "block" })
    const { strengthened, weakened } = compare(secret, moved)
    assert.deepStrictEqual(places(weakened[0] as Change), ["at /srv/secret", "below /srv/secret/x"])
    assert.deepStrictEqual(places(strengthened[0] as Change), ["at /srv/other", "below /srv/other/x"])
  })

  it("a root that a command cannot write: file tools, working directories and the directories above", () => {
    const before = policyOf(openTools, { "/srv/café": "block" })
    const commands = compare(before, policyOf(openTools)).weakened.find(({ tool }) => tool === "terminal")
    assert.sameMembers(
      [...(commands?.shapes ?? [])],
      ["cat", "touch", "mkdir", "rm", "rm -r", "cp to", "mv to", "workdir"]
    )
    assert.deepStrictEqual(places(commands as Change), ["above /", "at /srv/café", "below /srv/café/x"])
  })

  it("nothing, where the tool is blocked anyway", () => {
    assert.deepInclude(compare(policyOf({}, { "/a": "block" }), policyOf({})).counts, nothing)
  })

  it("is told by the rules that decided before and that decide now, each two of them apart", () => {
    const before = policyOf({ read_file: "allow" }, { "/a": "block" })
    const after = policyOf({ read_file: "allow" }, { "/a/b": "approve", "/a/c": "approve" })
    assert.deepStrictEqual(
      compare(before, after).weakened.map((change) => [line(change), places(change).join()]),
      [
        ["read_file: block path:0 -> allow tool:0", "below /a/x"],
        ["read_file: block path:0 -> approve path:0", "above /,at /a,at /a/b,below /a/b/x"],
        ["read_file: block path:0 -> approve path:1", "at /a/c,below /a/c/x"]
      ]
    )
  })

  it("lists the first positions of many and counts them all", () => {
    const roots = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`/r${index}`, "block" as const]))
    const before = policyOf({ read_file: "block" }, roots)
    const [change] = compare(before, policyOf({ read_file: "allow" })).weakened
    assert.lengthOf(change?.positions ?? [], maxPositions)
    assert.strictEqual(change?.positionCount, 40 * 2 + 2)
    assert.strictEqual(change?.classes, 40 * 2 + 2)
  })
})

describe("calls with two paths follow from calls with one", () => {
  const view = plainView(["/a", "/b", "/c"])
  const action = (policy: Policy, command: string): Action =>
    decide(policy, [], view, "terminal", { command }).decision.action
  const actions = ["allow", "approve", "block"] as const
  const policies = actions.flatMap((tool) =>
    [...actions.keys()].flatMap((a) =>
      [...actions.keys()].map((b) => {
        const roots = [a, b].flatMap((index, at) =>
          index === 0 ? [] : [{ path: at === 0 ? "/a" : "/b", action: actions[index] as "approve" | "block", why: "" }]
        )
        return make("block", [{ tool: "terminal", action: tool, why: "" }], roots)
      })
    )
  )
  const paths = ["/a", "/a/x", "/b", "/b/y", "/c"]

  it("the verdict of a pair is the stronger of its halves, for every policy over two roots", () => {
    const strength = (one: Action) => actions.indexOf(one)
    for (const policy of policies) {
      for (const from of paths) {
        for (const to of paths) {
          for (const verb of ["cp", "mv"]) {
            const halves = [`${verb} ${from} /free`, `${verb} /free ${to}`].map((half) =>
              strength(action(policy, half))
            )
            assert.strictEqual(strength(action(policy, `${verb} ${from} ${to}`)), Math.max(...halves))
          }
        }
      }
    }
  })

  it("so a pair is weaker only if one of its halves is, for every two of those policies", () => {
    const isWeaker = (before: Policy, after: Policy, command: string) =>
      actions.indexOf(action(before, command)) > actions.indexOf(action(after, command))
    for (const before of policies) {
      for (const after of policies) {
        for (const [from, to] of [["/a", "/b/y"] as const, ["/b", "/a"] as const, ["/a/x", "/c"] as const]) {
          const half = isWeaker(before, after, `mv ${from} /free`) || isWeaker(before, after, `mv /free ${to}`)
          if (isWeaker(before, after, `mv ${from} ${to}`)) assert.isTrue(half)
        }
      }
    }
  })
})

describe("links between roots", () => {
  const cover = (root: "block" | "approve") => policyOf(openTools, { "/home": root })
  const linkedRoot = policyOf(openTools, { "/home/l": "block" })
  const world = treeOf({ "/home/l": "-> /real", "/real/key": "file" })

  it("a root that gives way to the directory it lies in is weaker at the target of a link, and only there", () => {
    const { counts, linked, weakened } = compare(linkedRoot, cover("block"))
    assert.deepStrictEqual(weakened, [])
    assert.isAbove(counts.linked, 0)
    assert.deepStrictEqual(linked.map(line), [
      "read_file: block path:0 -> allow tool:0",
      "write_file: block path:0 -> allow tool:1",
      "patch: block path:0 -> allow tool:2",
      "terminal: block path:0 -> allow tool:3"
    ])
    assert.strictEqual(linked[0]?.positions[0]?.root, "/home/l")
    const verdict = (policy: Policy) => decide(policy, [], world, "read_file", { path: "/real/key" }).decision.action
    assert.deepStrictEqual([verdict(linkedRoot), verdict(cover("block"))], ["block", "allow"])
  })

  it("is told beside what names show, where the link opens more", () => {
    const { linked, weakened } = compare(linkedRoot, cover("approve"))
    assert.isTrue(weakened.every(({ after }) => after.action === "approve"))
    assert.isTrue(linked.every(({ after }) => after.action === "allow"))
    assert.isNotEmpty(linked)
  })

  it("is no matter where the root stays, or where names show all of it", () => {
    const kept = policyOf(openTools, { "/home": "block", "/home/l": "block" })
    assert.strictEqual(compare(linkedRoot, kept).counts.linked, 0)
    assert.strictEqual(compare(linkedRoot, policyOf(openTools)).counts.linked, 0)
    assert.strictEqual(compare(linkedRoot, policyOf(openTools, { "/": "block" })).counts.linked, 0)
  })
})

describe("the whole", () => {
  it("every class is counted once, and every group holds the classes it says", () => {
    const before = policyOf({ ...openTools, x: "block" }, { "/a": "block", "/a/b": "approve", "/c d": "block" })
    const after = policyOf({ ...openTools, terminal: "approve" }, { "/a/b": "block", "/e": "approve" }, "approve")
    const difference = compare(before, after)
    const { equal, strengthened, weakened } = difference.counts
    assert.strictEqual(equal + strengthened + weakened, classesOf(groundOf(before, after)).length)
    const sum = (changes: ReadonlyArray<Change>) => changes.reduce((total, { classes }) => total + classes, 0)
    assert.strictEqual(sum(difference.weakened), weakened)
    assert.strictEqual(sum(difference.strengthened), strengthened)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(difference)), difference)
    assert.deepStrictEqual(compare(before, after), difference)
  })

  it("one way is the other way round", () => {
    const before = policyOf({ ...openTools, x: "block" }, { "/a": "block", "/a/b": "approve" })
    const after = policyOf({ read_file: "allow" }, { "/a/b": "block" }, "approve")
    const [there, back] = [compare(before, after), compare(after, before)]
    assert.strictEqual(there.counts.weakened, back.counts.strengthened)
    assert.strictEqual(there.counts.strengthened, back.counts.weakened)
  })
})
