/**
 * The equivalence classes of tool calls under two policies: finitely many, and each with a call that stands for it.
 * (design.md section 9 "compares two policies exhaustively")
 *
 * A class is a tool, a shape of its arguments and, where the shape has a path, the position of that path. Tools are
 * those that either policy names, the inspected four, and one that stands for every other name. Two calls of one class
 * get one verdict from either policy, as long as names decide alone (see `Difference.ts` for links).
 *
 * **Calls with several paths need no classes of their own.** A verdict is the strongest of what the tool's rules say
 * and of what each path adds, so for a call with the paths p1 … pn it is the strongest among the verdicts of the same
 * tool with p1 alone … pn alone. Let such a call weaken. The path whose verdict was the strongest before had the
 * call's old verdict, and has no more than the call's new verdict now: that path alone weakened, by no less. The same
 * read backwards holds for strengthened calls. And a class that changed is a call that changed, since its example has a
 * second path, where the command wants one, that no rule finds unless it finds the first as well. The same argument
 * covers a working directory beside a command, the file that `cp` makes in a directory (it lies in what the target
 * lies in), and a path through `..`: it adds what each directory on its way adds, which is what `below` its nearest
 * root adds.
 *
 * Verdicts come from the engine, on the class's example call; there is no second engine here.
 */
import { decider } from "../guard/Decide.ts"
import type { Decision } from "../guard/Decision.ts"
import { inspect, inspectedTools } from "../guard/Inspection.ts"
import type { View } from "../guard/PathFacts.ts"
import type { Policy } from "../guard/Policy.ts"
import { freshNames, plainView, type Position, positionsOf } from "./Positions.ts"

/** What the arguments are, as far as a decision can depend on it. */
export type Shape =
  | "name alone"
  | "unsupported arguments"
  | "unsupported command"
  | "no path"
  | "path"
  | "cat"
  | "touch"
  | "mkdir"
  | "rm"
  | "rm -r"
  | "cp from"
  | "cp to"
  | "mv from"
  | "mv to"
  | "workdir"

export interface ExampleCall {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

export interface CallClass {
  /** `null` stands for every tool that neither policy names and that is not inspected. */
  readonly tool: string | null
  readonly shape: Shape
  /** `null` where the shape has no path. */
  readonly position: Position | null
  readonly before: Decision
  readonly after: Decision
  /** Decided as `before` and `after` say, where every root is a plain directory. */
  readonly example: ExampleCall
}

type Args = ExampleCall["args"]

/** In a command a path with a space must be quoted. */
const word = (path: string): string => (path.includes(" ") ? `"${path}"` : path)

export interface PathForm {
  readonly tool: string
  readonly shape: Shape
  /** `free`: another path, in the position that the fewest rules find. */
  readonly args: (path: string, free: string) => Args
}

const onTerminal = (shape: Shape, command: (path: string, free: string) => string): PathForm => ({
  tool: "terminal",
  shape,
  args: (path, free) => ({ command: command(word(path), free) })
})

/** Every way in which an inspected tool names a path. */
export const pathForms: ReadonlyArray<PathForm> = [
  { tool: "read_file", shape: "path", args: (path) => ({ path }) },
  { tool: "write_file", shape: "path", args: (path) => ({ path, content: "" }) },
  { tool: "patch", shape: "path", args: (path) => ({ path, old_string: "a", new_string: "b" }) },
  onTerminal("cat", (path) => `cat ${path}`),
  onTerminal("touch", (path) => `touch ${path}`),
  onTerminal("mkdir", (path) => `mkdir ${path}`),
  onTerminal("rm", (path) => `rm ${path}`),
  onTerminal("rm -r", (path) => `rm -r ${path}`),
  onTerminal("cp from", (path, free) => `cp ${path} ${free}`),
  onTerminal("cp to", (path, free) => `cp ${free} ${path}`),
  onTerminal("mv from", (path, free) => `mv ${path} ${free}`),
  onTerminal("mv to", (path, free) => `mv ${free} ${path}`),
  { tool: "terminal", shape: "workdir", args: (path) => ({ command: "pwd", workdir: path }) }
]

interface OffPath {
  readonly tool: string | null
  readonly shape: Shape
  readonly example: ExampleCall
}

const otherTool = "another_tool"

/** A name that nobody uses, in either policy. */
const unnamed = (named: ReadonlySet<string>): string => {
  let name = otherTool
  while (named.has(name)) name += "_"
  return name
}

const offPaths = (named: ReadonlySet<string>): ReadonlyArray<OffPath> => {
  const byName = [...named].filter((tool) => !inspectedTools.includes(tool))
  return [
    ...inspectedTools.map((tool): OffPath => ({ tool, shape: "unsupported arguments", example: { tool, args: {} } })),
    {
      tool: "terminal",
      shape: "unsupported command",
      example: { tool: "terminal", args: { command: "sh" } }
    },
    { tool: "terminal", shape: "no path", example: { tool: "terminal", args: { command: "pwd" } } },
    ...byName.map((tool): OffPath => ({ tool, shape: "name alone", example: { tool, args: {} } })),
    { tool: null, shape: "name alone", example: { tool: unnamed(named), args: {} } }
  ]
}

/** What both policies speak of. */
export interface Ground {
  readonly before: Policy
  readonly after: Policy
  /** Without repeats, in the order of the policies, the former first. */
  readonly roots: ReadonlyArray<string>
  readonly tools: ReadonlySet<string>
  /** Names that are part of no root. */
  readonly fresh: readonly [below: string, free: string, elsewhere: string]
  readonly plain: View
}

export const groundOf = (before: Policy, after: Policy): Ground => {
  const both = [before, after]
  const roots = [...new Set(both.flatMap((policy) => policy.protectedPaths.map((rule) => rule.path)))]
  const [below = "x", free = "y", elsewhere = "z"] = freshNames(roots, 3)
  return {
    before,
    after,
    roots,
    tools: new Set(both.flatMap((policy) => policy.rules.map((rule) => rule.tool))),
    fresh: [below, free, elsewhere],
    plain: plainView(roots)
  }
}

/** The classes with a path, in the given positions of one view. A class that no call can be written for is none. */
export const classesOn = (
  { after, before, fresh }: Ground,
  view: View,
  positions: ReadonlyArray<Position>
): ReadonlyArray<CallClass> => {
  const decideBefore = decider(before, [], view)
  const decideAfter = decider(after, [], view)
  return pathForms.flatMap(({ args: argsOf, shape, tool }) =>
    positions.flatMap((position): ReadonlyArray<CallClass> => {
      const args = argsOf(position.path, `/${fresh[1]}`)
      if (inspect(tool, args).kind !== "paths") return []
      const old = decideBefore(tool, args).decision
      const now = decideAfter(tool, args).decision
      return [{ tool, shape, position, before: old, after: now, example: { tool, args } }]
    })
  )
}

/** Every class of calls, in a fixed order. */
export const classesOf = (ground: Ground): ReadonlyArray<CallClass> => {
  const { after, before, fresh, plain, roots, tools } = ground
  const decideBefore = decider(before, [], plain)
  const decideAfter = decider(after, [], plain)
  const withoutPath = offPaths(tools).map(({ example, shape, tool }): CallClass => {
    const [old, now] = [decideBefore, decideAfter].map((decide) => decide(example.tool, example.args).decision)
    return { tool, shape, position: null, before: old as Decision, after: now as Decision, example }
  })
  return [...withoutPath, ...classesOn(ground, plain, positionsOf(roots, fresh[0]))]
}
