/**
 * Policies of version 2 as an operator sees them: `policy check`, `explain`, `doctor`, `search` and `read` over several
 * roots, names of every script, shared folders and linked notes, on a real file system. (issue 8)
 */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { isLinux, isRoot } from "../support/Capabilities.ts"
import { built, current, type Ended, fromSource, run } from "./given/Cli.ts"
import { folder, masked, put, steady } from "./given/Folder.ts"

const real = isLinux && isRoot
const needs = real ? "" : " (skipped: needs root on Linux)"

/** A group and a user that this machine need not know. */
const team = 4_243
const member = 4_244

const nfd = "cafe\u0301 plan.md"
const nfc = "caf\u00e9 plan.md"

/** A team's folder with all that goes wrong in one, and a folder of one's own; `policy.json` serves both. */
const shared = (change: (roots: Record<string, Record<string, unknown>>) => void = () => {}, keys: object = {}) => {
  const top = folder({
    "team/notes/garden.md": "# Garden\n\nasters by the gate\n",
    [`team/notes/${nfd}`]: "asters, decomposed\n",
    [`team/notes/${nfc}`]: "asters, composed\n",
    "team/linked.md": "asters twice\n",
    "team/inbox/bo.md": "asters by Bo\n",
    "own/diary.md": "asters at home\n",
    "own/long.md": Array.from({ length: 2_000 }, (_, line) => `line ${line + 1}\n`).join(""),
    "own/copy.md": "asters copied\n"
  })
  fs.linkSync(join(top, "team/linked.md"), join(top, "team/again.md"))
  fs.linkSync(join(top, "own/copy.md"), join(top, "own/copied.md"))
  if (real) {
    for (const path of ["team", "team/notes", "team/inbox", "team/linked.md"]) fs.chownSync(join(top, path), 0, team)
    for (const path of ["team", "team/notes"]) fs.chmodSync(join(top, path), 0o2770)
    fs.chmodSync(join(top, "team/inbox"), 0o770)
    fs.chmodSync(join(top, "team/linked.md"), 0o640)
    fs.chownSync(join(top, "team/notes/garden.md"), member, team)
    fs.chmodSync(join(top, "team/notes/garden.md"), 0o660)
    fs.chownSync(join(top, "team/inbox/bo.md"), member, member)
  }
  const roots: Record<string, Record<string, unknown>> = {
    team: {
      root: join(top, "team"),
      allow: ["**"],
      names: "unicode",
      trust: { groups: [team], hard_links: true }
    },
    own: { root: join(top, "own"), allow: ["**"] }
  }
  change(roots)
  put(top, "policy.json", JSON.stringify({ version: 2, roots, ...keys }))
  return top
}

const ask = (top: string, ...args: ReadonlyArray<string>): Ended =>
  run(current, [...args, "--policy", "policy.json"], { cwd: top })

interface Finding {
  readonly code: string
  readonly severity: string
  readonly text: string
  readonly cure: string
  readonly details: ReadonlyArray<string>
}

const doctor = (top: string) => {
  put(top, "home/plugin-data/memory-bridge/policy.json", fs.readFileSync(join(top, "policy.json"), "utf8"))
  const env = { HOME: top, PATH: "/usr/bin:/bin", HERMES_SOURCE: "" }
  const { code, stdout } = run(current, ["doctor", "--profile", "home", "--json"], { cwd: top, env })
  const { findings } = JSON.parse(stdout) as { readonly findings: ReadonlyArray<Finding> }
  const all = (wanted: string) => findings.filter((finding) => finding.code === wanted)
  const only = (wanted: string): Finding => {
    assert.strictEqual(all(wanted).length, 1, `${wanted} in ${findings.map((finding) => finding.code).join(" ")}`)
    return all(wanted)[0]!
  }
  return { code, all, only }
}

