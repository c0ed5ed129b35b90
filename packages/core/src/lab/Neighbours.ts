/**
 * Calls that lie close to a rule: where a rule is wrong by one, one of them shows it. (issue "generated neighbours of
 * every rule"; cases/guard.md rows 4, 13, 17, 18, 20)
 *
 * Round a root: the root itself, its parent, a child, siblings with a common head, and other spellings of its name.
 * Round a tool: its name in other spellings, and for the inspected ones each argument present, absent, of a wrong type
 * and one too many.
 */
import type { RuleReference } from "../guard/Decision.ts"
import { inspectedTools } from "../guard/Inspection.ts"
import { joined, lastName, parentOf } from "../guard/LiteralPath.ts"
import type { Policy } from "../guard/Policy.ts"
import { pathForms } from "./Classes.ts"
import { freshNames } from "./Positions.ts"
import type { ProposedCall } from "./Simulation.ts"

export const pathKinds = [
  "the root",
  "its parent",
  "a child",
  "a sibling with a common head",
  "a sibling with a common tail",
  "a name cut short",
  "spelled with ..",
  "spelled with .",
  "spelled with two slashes",
  "spelled with a slash at the end",
  "spelled in the other case"
] as const
export type PathKind = (typeof pathKinds)[number]

export const toolKinds = ["the tool", "a longer name", "a shorter name", "a name in the other case"] as const
export type ToolKind = (typeof toolKinds)[number]

export const argumentKinds = [
  "required arguments alone",
  "one more argument",
  "one argument less",
  "one argument of a wrong type",
  "one argument that is unknown"
] as const
export type ArgumentKind = (typeof argumentKinds)[number]

export type NeighbourKind = PathKind | ToolKind | ArgumentKind

export interface Neighbour extends ProposedCall {
  readonly source: "neighbour"
  readonly kind: NeighbourKind
  /** `null`: near no rule of its own, but to what the inspection accepts. */
  readonly rule: RuleReference | null
}

const otherCase = (text: string): string => (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase())

/** Paths near a root. Those that the root has not, `/` above all, are left out. */
export const pathsNear = (root: string, fresh: string): ReadonlyArray<readonly [PathKind, string]> => {
  const name = lastName(root)
  const parent = parentOf(root)
  const beside = (other: string) => joined(parent, other)
  const near: ReadonlyArray<readonly [PathKind, string]> =
    name === ""
      ? []
      : [
          ["its parent", parent],
          ["a sibling with a common head", beside(`${name}-${fresh}`)],
          ["a sibling with a common tail", beside(`${fresh}-${name}`)],
          ["a name cut short", name.length > 1 ? beside(name.slice(0, -1)) : root],
          ["spelled with ..", joined(joined(parent, fresh), `../${name}`)],
          ["spelled with .", beside(`./${name}`)],
          ["spelled with two slashes", `${joined(parent, "")}/${name}`],
          ["spelled with a slash at the end", `${root}/`],
          ["spelled in the other case", beside(otherCase(name))]
        ]
  return [
    ["the root", root],
    ["a child", joined(root, fresh)],
    ...near.filter(([kind, path]) => path !== root && !(kind === "its parent" && path === ""))
  ]
}

const nearRoot = (root: string, rule: RuleReference, fresh: string, free: string): ReadonlyArray<Neighbour> =>
  pathsNear(root, fresh).flatMap(([kind, path]) =>
    pathForms.map(({ args, shape, tool }) => ({
      source: "neighbour",
      kind,
      rule,
      label: `${rule}, ${kind}: ${tool}${shape === "path" ? "" : ` ${shape}`}`,
      tool,
      args: args(path, free)
    }))
  )

const namesNear = (tool: string): ReadonlyArray<readonly [ToolKind, string]> => {
  const near: ReadonlyArray<readonly [ToolKind, string]> = [
    ["a longer name", `${tool}_x`],
    ["a shorter name", tool.slice(0, -1)],
    ["a name in the other case", otherCase(tool)]
  ]
  return [["the tool", tool], ...near.filter(([, name]) => name !== tool && name !== "")]
}

/** For an inspected tool, its arguments without a path of any rule. */
const plainArgs = (tool: string, free: string): Args =>
  pathForms.find((form) => form.tool === tool && form.shape !== "workdir")?.args(free, free) ?? {}

const nearTool = (tool: string, rule: RuleReference, free: string): ReadonlyArray<Neighbour> =>
  namesNear(tool).map(([kind, name]) => ({
    source: "neighbour",
    kind,
    rule,
    label: `${rule}, ${kind}`,
    tool: name,
    args: plainArgs(name, free)
  }))

type Args = Readonly<Record<string, unknown>>

/** Of each inspected tool: optional arguments with values that are accepted, and some that are not. */
const optional: Readonly<Record<string, ReadonlyArray<readonly [name: string, value: unknown]>>> = {
  read_file: [
    ["offset", 1],
    ["limit", 10],
    ["limit", 0.5]
  ],
  write_file: [],
  patch: [
    ["replace_all", true],
    ["mode", "replace"],
    ["mode", "patch"]
  ],
  terminal: [
    ["background", false],
    ["background", true],
    ["timeout", 1],
    ["timeout", 180],
    ["timeout", 0],
    ["timeout", 181]
  ]
}

const nearArguments = (tool: string, free: string): ReadonlyArray<Neighbour> => {
  const base = plainArgs(tool, free)
  const more = [...(optional[tool] ?? []), ...(tool === "terminal" ? [["workdir", free] as const] : [])]
  const of = (kind: ArgumentKind, what: string, args: Args): Neighbour => ({
    source: "neighbour",
    kind,
    rule: null,
    label: `${tool}, ${kind}${what === "" ? "" : `: ${what}`}`,
    tool,
    args
  })
  const without = (name: string): Args => Object.fromEntries(Object.entries(base).filter(([key]) => key !== name))
  return [
    of("required arguments alone", "", base),
    ...more.map(([name, value]) =>
      of("one more argument", `${name} ${JSON.stringify(value)}`, { ...base, [name]: value })
    ),
    ...Object.keys(base).map((name) => of("one argument less", name, without(name))),
    ...Object.keys(base).map((name) => of("one argument of a wrong type", name, { ...base, [name]: 1 })),
    of("one argument that is unknown", "", { ...base, unknown: true })
  ]
}

/** Near every rule of the policy, and near what the inspection accepts. */
export const neighboursOf = ({ protectedPaths, rules }: Policy): ReadonlyArray<Neighbour> => {
  const [fresh = "x", other = "y"] = freshNames(
    protectedPaths.map(({ path }) => path),
    2
  )
  const free = `/${other}`
  return [
    ...rules.flatMap(({ tool }, index) => nearTool(tool, `tool:${index}`, free)),
    ...protectedPaths.flatMap(({ path }, index) => nearRoot(path, `path:${index}`, fresh, free)),
    ...inspectedTools.flatMap((tool) => nearArguments(tool, free))
  ]
}
