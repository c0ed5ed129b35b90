/**
 * Path facts against the kernel. (issue 3 "Path facts against the kernel")
 *
 * Random trees with links, `..`, dangling links, hard links and, where this user may, bind mounts, over a random
 * protected root. Every call that the guard allows is really done: the protected root must be what it was, and no
 * secret may come out. And where a path leads is compared with the kernel's own answer.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { decide } from "@memory-bridge/core/guard/Decide"
import { lexical } from "@memory-bridge/core/guard/LiteralPath"
import { snapshot } from "@memory-bridge/core/guard/PathFacts"
import { make, type Policy } from "@memory-bridge/core/guard/Policy"
import { isRefused, walk } from "@memory-bridge/core/guard/Walk"
import { posixView } from "@memory-bridge/platform-posix/guard/PathFacts"
import { cases, forEachSeed, type Random } from "./support/Random.ts"
import { mayMount } from "./support/World.ts"

const names = ["a", "b", "c"]
const marker = "SECRET"

interface Tree {
  /** Nothing is ever changed outside of this. */
  readonly top: string
  /** So deep below it that the `..` of a few links and paths do not leave it. */
  readonly base: string
  readonly root: string
  readonly end: () => void
}

const inner = (random: Random): string =>
  Array.from({ length: 1 + random.int(3) }, () => `/${random.pick(names)}`).join("")

/** Below the tree, with `..` and slashes at the end now and then. */
const written = (random: Random, { base }: Tree): string => {
  const parts = inner(random).split("/")
  if (random.chance(0.3)) parts.splice(1 + random.int(parts.length), 0, "..")
  return base + parts.join("/") + (random.chance(0.1) ? "/" : "")
}

const realPath = (path: string): string | undefined => {
  try {
    return fs.realpathSync.native(path)
  } catch {
    return undefined
  }
}

const linkAt = (path: string): string | undefined => {
  try {
    return fs.readlinkSync(path)
  } catch {
    return undefined
  }
}

/** Whether a path leads to somewhere below `top`, existing or not. Asked before anything is changed by that path. */
const isInside = (top: string, path: string, left = 20): boolean => {
  if (left === 0) return false
  const real = realPath(path)
  if (real !== undefined) return real.startsWith(`${top}/`)
  const link = linkAt(path)
  const parent = realPath(dirname(path))
  if (link !== undefined) return parent !== undefined && isInside(top, resolve(parent, link), left - 1)
  return isInside(top, dirname(path), left - 1)
}

const attempt = (action: () => void): void => {
  try {
    action()
  } catch {
    // The name is taken, or something on the way is no directory: the tree is as random as it gets.
  }
}

/** One by one: Node's own recursive form never ends where a directory exists but takes no names, as a deleted one. */
const makeDirectories = (path: string): void => {
  for (let end = path.indexOf("/", 1); end > 0; end = path.indexOf("/", end + 1)) {
    attempt(() => fs.mkdirSync(path.slice(0, end)))
  }
  attempt(() => fs.mkdirSync(path))
}

const grow = (random: Random, top: string, base: string): void => {
  const at = base + inner(random)
  const other = base + inner(random)
  if (!isInside(top, at)) return
  attempt(() => {
    switch (random.int(6)) {
      case 0:
      case 1:
        return makeDirectories(at)
      case 2:
        return fs.writeFileSync(at, "free")
      case 3:
        return fs.symlinkSync(
          random.chance(0.5) ? other : random.pick(["..", ".", "../a", "../b/c", "a", "c/../b", "b/"]),
          at
        )
      case 4:
        return fs.symlinkSync(other, at)
      default:
        return fs.linkSync(other, at)
    }
  })
}

const bind = (random: Random, base: string): void => {
  const [source, point] = random.shuffled(directoriesBelow(base))
  if (source !== undefined && point !== undefined) spawnSync("mount", ["--bind", source, point])
}