describe.skipIf(!real)(`a policy of version 2${needs}`, () => {
  it("looks like this", async () => {
    const top = shared(undefined, { ranking: "path" })
    const commands = [
      ["policy", "check", "policy.json"],
      ...[
        `team:notes/${nfd}`,
        "team:inbox/bo.md",
        "own:copy.md",
        "team:again.md",
        "team:notes",
        "team:",
        "diary.md"
      ].map((id) => ["explain", id, "--policy", "policy.json"]),
      ["explain", join(top, "own/diary.md"), "--policy", "policy.json"],
      ["search", "asters", "--policy", "policy.json", "--limit", "3"]
    ]
    const text = commands.map((args) => {
      const { code, stderr, stdout } = run(current, args, { cwd: top })
      assert.strictEqual(stderr, "")
      return `$ ${args.slice(0, 2).join(" ")}\n${stdout}(${code})\n`
    })
    await expect(steady(text.join("\n"), top)).toMatchFileSnapshot("golden/version-2.txt")
  })

  it("has a finding for each setting, each notice and each skipped note in doctor", () => {
    const top = shared(undefined, { ranking: "path" })
    const { all, code, only } = doctor(top)
    assert.strictEqual(code, 1)
    assert.strictEqual(all("root_named").length, 2)
    assert.strictEqual(all("root_trusted").length, 2)
    assert.isTrue(all("root_trusted").some(({ text }) => text.includes("members of the accepted groups")))
    assert.include(only("names_unicode").text, "roots.team.names: unicode")
    assert.include(only("groups_accepted").text, `roots.team.trust.groups: members may write what is served: ${team}`)
    assert.include(only("hard_links_accepted").text, "roots.team.trust.hard_links")
    only("ranking_path")
    assert.deepStrictEqual([only("names_not_composed").severity, only("names_twins").severity], ["warning", "info"])
    assert.include(only("names_not_composed").cure, String.raw`cafe\xcc\x81 plan.md`)
    assert.include(only("notes_linked").text, "2 served notes have more than one name")
    assert.strictEqual(
      only("setgid_missing").cure,
      `chgrp ${team} '${top}/team/inbox' && chmod g+s '${top}/team/inbox'`
    )
    assert.include(only("skipped_foreign_owner").cure, "take it over: sudo chown")
    assert.include(only("skipped_hard_link").cure, "trust.hard_links")
  })

  it("has a cure for a member's note that makes it served", () => {
    const top = shared()
    const id = "team:inbox/bo.md"
    assert.strictEqual(ask(top, "read", id).code, 3)
    fs.chownSync(join(top, "team/inbox/bo.md"), member, team)
    assert.strictEqual(ask(top, "read", id).code, 0)
    fs.chownSync(join(top, "team/inbox/bo.md"), 0, member)
    assert.strictEqual(ask(top, "read", id).code, 0)
  })

  it("names groups as the group file does, and refuses one that it does not know", () => {
    const [, name = "", id = ""] = /^([^:\n]+):[^:]*:([1-9][0-9]*):/mu.exec(fs.readFileSync("/etc/group", "utf8")) ?? []
    const named = (group: string) =>
      shared(({ team: root = {} }) => {
        root["trust"] = { groups: [group, team] }
      })
    const known = named(name)
    assert.include(run(current, ["policy", "check", "policy.json"], { cwd: known }).stdout, `${name} (${id})`)
    assert.include(doctor(known).only("groups_accepted").text, `${name} (${id})`)
    const { stdout } = ask(known, "explain", "team:notes/garden.md")
    assert.match(stdout, /^ {2}ok group file: \/etc\/group \(owner root/mu)
    assert.include(stdout, `${name} (${id})`)
    const { code, stderr } = run(current, ["policy", "check", "policy.json"], { cwd: named("no such group") })
    assert.strictEqual(code, 2)
    assert.include(stderr, "roots.team.trust.groups[0]")
    assert.include(stderr, "getent group NAME")
  })
})

describe.skipIf(!real)(`a root that is refused among others${needs}`, () => {
  const broken = () => {
    const top = shared()
    fs.chmodSync(join(top, "own"), 0o777)
    return top
  }

  it("refuses a search with its name and path, and the reads of its own notes alone", () => {
    const top = broken()
    const { code, stderr } = ask(top, "search", "asters")
    assert.strictEqual(code, 2)
    assert.match(masked(stderr, top), /^ {2}root +own, <folder>\/own$/mu)
    assert.strictEqual(ask(top, "read", "own:diary.md").code, 2)
    assert.strictEqual(ask(top, "read", "team:notes/garden.md").code, 0)
    const { stdout } = ask(top, "explain", "team:notes/garden.md")
    assert.include(stdout, "But no search is answered.")
    assert.include(stdout, "no search is answered, because of the root own: world_writable")
    assert.include(ask(top, "explain", "team:notes").stdout, "But no search is answered.")
  })

  it("is told by policy check, with what can be read of the others", () => {
    const top = broken()
    const check = (...more: ReadonlyArray<string>) =>
      run(current, ["policy", "check", "policy.json", ...more], { cwd: top })
    const { code, stderr, stdout } = check()
    assert.strictEqual(code, 2)
    assert.match(masked(stderr, top), /^ {2}root +own, <folder>\/own$/mu)
    assert.include(stdout, "no search is answered while a root is refused")
    assert.include(stdout, "team:notes/garden.md")
    const report = JSON.parse(check("--json").stdout) as {
      readonly ok: boolean
      readonly roots: ReadonlyArray<{ readonly name: string; readonly refusal: null | { readonly rule: string } }>
    }
    assert.isFalse(report.ok)
    assert.deepStrictEqual(
      report.roots.map(({ name, refusal }) => [name, refusal?.rule.split(":")[0]]),
      [
        ["own", "world_writable"],
        ["team", undefined]
      ]
    )
    fs.chmodSync(join(top, "team"), 0o777)
    assert.deepStrictEqual(
      Array.from(check().stderr.matchAll(/^ {2}root +(\w+),/gmu), ([, name]) => name),
      ["own", "team"]
    )
  })

  it("is told by doctor, and why no search is answered", () => {
    const { code, only } = doctor(broken())
    assert.strictEqual(code, 2)
    assert.match(only("root_refused").text, /^The root own: /u)
    assert.include(only("root_trusted").text, "The root team")
    assert.match(only("search_root_refused").cure, /^chmod go-w '.*\/own'$/u)
    assert.include(only("served").text, "by id")
  })
})

describe.skipIf(!real)(`the commands of everyday use${needs}`, () => {
  it("tell the line of a result, and what left something out", () => {
    const top = shared()
    const { code, stderr, stdout } = ask(top, "search", "asters", "--limit", "2")
    assert.strictEqual(code, 0, stderr)
    assert.match(stdout, /^1\. \S.*, line \d+$/mu)
    assert.include(stdout, "More notes match than are shown")
  })

  it("read on from a line, in pieces that are the whole note", () => {
    const top = shared()
    const pieces: Array<string> = []
    for (let line: number | undefined = 1; line !== undefined && pieces.length < 9;) {
      const { code, stdout } = ask(top, "read", "own:long.md", "--from-line", String(line), "--json")
      assert.strictEqual(code, 0)
      const answer = JSON.parse(stdout) as { readonly content: string; readonly next_line?: number }
      pieces.push(answer.content.replace(/\n\n\[Truncated: [^\]]*\]\n$/u, ""))
      line = answer.next_line
    }
    assert.isAbove(pieces.length, 1)
    assert.strictEqual(pieces.join(""), fs.readFileSync(join(top, "own/long.md"), "utf8"))
    const next = /^To read on: --from-line (\d+)$/mu.exec(ask(top, "read", "own:long.md").stdout)?.[1] ?? ""
    assert.match(ask(top, "read", "own:long.md", "--from-line", next).stdout, new RegExp(`^line ${next}\n`, "u"))
    assert.notInclude(ask(top, "read", "own:diary.md").stdout, "--from-line")
  })

  it("say how an id begins where it names no root", () => {
    const { code, stderr } = ask(shared(), "read", "diary.md")
    assert.strictEqual(code, 3)
    assert.include(stderr, "begin the id with the name of a root: own:, team:")
  })

  it("refuse a line to a policy of version 1, and what is no line to any", () => {
    const top = shared()
    const { code, stderr } = ask(top, "read", "own:diary.md", "--from-line", "0")
    assert.strictEqual(code, 1)
    assert.include(stderr, "from_line must be a whole number from 1")
    put(top, "policy.json", JSON.stringify({ version: 1, root: join(top, "own"), allow: ["**"] }))
    for (const line of ["2", "0"]) {
      const first = ask(top, "read", "diary.md", "--from-line", line, "--json")
      assert.strictEqual(first.code, 1)
      assert.include(first.stdout, '"hint":"pass only id (text), as search returned it"')
    }
  })

  it.skipIf(typeof built === "string")("are the same when built, on Node 20", () => {
    if (typeof built === "string" || current === fromSource) return
    const top = shared()
    const args = ["explain", `team:notes/${nfd}`, "--policy", "policy.json"]
    assert.strictEqual(run(built, args, { cwd: top }).stdout, run(current, args, { cwd: top }).stdout)
  })
})
