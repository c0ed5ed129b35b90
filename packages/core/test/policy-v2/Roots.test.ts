/** The keys that version 2 has for roots, and several roots in one policy. (design.md section 7) */
import { assert, describe, it } from "@effect/vitest"
import { decode } from "@memory-bridge/core/policy/Policy"
import { rootsOf } from "@memory-bridge/core/policy/Roots"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { defect, policy, policyText } from "../given/Policies.ts"
import { dir, file, type Drawing, memoryTree } from "../given/Trees.ts"
import { ids, inWorld, nested, read, search, within, worldOver } from "../given/World.ts"

const several = (roots: unknown, changes: object = {}): string => JSON.stringify({ version: 2, roots, ...changes })
const one = { root: "/v", allow: ["**"] }

describe("each key, left out, means what version 1 does", () => {
  it("in version 2 with version 1's keys", () => {
    const { names, named, prefix, trust } = policy({ version: 2 })
    assert.deepStrictEqual({ names, named, prefix }, { names: "portable", named: [], prefix: "" })
    assert.deepStrictEqual(trust, { groups: new Set<number>(), unresolved: [], hardLinks: false })
  })

  it("and all of them can be given", () => {
    const { names, trust } = policy({
      version: 2,
      names: "unicode",
      trust: { groups: [7, "team", 8], hard_links: true }
    })
    assert.strictEqual(names, "unicode")
    assert.deepStrictEqual(trust, {
      groups: new Set([7, 8]),
      unresolved: [{ key: "trust.groups[1]", name: "team" }],
      hardLinks: true
    })
  })
})

describe("a policy is refused", () => {
  it.each(["names", "trust", "roots"])("with %s in version 1", (key) => {
    const value = { names: "unicode", trust: {}, roots: {} }[key]
    assert.strictEqual(defect(policyText({ [key]: value })).key, key)
  })

  it.each<readonly [object, string]>([
    [{ names: "all" }, "names"],
    [{ names: null }, "names"],
    [{ trust: null }, "trust"],
    [{ trust: [] }, "trust"],
    [{ trust: { group: [1] } }, "trust.group"],
    [{ trust: { groups: 7 } }, "trust.groups"],
    [{ trust: { groups: Array.from({ length: 17 }, (_, id) => id) } }, "trust.groups"],
    ...[-1, 1.5, 65_534, 0xffffffff, 0xfffffffe, 1e10, "", "7", "a:b", "a,b", "a\nb", null, true, [7]].map(
      (group) => [{ trust: { groups: [1, group] } }, "trust.groups[1]"] as const
    ),
    [{ trust: { hard_links: "yes" } }, "trust.hard_links"],
    [{ trust: { users: [1] } }, "trust.users"],
    [{ roots: { a: one } }, "root"],
    [{ roots: null }, "root"]
  ])("%j", (changes, key) => {
    assert.strictEqual(defect(policyText({ version: 2, ...changes })).key, key)
  })

  it.each<readonly [unknown, string]>([
    [{}, "roots"],
    [null, "roots"],
    [[one], "roots"],
    [{ A: one }, "roots"],
    [{ "a:b": one }, "roots"],
    [{ "": one }, "roots"],
    [{ ".": one }, "roots"],
    [{ "..": one }, "roots"],
    [{ "a/b": one }, "roots"],
    [{ "1a": one }, "roots"],
    [{ ["a".repeat(33)]: one }, "roots"],
    [Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`r${i}`, { ...one, root: `/v${i}` }])), "roots"],
    [{ a: null }, "roots.a"],
    [{ a: { allow: [] } }, "roots.a.root"],
    [{ a: { root: "/v" } }, "roots.a.allow"],
    [{ a: { root: "v", allow: [] } }, "roots.a.root"],
    [{ a: { ...one, allow: ["/x"] } }, "roots.a.allow[0]"],
    [{ a: { ...one, limits: {} } }, "roots.a.limits"],
    [{ a: { ...one, allow_cron: true } }, "roots.a.allow_cron"],
    [{ a: { ...one, trust: { groups: [-1] } } }, "roots.a.trust.groups[0]"],
    [{ a: one, b: one }, "roots.a.root"],
    [{ a: one, b: { ...one, root: "/v/w" } }, "roots.b.root"],
    [{ a: one, b: { ...one, root: "/V/w" } }, "roots.b.root"],
    [{ a: { ...one, root: "/" }, b: one }, "roots.b.root"]
  ])("with roots %j", (roots, key) => {
    assert.strictEqual(defect(several(roots)).key, key)
  })

  it.each(["root", "allow", "deny", "names", "trust"])("with %s beside roots", (key) => {
    const value = { root: "/x", allow: [], deny: [], names: "unicode", trust: {} }[key]
    assert.strictEqual(defect(several({ a: one }, { [key]: value })).key, key)
  })

  it.each(["__proto__", "constructor.x", "toString "])("with a root of the name %s", (name) => {
    assert.strictEqual(defect(`{"version":2,"roots":{"${name}":{"root":"/v","allow":["**"]}}}`).key, "roots")
  })

  it("with __proto__ anywhere, or a key twice", () => {
    const extra = '"__proto__":{"allow":["**"]}'
    for (const text of [
      `{"version":2,"root":"/v","allow":[],${extra}}`,
      `{"version":2,"root":"/v","allow":[],"trust":{${extra}}}`,
      `{"version":2,"roots":{"a":{"root":"/v","allow":[],${extra}}}}`,
      '{"version":2,"roots":{"a":{"root":"/v","allow":[]},"a":{"root":"/w","allow":[]}}}',
      '{"version":2,"root":"/v","allow":[],"trust":{"groups":[],"groups":[7]}}'
    ]) {
      assert.isTrue(Result.isFailure(decode(text)), text)
    }
  })

  it("but not for a name that an object has of its own", () => {
    assert.isTrue(Result.isSuccess(decode(several({ constructor: one }))))
  })
})

