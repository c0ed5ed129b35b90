/**
 * The public bypass reports of cases/guard.md section 3, each on a real tree, with a neighbour that must stay allowed.
 * Rows about the host alone (44, 45, 48, 49, 61) are held to what the guard can do about them.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { decide } from "@memory-bridge/core/guard/Decide"
import { directiveOf } from "@memory-bridge/core/guard/Directive"
import { selfRoots } from "@memory-bridge/core/guard/Installation"
import { defaultPolicy } from "@memory-bridge/core/guard/Policy"
import { decode, policyReader } from "@memory-bridge/core/guard/Settings"
import { posixView } from "@memory-bridge/platform-posix/guard/PathFacts"
import { policyOf } from "../../packages/core/test/guard/Given.ts"
import { inWorld, mayMount, secretContent, type World } from "./support/World.ts"

interface Call {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

interface Row {
  readonly row: string
  readonly about: string
  readonly given?: (world: World) => void
  readonly blocked: ReadonlyArray<Call>
  readonly allowed: ReadonlyArray<Call>
}

const T = (command: string, rest: object = {}): Call => ({ tool: "terminal", args: { command, ...rest } })
const read = (path: string): Call => ({ tool: "read_file", args: { path } })
const write = (path: string): Call => ({ tool: "write_file", args: { path, content: "x" } })

const link = (name: string, target: string) => (world: World) => fs.symlinkSync(world.mapped(target), world.at(name))

const rows: ReadonlyArray<Row> = [
  {
    row: "1",
    about: "an allowed first word authorises the chained rest",
    blocked: [T("cat /srv/free/a && rm /srv/free/a"), T("cat /srv/free/a; rm /srv/free/a"), T("cat /srv/free/a | cat")],
    allowed: [T("cat /srv/free/a"), T("rm /srv/free/a")]
  },
  {
    row: "2",
    about: "a change of directory, then a relative operand",
    blocked: [
      T("cd /srv/secret && cat key"),
      T("cat key", { workdir: "/srv/secret" }),
      T("cat a", { workdir: "/srv/free" })
    ],
    allowed: [T("cat /srv/free/a", { workdir: "/srv/free" })]
  },
  {
    row: "3",
    about: "a shell hides the command",
    blocked: [T("bash -c 'cat /srv/secret/key'"), T("sh -c 'cat /srv/free/a'")],
    allowed: [T("cat '/srv/free/a'")]
  },
  { row: "4", about: "a relative path", blocked: [read("../secret/key"), read("a")], allowed: [read("/srv/free/a")] },
  {
    row: "5",
    about: "a look-alike letter in the name of the command",
    blocked: [T("c\u0430t /srv/free/a"), T("cat\u200b /srv/free/a")],
    allowed: [T("cat /srv/free/a")]
  },
  {
    row: "6",
    about: "a link to a denied file",
    given: link("/srv/free/l", "/srv/secret/key"),
    blocked: [
      read("/srv/free/l"),
      T("cat /srv/free/l"),
      T("cp /srv/free/l /srv/free/copy"),
      T("mv /srv/free/l /srv/free/m")
    ],
    allowed: [read("/srv/free/a")]
  },
  {
    row: "8",
    about: "a new file below a linked directory",
    given: link("/srv/free/d", "/srv/secret"),
    blocked: [write("/srv/free/d/new.txt"), write("/srv/free/d/deep/new.txt")],
    allowed: [write("/srv/free/e/new.txt"), write("/srv/free/new.txt")]
  },
  {
    row: "9",
    about: "a dangling link taken for absent",
    given: link("/srv/free/dl", "/srv/secret/n"),
    blocked: [T("touch /srv/free/dl"), write("/srv/free/dl"), T("cp /srv/free/a /srv/free/dl")],
    allowed: [T("touch /srv/free/n")]
  },
  {
    row: "10",
    about: "mkdir -p through a linked parent",
    given: link("/srv/free/d", "/srv/secret"),
    blocked: [T("mkdir -p /srv/free/d/x/y")],
    allowed: [T("mkdir -p /srv/free/e/x/y")]
  },
  {
    row: "13",
    about: "a slash at the end empties the link's target",
    given: (world) => {
      link("/srv/free/d", "/srv/secret")(world)
      fs.mkdirSync(world.at("/srv/free/sub"))
    },
    blocked: [T("rm -r /srv/free/d/"), T("rm -rf /srv/free/d/.."), T("rm -r /srv/free/d")],
    allowed: [T("rm -r /srv/free/sub/")]
  },
  {
    row: "14",
    about: "an alias below /proc or /dev",
    given: link("/srv/free/p", "/proc/self/root"),
    blocked: [
      T("cat /proc/self/root/srv/secret/key"),
      T("cat /proc/self/cwd/key"),
      T("cat /dev/fd/3"),
      T("cat /dev/stdin"),
      read("/proc/self/environ"),
      read("/sys/kernel/x"),
      read("/srv/free/p/srv/free/a"),
      read("/srv/free/../../../../../../proc/version")
    ],
    allowed: [read("/srv/free/proc/a"), T("cat /srv/free/dev")]
  },
  {
    row: "18",
    about: "a sibling whose name starts alike",
    given: (world) => {
      fs.mkdirSync(world.at("/srv/secret-public"))
      fs.writeFileSync(world.at("/srv/secret-public/x"), "x")
    },
    blocked: [read("/srv/secret"), read("/srv/secret/key")],
    allowed: [read("/srv/secret-public/x"), read("/srv/secret2"), read("/srv/secre")]
  },
  {
    row: "21",
    about: "variables and homes",
    blocked: [T("cat $HOME/x"), T("cat ~/x"), read("~/x"), read("/srv/~root/x"), T("cat /srv/free/~a")],
    allowed: [read("/srv/free/a~")]
  },
  {
    row: "22",
    about: "substitutions and quotes inside an allowed word",
    blocked: [
      T("cat /srv/free/$(echo a)"),
      T("cat /srv/free/`echo a`"),
      T("cat ${v@P}"),
      T('"rm" /srv/free/a'),
      T("c''at /srv/free/a"),
      T('cat "/srv/free/"a')
    ],
    allowed: [T('cat "/srv/free/a"')]
  },
  {
    row: "23",
    about: "braces and globs",
    blocked: [T("cat /srv/{secret,work}/key"), T("rm -f /srv/*"), T("cat /srv/free/?"), T("cat /srv/free/[a]")],
    allowed: [T("rm -f /srv/free/a")]
  },
  {
    row: "24",
    about: "a line break separates commands",
    blocked: ["\n", "\r", "\u2028", "\u0000", "\t", "\v", "\u0085"].map((mark) =>
      T(`cat /srv/free/a${mark}rm /srv/free/a`)
    ),
    allowed: [T("cat /srv/free/a /srv/free/b")]
  },
  {
    row: "26",
    about: "an escaped option",
    blocked: [T("cp \\-t /srv/secret /srv/free/a"), T("cp \\-t /srv/free /srv/free/a")],
    allowed: [T("cp /srv/free/a /srv/free/b")]
  },
  {
    row: "27",
    about: "background and subshell",
    blocked: [
      T("cat /srv/free/a & rm /srv/free/a"),
      T("(cat /srv/free/a)"),
      T("{ cat /srv/free/a; }"),
      T("! cat /srv/free/a")
    ],
    allowed: [T("cat /srv/free/a")]
  },
  {
    row: "28",
    about: "redirections",
    blocked: [
      T("cat /srv/free/a >/srv/secret/key"),
      T("cat /srv/free/a 1<>/srv/secret/key"),
      T("cat /srv/free/a >& f"),
      T("cat </srv/secret/key")
    ],
    allowed: [T("cat /srv/free/a /srv/free/1")]
  },
  {
    row: "29",
    about: "a here document or an assignment before the word",
    blocked: [T("PATH=/srv/free cat /srv/free/a"), T("cat <<E\n$(id)\nE")],
    allowed: [T("cat /srv/free/PATH")]
  },
  {
    row: "30",
    about: "a bare assignment",
    blocked: [T("PATH=/srv/free"), T("export LD_PRELOAD=/srv/free/x.so"), T("alias cat=rm")],
    allowed: [T("pwd")]
  },
  {
    row: "31",
    about: "wrappers",
    blocked: ["env", "sudo", "nohup", "timeout 5", "watch", "command", "exec", "builtin", "xargs"].map((word) =>
      T(`${word} cat /srv/free/a`)
    ),
    allowed: [T("cat /srv/free/env")]
  },
  {
    row: "32",
    about: "words that only seem to read",
    blocked: [T("find /srv/free -exec rm {} +"), T("find /srv/free -delete"), T("ls /srv/free"), T("tee /srv/free/a")],
    allowed: [T("cat /srv/free/find")]
  },
  {
    row: "33",
    about: "abbreviated long options",
    blocked: [
      T("cp --targ=/srv/secret /srv/free/a"),
      T("cp --t /srv/secret /srv/free/a"),
      T("rm --recursive /srv/free/a")
    ],
    allowed: [T("cp -- /srv/free/a /srv/free/b")]
  },
  {
    row: "34",
    about: "options after the operands",
    blocked: [
      T("cp /srv/free/a /srv/secret/d --suffix /srv/free/x"),
      T("rm /srv/free/a -rf"),
      T("cp /srv/free/a /srv/free/b -t")
    ],
    allowed: [T("rm -rf /srv/free/a")]
  },
  {
    row: "35",
    about: "joined options, links, reading options",
    blocked: [
      T("cp -t/srv/secret /srv/free/a"),
      T("cp -l /srv/secret/key /srv/free/h"),
      T("cp -s /srv/free/a /srv/free/h"),
      T("cp -b /srv/free/a /srv/free/h"),
      T("touch -r /srv/secret/key /srv/free/t"),
      T("mkdir -m 777 /srv/free/x")
    ],
    allowed: [T("touch /srv/free/t"), T("mkdir -p /srv/free/x"), T("mkdir /srv/free/x")]
  },
  {
    row: "37",
    about: "the root or its parent is moved, copied or removed",
    blocked: [
      T("mv /srv/secret /srv/free/s"),
      T("cp -r /srv /tmp/c"),
      T("cp /srv /tmp/c"),
      T("mv /srv /srv2"),
      T("rm -r /srv"),
      T("rm -rf /"),
      T("mv /srv/free/a /srv")
    ],
    allowed: [T("mv /srv/free /srv/w2"), T("rm -r /srv/free"), T("cp /srv/free/a /tmp/c")]
  },
  {
    row: "38",
    about: "only the first or last operand checked",
    blocked: [
      T("cat /srv/free/a /srv/secret/key"),
      T("cat /srv/secret/key /srv/free/a"),
      T("rm /srv/free/a /srv/secret /srv/free/b")
    ],
    allowed: [T("cat /srv/free/a /srv/free/b /srv/free/c")]
  },
  {
    row: "39",
    about: "more than the analyser looks at",
    blocked: [
      T(`cat ${Array.from({ length: 200 }, () => "/srv/free/a").join(" ")}`),
      T(`cat /srv/free/${"a".repeat(20_000)}`),
      T(`cat ${Array.from({ length: 199 }, () => "/srv/free/a").join(" ")} /srv/secret/key`)
    ],
    allowed: [T(`cat ${Array.from({ length: 20 }, () => "/srv/free/a").join(" ")}`)]
  },
  {
    row: "40",
    about: "quotes and escapes that parsers read differently",
    blocked: [
      T("cat 'a\\' ; touch /srv/free/x"),
      T("cat '/srv/free/a\\'"),
      T('cat "/srv/free/a\\""'),
      T("cat $'/srv/free/a'")
    ],
    allowed: [T("cat '/srv/free/a'")]
  },
  {
    row: "42",
    about: "flags from a variable; a harmless word that switches rules off",
    blocked: [T("rm $F /srv/free/a"), T("rm /srv/secret/key # test"), T("rm /srv/free/a #")],
    allowed: [T("rm /srv/free/test")]
  },
  {
    row: "51",
    about: "paths outside `path`",
    blocked: [
      {
        tool: "patch",
        args: { mode: "patch", patch: "*** Begin Patch\n*** Delete File: /srv/secret/key\n*** End Patch" }
      },
      { tool: "patch", args: { path: "/srv/free/a", old_string: "x", new_string: "y", patch: "*** Begin Patch" } },
      { tool: "execute_code", args: { code: "open('/srv/secret/key').read()" } }
    ],
    allowed: [{ tool: "patch", args: { path: "/srv/free/a", old_string: "x", new_string: "y", mode: "replace" } }]
  },
  {
    row: "52",
    about: "the wrong argument name, or one too many",
    blocked: [
      { tool: "read_file", args: { file_path: "/srv/secret/key" } },
      { tool: "read_file", args: { path: "/srv/free/a", file_path: "/srv/secret/key" } },
      { tool: "write_file", args: { path: "/srv/free/a", content: "x", cross_profile: true } },
      { tool: "terminal", args: { command: "pwd", pty: false } }
    ],
    allowed: [{ tool: "read_file", args: { path: "/srv/free/a", offset: 1, limit: 10 } }]
  },
  {
    row: "53",
    about: "the sibling of a guarded tool",
    blocked: [
      { tool: "search_files", args: { pattern: "x", path: "/srv" } },
      { tool: "process", args: { action: "write", session_id: "1", data: "cat /srv/secret/key\n" } },
      { tool: "delegate_task", args: { goal: "read the key" } }
    ],
    allowed: [read("/srv/free/a")]
  }
]

const judge = (world: World, { args, tool }: Call): string => {
  const { action, reason } = world.decide(tool, world.mapped(args))
  return `${tool} ${JSON.stringify(args).slice(0, 120)}: ${action === "block" ? "block" : `${action} (${reason})`}`
}

for (const { about, allowed, blocked, given, row } of rows) {
  it(`row ${row}: ${about}`, () => {
    inWorld((world) => {
      given?.(world)
      for (const call of blocked) assert.match(judge(world, call), /: block$/)
      for (const call of allowed) assert.match(judge(world, call), /: allow \(tool_rule\)$/)
    })
  })
}

describe("rows that need a system of their own", () => {
  it("row 11: a parent that may not be searched is not an absent one", () => {
    // As root nothing is closed, so the look itself is made to fail; the real errno is tested beside the adapter.
    inWorld((world) => {
      const closed = {
        ...posixView,
        look: (path: string) => (path.includes("closed") ? ("not_permitted" as const) : posixView.look(path))
      }
      const policy = policyOf({ read_file: "allow" }, { [world.at("/srv/secret")]: "block" })
      const of = (path: string) => decide(policy, [], closed, "read_file", { path: world.at(path) }).decision
      assert.strictEqual(of("/srv/closed/a").reason, "path_unresolved")
      assert.strictEqual(of("/srv/free/a").action, "allow")
    })
  })

  it.skipIf(!mayMount)(
    "row 16: a bind mount of the root, of a part of it, and of its parent (skipped without mount rights)",
    () => {
      inWorld((world) => {
        for (const directory of ["b", "part", "up", "free"]) fs.mkdirSync(world.at(`/srv/free/${directory}`))
        fs.mkdirSync(world.at("/srv/secret/sub"))
        fs.mkdirSync(world.at("/tmp/free"))
        assert.isTrue(world.bind("/srv/secret", "/srv/free/b"))
        assert.isTrue(world.bind("/srv/secret/sub", "/srv/free/part"))
        assert.isTrue(world.bind("/srv", "/tmp/free"))
        assert.isTrue(world.bind("/tmp", "/srv/free/free"))
        for (const path of [
          "/srv/free/b/key",
          "/srv/free/b",
          "/srv/free/part/x",
          "/srv/free/part",
          "/tmp/free",
          "/tmp/free/secret/key"
        ]) {
          assert.strictEqual(world.decide("read_file", { path: world.at(path) }).action, "block", path)
          assert.strictEqual(world.decide("write_file", { path: world.at(path), content: "" }).action, "block", path)
        }
        assert.strictEqual(world.terminal("rm -r /srv/free").action, "block")
        assert.strictEqual(world.terminal("mv /srv/free /srv/w2").action, "block")
        for (const path of ["/srv/free/free/x", "/srv/free/a", "/tmp/free/desk/a"]) {
          assert.strictEqual(world.decide("read_file", { path: world.at(path) }).action, "allow", path)
        }
      })
    }
  )

  it("row 17: a case variant is another name here; where it is the same object, it is the root", () => {
    inWorld((world) => {
      const of = (path: string) => world.decide("read_file", { path: world.at(path) }).action
      const blind = fs.existsSync(world.at("/srv/SECRET"))
      assert.strictEqual(of("/srv/SECRET/key"), blind ? "block" : "allow")
      assert.strictEqual(of("/srv/secret/key"), "block")
    })
  })

  it("row 13 as it was found: what the guard refuses would have emptied the secret", () => {
    inWorld((world) => {
      link("/srv/free/d", "/srv/secret")(world)
      assert.strictEqual(world.terminal("rm -r /srv/free/d/").action, "block")
      spawnSync("rm", ["-r", world.at("/srv/free/d/")])
      assert.isFalse(fs.existsSync(world.at("/srv/secret/key")))
    })
  })

  it("row 8 as it was found: what the guard refuses would have landed in the secret", () => {
    inWorld((world) => {
      link("/srv/free/d", "/srv/secret")(world)
      assert.strictEqual(world.decide("write_file", { path: world.at("/srv/free/d/new"), content: "" }).action, "block")
      fs.writeFileSync(world.at("/srv/free/d/new"), "x")
      assert.isTrue(fs.existsSync(world.at("/srv/secret/new")))
      assert.strictEqual(fs.readFileSync(world.at("/srv/secret/key"), "utf8"), secretContent)
    })
  })
})

const home = "/home/u"
const settings = {
  default_action: "block",
  rules: [{ tool: "read_file", action: "allow" }],
  protected_paths: [{ path: "/srv/secret", action: "block" }]
}

describe("rows about policies", () => {
  it("row 20: a root with a slash at the end is refused, never dead", () => {
    const root = (path: string) => decode({ ...settings, protected_paths: [{ path, action: "block" }] }, home)
    assert.isTrue(Result.isFailure(root("/srv/secret/")))
    assert.isTrue(Result.isSuccess(root("/srv/secret")))
  })

  it("row 56: an unknown key is a load error", () => {
    assert.isTrue(Result.isFailure(decode({ ...settings, ruls: [] }, home)))
    assert.isTrue(Result.isSuccess(decode(settings, home)))
  })

  it("row 57: a policy that cannot be read is no permission, and no former policy stands in for it", () => {
    const read = policyReader()
    const value = (given: unknown) => read({ state: "value", value: given }, home)
    assert.isTrue(Result.isSuccess(value(settings)))
    for (const bad of [null, {}, "", [], { ...settings, rules: undefined }, JSON.stringify(settings).slice(0, 40)]) {
      assert.isTrue(Result.isFailure(value(bad)))
    }
    assert.isTrue(Result.isFailure(read({ state: "raised" }, home)))
    assert.isTrue(Result.isSuccess(value(settings)))
  })
})

describe("rows about other rules and other plugins", () => {
  it("row 43: a block is a block in every order of the rules", () => {
    inWorld((world) => {
      const secret = world.at("/srv/secret")
      const orders = [
        policyOf({ read_file: "allow" }, { [secret]: "block", [world.at("/srv")]: "approve" }),
        policyOf({ read_file: "allow" }, { [world.at("/srv")]: "approve", [secret]: "block" })
      ]
      for (const policy of orders) {
        const of = (path: string) =>
          decide(policy, [], posixView, "read_file", { path: world.at(path) }).decision.action
        assert.strictEqual(of("/srv/secret/key"), "block")
        assert.strictEqual(of("/srv/free/a"), "approve")
      }
    })
  })

  it("rows 44, 45: a block is sent as a block, never as an approval or as nothing", () => {
    const decision = { action: "block", reason: "protected_path", rule: "path:0" } as const
    assert.strictEqual(directiveOf(decision, "id").action, "block")
  })

  it("row 47: each approval asks under a key of its own", () => {
    const decision = { action: "approve", reason: "tool_rule", rule: "tool:0" } as const
    assert.notDeepEqual(directiveOf(decision, "1"), directiveOf(decision, "2"))
  })

  it("rows 48, 61: a target that changed is judged anew; the window between check and use stays", () => {
    inWorld((world) => {
      const path = world.at("/srv/free/x")
      const of = () => world.decide("write_file", { path, content: "" }).action
      fs.writeFileSync(path, "x")
      assert.strictEqual(of(), "allow")
      fs.rmSync(path)
      fs.symlinkSync(world.at("/srv/secret/key"), path)
      assert.strictEqual(of(), "block")
    })
  })

  it("row 49: the built-in policy and the guard's own roots never ask where they mean never", () => {
    assert.isTrue(defaultPolicy(home).protectedPaths.every((rule) => rule.action === "block"))
  })

  it("row 58: the guard's own files are out of reach without a rule", () => {
    inWorld((world) => {
      const self = selfRoots({
        hermes_home: world.at("/home/.hermes"),
        user_home: world.at("/home"),
        plugin_source: world.at("/opt/hermes-guardian"),
        backups: [world.at("/var/backups/guardian")]
      })
      const open = policyOf({ write_file: "allow" }, {}, "allow")
      const of = (path: string) =>
        decide(open, self, posixView, "write_file", { path: world.at(path), content: "" }).decision
      for (const path of [
        "/home/.hermes/config.yaml",
        "/home/.hermes/plugin-data/hermes-guardian/audit.jsonl",
        "/opt/hermes-guardian/__init__.py",
        "/var/backups/guardian/1",
        "/opt"
      ]) {
        assert.strictEqual(of(path).reason, "self_protection", path)
      }
      assert.strictEqual(of("/home/notes/a").action, "allow")
      assert.strictEqual(of("/opt/other/x").action, "allow")
    })
  })
})