/** `undefined` for a name that leads nowhere, in whatever way. */
const factsOf = (path: string): fs.BigIntStats | undefined => {
  try {
    return fs.lstatSync(path, { bigint: true })
  } catch {
    return undefined
  }
}

const filesBelow = (path: string): ReadonlyArray<string> => {
  const facts = factsOf(path)
  if (facts === undefined) return []
  if (!facts.isDirectory()) return facts.isFile() ? [path] : []
  return fs.readdirSync(path).flatMap((name) => filesBelow(join(path, name)))
}

const directoriesBelow = (path: string): ReadonlyArray<string> =>
  fs.readdirSync(path).flatMap((name) => {
    const inside = join(path, name)
    return factsOf(inside)?.isDirectory() ? [inside].concat(directoriesBelow(inside)) : []
  })

/** The mount points below a folder, the innermost first: a command may have moved them since they were made. */
const pointsBelow = (top: string): ReadonlyArray<string> =>
  process.platform === "linux"
    ? fs
        .readFileSync("/proc/self/mountinfo", "utf8")
        .split("\n")
        .map((row) => row.split(" ")[4] ?? "")
        .filter((point) => point.startsWith(`${top}/`))
        .toReversed()
    : []

const makeTree = (random: Random, mounts: boolean): Tree => {
  const top = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "guard-kernel-")))
  const base = `${top}/1/2/3/4/5/6/7/8`
  fs.mkdirSync(base, { recursive: true })
  const root = base + inner(random)
  for (let count = 6 + random.int(10); count > 0; count--) grow(random, top, base)
  if (mounts && mayMount && random.chance(0.4)) {
    for (let count = 1 + random.int(2); count > 0; count--) bind(random, base)
  }
  for (const file of filesBelow(realPath(root) ?? root)) if (isInside(top, file)) fs.writeFileSync(file, marker)
  return {
    top,
    base,
    root,
    end: () => {
      for (const point of pointsBelow(top)) spawnSync("umount", ["-l", point])
      fs.rmSync(top, { recursive: true, force: true })
    }
  }
}

/** Everything that is protected, as it is now: names, kinds, links, contents, times of change. */
const stateOf = (path: string): unknown => {
  const facts = factsOf(path)
  if (facts === undefined) return "missing"
  const common = [facts.ino, facts.mode, facts.mtimeNs].join(" ")
  if (facts.isSymbolicLink()) return [common, fs.readlinkSync(path)]
  if (facts.isFile()) return [common, fs.readFileSync(path, "utf8")]
  if (!facts.isDirectory()) return common
  return [common, Object.fromEntries(fs.readdirSync(path).map((name) => [name, stateOf(join(path, name))]))]
}

/** The root by its own name and by where it leads. */
const protectedState = (root: string): unknown => {
  const real = realPath(root)
  return [stateOf(root), real === undefined ? "nowhere" : stateOf(real)]
}

/** Several names of one file: with those, reading a protected file by its other name is a stated limit. */
const hasSecretLinks = (root: string): boolean => {
  const real = realPath(root)
  return real !== undefined && filesBelow(real).some((file) => fs.statSync(file).nlink > 1)
}

interface Doing {
  readonly tool: string
  readonly paths: ReadonlyArray<string>
  readonly args: Readonly<Record<string, unknown>>
  readonly perform: () => string
}

const shell = (word: string, ...paths: ReadonlyArray<string>): Doing => shellText(`${word} ${paths.join(" ")}`, paths)

const shellText = (command: string, paths: ReadonlyArray<string>): Doing => ({
  tool: "terminal",
  paths,
  args: { command },
  perform: () => spawnSync("/bin/sh", ["-c", command], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).stdout
})

