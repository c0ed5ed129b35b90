/**
 * A root that holds, beside permitted notes, one of everything that must be refused: whatever opened the way to any of
 * them would show.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { chownSync, linkSync, symlinkSync } from "node:fs"
import { makePlace, outsideText, type Place, policyText } from "../race/Place.ts"

const has = (program: string, ...args: ReadonlyArray<string>): boolean => spawnSync(program, args).status === 0

/** Ids that must be served, and ids that must never be. */
export interface Notes {
  readonly place: Place
  /** A home whose policy permits the same by version 2, which ranks. */
  readonly ranked: string
  readonly served: ReadonlyArray<string>
  readonly refused: ReadonlyArray<string>
  /** What this machine could not build. */
  readonly lacks: ReadonlyArray<string>
}

/** Entries that an access control list alone refuses: the mask keeps the mode bits clean. */
const giveTo = (path: string, permissions: string): void => {
  execFileSync("setfacl", ["-m", `u:4242:${permissions},m::${permissions.replace("w", "-")}`, path])
}

export const makeNotes = (): Notes => {
  const place = makePlace()
  const { at, directory, file, root } = place
  const refused: Array<string> = []
  const lacks: Array<string> = []
  const refuse = (id: string, make: (path: string) => void): void => {
    make(`${root}/${id}`)
    refused.push(id)
  }
  const below = (id: string, mode?: number) => file(`memory/${id}`, outsideText, mode)

  const ranking = JSON.stringify({ ...(JSON.parse(policyText(root)) as object), version: 2 })
  file("ranked/plugin-data/memory-bridge/policy.json", ranking)

  // Longer than one read.
  file("memory/long.md", `needle long\n${"text ".repeat(20_000)}`)
  file("memory/top/second.md", "# Second\n\nneedle second")
  const served = ["long.md", "top/folder/note.md", "top/second.md"]
  // A list that grants nothing of the write class is no reason to refuse.
  if (has("setfacl", "--version")) {
    execFileSync("setfacl", ["-m", "u:4242:r", file("memory/shared.md", "needle shared")])
    served.push("shared.md")
    refuse("acl.md", (path) => giveTo((below("acl.md"), path), "rw"))
    refuse("given/note.md", () => giveTo((below("given/note.md"), directory("memory/given")), "rwx"))
  } else lacks.push("setfacl")

  refuse("link.md", (path) => symlinkSync(file("outside/note.md"), path))
  refuse("linked/note.md", () => symlinkSync(at("outside"), `${root}/linked`))
  refuse("second-name.md", (path) => linkSync(file("outside/other.md"), path))
  refuse("open.md", () => below("open.md", 0o606))
  refuse("team.md", () => below("team.md", 0o660))
  refuse("opened/note.md", () => (below("opened/note.md"), directory("memory/opened", 0o777)))
  refuse("private/note.md", () => below("private/note.md"))
  refuse("pipe.md", (path) => execFileSync("mkfifo", [path]))
  refuse("binary.md", () => file("memory/binary.md", `${outsideText}\0`))
  refuse("large.md", () => file("memory/large.md", outsideText + "x".repeat(300_000)))
  if (process.geteuid?.() === 0) {
    refuse("foreign.md", (path) => chownSync((below("foreign.md"), path), 4242, 4242))
  } else lacks.push("root")
  try {
    refuse("mounted.md", (path) => place.bind(file("outside/mounted.md"), (file("memory/mounted.md", ""), path)))
    refuse("mounted/note.md", () => {
      file("elsewhere/note.md")
      place.bind(at("elsewhere"), directory("memory/mounted"))
    })
  } catch {
    lacks.push("the right to mount")
  }
  return { place, ranked: at("ranked"), served: served.toSorted(), refused, lacks }
}
