/** Small random worlds: a tree of few names with links, a policy over its paths, and calls that come close to both. */
import type { Action } from "@memory-bridge/core/guard/Decision"
import { make, type Policy } from "@memory-bridge/core/guard/Policy"
import type { Drawn } from "../../../packages/core/test/guard/Given.ts"
import type { Random } from "./Random.ts"

export type Drawing = Readonly<Record<string, Drawn>>

export interface Call {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

const names = ["a", "b", "c", "ab"]
const actions: ReadonlyArray<Action> = ["allow", "approve", "block"]
const tools = ["read_file", "write_file", "patch", "terminal", "other", "__proto__"]

const path = (random: Random, most = 3): string =>
  `/${Array.from({ length: 1 + random.int(most) }, () => random.pick(names)).join("/")}`

/** As a call may write it: with `..`, with a slash at the end, now and then not literal at all. */
export const writtenPath = (random: Random): string => {
  if (random.chance(0.02)) return random.pick(["a/b", "~/a", "/a//b", "/a/./b", "/proc/a", "/a\n", ""])
  const parts = path(random).split("/")
  if (random.chance(0.25)) parts.splice(1 + random.int(parts.length), 0, "..")
  return `${parts.join("/")}${random.chance(0.1) ? "/" : ""}` || "/"
}

const linkTarget = (random: Random): string => {
  const target = path(random)
  if (random.chance(0.5)) return target
  return random.pick([target.slice(1), `../${target.slice(1)}`, "..", ".", `${target}/`, `../..${target}`])
}

export const drawing = (random: Random): Drawing => {
  const drawn: Record<string, Drawn> = {}
  for (let count = 3 + random.int(6); count > 0; count--) {
    const at = path(random)
    const above = Object.keys(drawn).some((known) => at.startsWith(`${known}/`) && drawn[known] !== "dir")
    const below = Object.keys(drawn).some((known) => known.startsWith(`${at}/`))
    if (above || below) continue
    drawn[at] = random.chance(0.35) ? `-> ${linkTarget(random)}` : random.chance(0.5) ? "dir" : "file"
  }
  return drawn
}

const toolRule = (random: Random) => ({ tool: random.pick(tools), action: random.pick(actions), why: "" })

export const pathRule = (random: Random) =>
  ({ path: path(random, 2), action: random.chance(0.6) ? "block" : "approve", why: "" }) as const

export const policy = (random: Random): Policy =>
  make(
    random.pick(actions),
    random.list(6, () => toolRule(random)),
    random.list(3, () => pathRule(random))
  )

export const command = (random: Random): string => {
  const one = () => {
    const written = writtenPath(random)
    return random.chance(0.1) ? `"${written}"` : random.chance(0.1) ? `'${written}'` : written
  }
  const several = () => Array.from({ length: 1 + random.int(2) }, one).join(" ")
  const close = random.chance(0.1) ? "-- " : ""
  switch (random.int(8)) {
    case 0:
      return `cat ${close}${several()}`
    case 1:
      return `rm ${random.pick(["", "-r ", "-f ", "-rf ", "-fr ", "-i "])}${close}${several()}`
    case 2:
      return `touch ${several()}`
    case 3:
      return `mkdir ${random.pick(["", "-p "])}${one()}`
    case 4:
      return `cp ${close}${one()} ${one()}`
    case 5:
      return `mv ${one()} ${one()}`
    case 6:
      return random.pick(["pwd", "ls /a", "cat", "cp /a", "cat /a;b", "cat  /a", "sudo cat /a"])
    default:
      return `cat ${one()} ${one()}`
  }
}

export const call = (random: Random): Call => {
  const tool = random.pick(tools)
  switch (tool) {
    case "read_file":
      return { tool, args: { path: writtenPath(random), ...(random.chance(0.2) ? { limit: 5 } : {}) } }
    case "write_file":
      return { tool, args: { path: writtenPath(random), content: "x" } }
    case "patch":
      return { tool, args: { path: writtenPath(random), old_string: "x", new_string: "y" } }
    case "terminal":
      return {
        tool,
        args: { command: command(random), ...(random.chance(0.2) ? { workdir: writtenPath(random) } : {}) }
      }
    default:
      return { tool, args: { path: writtenPath(random) } }
  }
}
