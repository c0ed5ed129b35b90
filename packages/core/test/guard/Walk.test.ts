/** Seed 004 "Path checks": lexical identity, every link and its target, `..` after links, future names, no guessing. */
import { assert, describe, it } from "@effect/vitest"
import { tableOf } from "@memory-bridge/core/guard/Mounts"
import { snapshot } from "@memory-bridge/core/guard/PathFacts"
import { isRefused, walk } from "@memory-bridge/core/guard/Walk"
import { type Drawn, treeOf } from "./Given.ts"

const walked = (drawing: Readonly<Record<string, Drawn>>, path: string) => {
  const result = walk(snapshot(treeOf(drawing)), path)
  return isRefused(result) ? assert.fail(result.refused) : result
}

const refusal = (drawing: Readonly<Record<string, Drawn>>, path: string) => {
  const result = walk(snapshot(treeOf(drawing)), path)
  return isRefused(result) ? result.refused : assert.fail(result.target)
}

const visited = (drawing: Readonly<Record<string, Drawn>>, path: string) =>
  walked(drawing, path).visited.map((visit) => visit.path)

describe("a path without links", () => {
  it("leads to itself, past each of its directories", () => {
    const result = walked({ "/srv/free/a": "file" }, "/srv/free/a")
    assert.deepStrictEqual(result.names, ["/srv/free/a"])
    assert.strictEqual(result.end?.kind, "file")
    assert.strictEqual(result.future, "")
    assert.deepStrictEqual(visited({ "/srv/free/a": "file" }, "/srv/free/a"), ["/", "/srv", "/srv/free", "/srv/free/a"])
  })

  it("/ is a path too", () => {
    const result = walked({}, "/")
    assert.strictEqual(result.target, "/")
    assert.strictEqual(result.end?.kind, "directory")
  })

  it("may be future: the names that are missing follow the last that is there", () => {
    const result = walked({ "/srv/free": "dir" }, "/srv/free/new/er/a")
    assert.strictEqual(result.target, "/srv/free/new/er/a")
    assert.strictEqual(result.future, "/new/er/a")
    assert.isUndefined(result.end)
    assert.strictEqual(result.anchor, result.visited.at(-1)?.id)
  })

  it("a future directory may be written with a slash", () => {
    assert.strictEqual(walked({ "/srv": "dir" }, "/srv/new/").target, "/srv/new")
  })
})

describe("links", () => {
  it("the link keeps its own name beside the one it leads to", () => {
    const tree = { "/srv/secret/key": "file", "/srv/free/l": "-> /srv/secret/key" } as const
    assert.deepStrictEqual(walked(tree, "/srv/free/l").names, ["/srv/free/l", "/srv/secret/key"])
  })

  it("a link on the way gives three names: as written, as an entry, in the end", () => {
    const tree = { "/real/l": "-> ../other/x", "/other/x": "file", "/alias": "-> /real" } as const
    assert.deepStrictEqual(walked(tree, "/alias/l").names, ["/alias/l", "/real/l", "/other/x"])
  })

  it("relative targets start at the link's own directory", () => {
    assert.strictEqual(walked({ "/a/b/l": "-> ../c/./d", "/a/c/d": "dir" }, "/a/b/l/new").target, "/a/c/d/new")
  })

  it("a dangling link leads to the future target, not to its own name", () => {
    const result = walked({ "/srv/secret": "dir", "/srv/free/dl": "-> /srv/secret/n" }, "/srv/free/dl")
    assert.strictEqual(result.target, "/srv/secret/n")
    assert.strictEqual(result.future, "/n")
  })

  it("every link of a chain is met, and every directory on the way", () => {
    const tree = { "/w/1": "-> /s/2", "/s/2": "-> /w/a", "/w/a": "file" } as const
    assert.deepStrictEqual(visited(tree, "/w/1"), ["/", "/w", "/w/1", "/s", "/s/2", "/w", "/w/a"])
  })

  it("forty are followed, as the kernel does, and one more is not", () => {
    const chain = (length: number): Record<string, Drawn> =>
      Object.fromEntries([
        ["/end", "file"],
        ...Array.from({ length }, (_, n) => [`/l${n}`, n === 0 ? "-> /end" : `-> /l${n - 1}`])
      ])
    assert.strictEqual(walked(chain(40), "/l39").target, "/end")
    assert.strictEqual(refusal(chain(41), "/l40"), "link_loop")
  })

  it("a loop is refused", () => {
    assert.strictEqual(refusal({ "/a": "-> /b", "/b": "-> /a" }, "/a"), "link_loop")
    assert.strictEqual(refusal({ "/a": "-> a" }, "/a/x"), "link_loop")
  })

  it("a slash at the end asks for a directory, through the link", () => {
    const tree = { "/srv/secret": "dir", "/srv/free/d": "-> /srv/secret", "/srv/f": "file", "/srv/lf": "-> f" } as const
    assert.strictEqual(walked(tree, "/srv/free/d/").target, "/srv/secret")
    assert.strictEqual(refusal(tree, "/srv/f/"), "not_directory")
    assert.strictEqual(refusal(tree, "/srv/lf/"), "not_directory")
  })

  it("a link whose target ends with a slash asks for a directory too", () => {
    assert.strictEqual(refusal({ "/f": "file", "/l": "-> /f/" }, "/l"), "not_directory")
  })

  it("a link to / and a link to its own directory", () => {
    assert.strictEqual(walked({ "/a/l": "-> /", "/b": "dir" }, "/a/l/b").target, "/b")
    assert.strictEqual(walked({ "/a/l": "-> .", "/a/b": "dir" }, "/a/l/l/b").target, "/a/b")
    assert.strictEqual(walked({ "/a/l": "-> ..", "/b": "dir" }, "/a/l/b").target, "/b")
  })
})