describe("several roots", () => {
  const hit = "needle\n"
  const policyOf = (changes: object = {}, roots: object = {}) =>
    several(
      { team: { root: "/t", allow: ["**"], deny: ["private/**"] }, own: { root: "/o", allow: ["a/**"] }, ...roots },
      changes
    )
  const world = (below: Drawing, text = policyOf()) =>
    worldOver(
      memoryTree({
        h: { "plugin-data": { "memory-bridge": { "policy.json": file(text, { mode: 0o600 }) } } },
        ...below
      })
    )
  const both: Drawing = {
    t: { "n.md": hit, private: { "s.md": hit } },
    o: { "n.md": hit, a: { "n.md": hit } }
  }

  it("serve nothing of their own beside their roots", () => {
    const { root, rules, ...rest } = policy()
    const decoded = Result.getOrThrow(decode(policyOf()))
    assert.deepStrictEqual(
      [decoded.root, decoded.rules.permits("n.md"), decoded.rules.mayEnter("a")],
      ["", false, false]
    )
    assert.deepStrictEqual(
      rootsOf(decoded).map(({ prefix }) => prefix),
      ["own:", "team:"]
    )
    assert.deepStrictEqual([root, rules.permits("n.md"), rest.named], ["/v", true, []])
  })

  it.effect("are searched in one search, each by its own patterns, and read by the name of the root", () =>
    Effect.gen(function* () {
      const answer = yield* inWorld(world(both, policyOf({ ranking: "path" })), search("needle", 10))
      assert.strictEqual(ids(answer), "own:a/n.md team:n.md")
      for (const id of ["own:a/n.md", "team:n.md"]) assert.isTrue((yield* inWorld(world(both), read(id))).ok, id)
      for (const id of [
        "n.md",
        "own:n.md",
        "team:private/s.md",
        "team:PRIVATE/s.md",
        "other:n.md",
        "Team:n.md",
        "team:/n.md",
        "team:",
        "team:../o/a/n.md",
        "team:./n.md",
        "own:team:n.md",
        "team:own:a/n.md",
        ":n.md"
      ]) {
        const refused = yield* inWorld(world(both), read(id))
        assert.isTrue(!refused.ok && refused.error.code !== "unavailable", id)
      }
    })
  )

  it.effect("a note without a title is titled by its file and not by its root", () =>
    Effect.gen(function* () {
      const answer = yield* inWorld(world({ t: { "n.md": hit }, o: {} }), search("needle"))
      assert.strictEqual("results" in answer ? answer.results[0]?.title : undefined, "n")
    })
  )

  it.effect("a root that is refused refuses the search as a whole, and the reads of its own notes alone", () =>
    Effect.gen(function* () {
      const broken = { ...both, o: dir({ a: { "n.md": hit } }, { mode: 0o777 }) }
      assert.strictEqual(ids(yield* inWorld(world(broken), search("needle"))), "unavailable")
      assert.strictEqual(ids(yield* inWorld(world(broken), read("own:a/n.md"))), "unavailable")
      assert.isTrue((yield* inWorld(world(broken), read("team:n.md"))).ok)
      assert.strictEqual(ids(yield* inWorld(world({ t: {} }), search("needle"))), "unavailable")
      const unlistable = { ...both, o: dir({}, { fails: { list: "io" } }) }
      assert.strictEqual(ids(yield* inWorld(world(unlistable), search("needle"))), "unavailable")
    })
  )

  it.effect("share one budget", () =>
    Effect.gen(function* () {
      const limited = policyOf({ ranking: "path", limits: { max_entries: 1 } })
      assert.strictEqual(ids(yield* inWorld(world(both, limited), search("needle"))), "own:a/n.md …")
      const raw = (rawEntries: number) => inWorld(world(both), search("needle", 10)).pipe(within({ rawEntries }))
      assert.strictEqual(ids(yield* raw(4)), "unavailable")
      assert.notStrictEqual(ids(yield* raw(5)), "unavailable")
    })
  )

  it.effect("each has writers and names of its own", () =>
    Effect.gen(function* () {
      const text = policyOf(
        { ranking: "path" },
        {
          own: { root: "/o", allow: ["**"], names: "unicode", trust: { groups: [7] } },
          zed: { root: "/z", allow: ["**"], trust: { hard_links: true } }
        }
      )
      const odd = file(hit, { mode: 0o664, group: 7 })
      const linked = file(hit, { links: 2 })
      const below = { "a b.md": odd, "linked.md": linked, "n.md": hit }
      const answer = yield* inWorld(world({ t: below, o: below, z: below }, text), search("needle", 10))
      assert.strictEqual(
        "results" in answer ? answer.results.map(({ id }) => id).join(" | ") : "",
        "own:a b.md | own:n.md | team:n.md | zed:linked.md | zed:n.md"
      )
    })
  )

  it.effect("an id is within the limits with the name of its root", () =>
    Effect.gen(function* () {
      const name = "n".repeat(200)
      // 2 * 201 + 3 + 107 is 512; the name of the root is five more.
      const deep = (last: number): Drawing => ({ t: nested(2, { [`${"x".repeat(last)}.md`]: hit }, name), o: {} })
      assert.strictEqual(ids(yield* inWorld(world(deep(107)), search("needle"))), "")
      const found = yield* inWorld(world(deep(102)), search("needle"))
      const id = "results" in found ? found.results[0]?.id : undefined
      assert.strictEqual(id?.length, 512)
      assert.isTrue((yield* inWorld(world(deep(102)), read(id!))).ok)
    })
  )
})