/** As the host's file tool does it: `..` taken off as text, parents made, then written. And as a plain write. */
const writing = (path: string, textual: boolean): Doing => ({
  tool: "write_file",
  paths: [path, lexical(path)],
  args: { path, content: "x" },
  perform: () => {
    const target = textual ? lexical(path) : path
    attempt(() => {
      if (textual) makeDirectories(dirname(target))
      fs.writeFileSync(target, "x")
    })
    return ""
  }
})

const doing = (random: Random, tree: Tree): Doing => {
  const one = () => written(random, tree)
  switch (random.int(10)) {
    case 0:
    case 1:
      return writing(one(), random.chance(0.5))
    case 2:
      return shell("touch", one())
    case 3:
      return shell(random.pick(["mkdir -p", "mkdir"]), one())
    case 4:
      return shell("rm -r", one())
    case 5:
      return shell("rm -f", one(), one())
    case 6:
    case 7:
      return shell("cp", one(), one())
    case 8:
      return shell("mv", one(), one())
    default:
      return shell("cat", one(), one())
  }
}

const policyFor = (root: string): Policy =>
  make(
    "block",
    ["write_file", "terminal"].map((tool) => ({ tool, action: "allow", why: "" })),
    [{ path: root, action: "block", why: "" }]
  )

const inTree = <A>(random: Random, mounts: boolean, use: (tree: Tree) => A): A => {
  const tree = makeTree(random, mounts)
  try {
    return use(tree)
  } finally {
    tree.end()
  }
}

describe("what the guard allows", () => {
  const trees = cases(100, 3000)

  it(`leaves the protected root as it was, on ${trees} random trees`, { timeout: 1_200_000 }, () => {
    let allowed = 0
    let blocked = 0
    let mounted = 0
    forEachSeed(500_000, trees, (random) =>
      inTree(random, true, (tree) => {
        const policy = policyFor(tree.root)
        const before = protectedState(tree.root)
        const secretLinks = hasSecretLinks(tree.root)
        if (pointsBelow(tree.top).length > 0) mounted += 1
        for (let count = 0; count < 18; count++) {
          const { args, paths, perform, tool } = doing(random, tree)
          if (!paths.every((path) => isInside(tree.top, path))) continue
          if (decide(policy, [], posixView, tool, args).decision.action !== "allow") {
            blocked += 1
            continue
          }
          allowed += 1
          const output = perform()
          const said = `${tool} ${JSON.stringify(args)} with root ${tree.root}`
          assert.deepStrictEqual(protectedState(tree.root), before, said)
          if (!secretLinks) assert.notInclude(output, marker, said)
        }
      })
    )
    process.stdout.write(
      `kernel: ${trees} trees (${mounted} with bind mounts), ${allowed} calls allowed and done, ${blocked} blocked\n`
    )
    assert.isAbove(allowed, trees)
    assert.isAbove(blocked, trees)
  })
})

describe("where a path leads", () => {
  const trees = cases(80, 3000)

  it(`is where the kernel says, on ${trees} random trees`, { timeout: 600_000 }, () => {
    const seen = { same: 0, future: 0, refused: 0 }
    forEachSeed(600_000, trees, (random) =>
      inTree(random, false, (tree) => {
        for (let count = 0; count < 80; count++) {
          const path = written(random, tree)
          const result = walk(snapshot(posixView), path)
          let real: string | undefined
          let code: string | undefined
          try {
            real = fs.realpathSync.native(path)
          } catch (error) {
            code = (error as { readonly code?: string }).code
          }
          if (isRefused(result)) {
            seen.refused += 1
            assert.notStrictEqual(code, undefined, `${path} refused: ${result.refused}`)
            if (code === "ENOENT") assert.strictEqual(result.refused, "above_missing", path)
          } else if (result.end === undefined) {
            seen.future += 1
            assert.strictEqual(code, "ENOENT", path)
          } else {
            seen.same += 1
            assert.strictEqual(real, result.target, path)
          }
        }
      })
    )
    for (const count of Object.values(seen)) assert.isAbove(count, trees)
  })
})