describe(".. is the parent of where the walk is, not of what is written", () => {
  const tree = { "/srv/secret/sub": "dir", "/srv/free/d": "-> /srv/secret/sub", "/srv/free/key": "file" } as const

  it("after a link it goes up from the link's target", () => {
    assert.deepStrictEqual(walked(tree, "/srv/free/d/../key").names, ["/srv/free/key", "/srv/secret/key"])
  })

  it("at the end it names the parent directory", () => {
    assert.strictEqual(walked(tree, "/srv/free/d/..").target, "/srv/secret")
  })

  it("above / there is only /", () => {
    assert.strictEqual(walked(tree, "/../../srv/free/key").target, "/srv/free/key")
  })

  it("after a missing name it is refused, because tools disagree", () => {
    assert.strictEqual(refusal(tree, "/srv/none/../other/key"), "above_missing")
    assert.strictEqual(refusal({ "/w/dl": "-> /none/../x" }, "/w/dl"), "above_missing")
  })

  it("after a file it is refused", () => {
    assert.strictEqual(refusal(tree, "/srv/free/key/../key"), "not_directory")
  })
})

describe("what the system will not say is refused", () => {
  it.each([["not_permitted"], ["name_too_long"], ["not_utf8"], ["io"]] as const)("%s", (fault) => {
    assert.strictEqual(refusal({ "/srv/closed": `! ${fault}` }, "/srv/closed/a"), fault)
    assert.strictEqual(refusal({ "/srv/closed": `! ${fault}` }, "/srv/closed"), fault)
  })

  it("a link into processes or devices is refused wherever it stands on the way", () => {
    const tree = { "/proc/self/root": "-> /", "/w/p": "-> /proc/self/root", "/w/q": "-> /w/p", "/a": "file" } as const
    assert.strictEqual(refusal(tree, "/w/p/a"), "special_file_system")
    assert.strictEqual(refusal(tree, "/w/q"), "special_file_system")
    assert.strictEqual(refusal(tree, "/w/../proc/self/root/a"), "special_file_system")
    assert.strictEqual(refusal({ "/w/d": "-> /dev/none" }, "/w/d"), "special_file_system")
  })

  it("so is a process file system that is mounted elsewhere, and a link in it", () => {
    const tree = treeOf({ "/jail/proc/1/root": "-> /", "/jail/proc/1/environ": "file", "/jail/a": "file" })
    const mounts = tableOf([
      { id: 1, parent: 0, point: "/", device: "8:1", root: "/", special: false },
      { id: 2, parent: 1, point: "/jail/proc", device: "0:5", root: "/", special: true }
    ])
    const refused = (path: string) => {
      const result = walk(snapshot({ ...tree, mounts: () => mounts }), path)
      return isRefused(result) ? result.refused : "walked"
    }
    for (const path of ["/jail/proc/1/root/jail/a", "/jail/proc/1/environ", "/jail/proc", "/jail/proc/2"]) {
      assert.strictEqual(refused(path), "special_file_system", path)
    }
    assert.strictEqual(refused("/jail/a"), "walked")
  })

  it("a name below a file is no future name", () => {
    assert.strictEqual(refusal({ "/f": "file" }, "/f/x"), "not_directory")
  })
})

it("each name is looked at once in a snapshot, and equal identities get equal numbers", () => {
  let looks = 0
  const tree = treeOf({ "/s/key": "file", "/w/b": "on /s" })
  const once = snapshot({
    ...tree,
    look: (path) => {
      looks += 1
      return tree.look(path)
    }
  })
  const first = walk(once, "/s/key")
  const second = walk(once, "/w/b/key")
  walk(once, "/w/b/key")
  assert.strictEqual(looks, 6)
  assert.isFalse(isRefused(first) || isRefused(second))
  if (!isRefused(first) && !isRefused(second)) assert.strictEqual(first.end?.id, second.end?.id)
})
