/**
 * The exact difference of two policies: every class of calls whose verdict changed. (design.md section 9, cases/guard.md
 * section 5 "exact proof, not sampling")
 *
 * Nothing is sampled. `Classes.ts` enumerates all classes and shows why they are all; here they are compared and put
 * together into groups that an operator can read.
 *
 * **Links.** Classes go by names: every root is taken for a plain directory. What is the same on both sides (the guard's
 * own roots, what cannot be resolved, hard links of a target) only adds the same block to both, so it can hide a change
 * but make none. One thing can: a root that is, or lies behind, a link or a mount is guarded at its target as well,
 * and a policy that drops such a root and covers its name by another root leaves the target open. No name shows
 * that. `linked` lists those changes: for each root that has a weaker rule now, the calls that reach it by another
 * name. They are real only if the root can be reached by another name, which is for the file system to say. With them
 * the list is complete for every file system on which all roots can be resolved: if a call is weaker because some root
 * was dropped or weakened, that root's own entry is in `weakened` or in `linked`.
 */
import { type Action, type Decision, isStronger } from "../guard/Decision.ts"
import { groupBy } from "../guard/Group.ts"
import { covers, joined } from "../guard/LiteralPath.ts"
import type { Policy } from "../guard/Policy.ts"
import { type CallClass, classesOf, classesOn, type ExampleCall, type Ground, groundOf, type Shape } from "./Classes.ts"
import { linkedView, type Position } from "./Positions.ts"

/** Classes of one tool that one rule decided before and one rule decides now. */
export interface Change {
  /** `null`: every tool that neither policy names. */
  readonly tool: string | null
  readonly before: Decision
  readonly after: Decision
  /** Each once. */
  readonly shapes: ReadonlyArray<Shape>
  /** The first ones, each once; `positionCount` says how many there are. */
  readonly positions: ReadonlyArray<Position>
  readonly positionCount: number
  /** How many classes were put together. */
  readonly classes: number
  /** The first class's: decided as `before` and `after` say, where every root is a plain directory. */
  readonly example: ExampleCall
}

export interface Difference {
  /** What is refused less than before, the most open first. */
  readonly weakened: ReadonlyArray<Change>
  /** What is refused more than before, the strictest first. */
  readonly strengthened: ReadonlyArray<Change>
  /** Weaker only where the root of the position is reached by another name; the example supposes a link at the root. */
  readonly linked: ReadonlyArray<Change>
  /** All roots that `linked` is about, each once. `Links.ts` tells which of them have another name. */
  readonly linkedRoots: ReadonlyArray<string>
  /** Classes in each of the lists, and those whose verdict is the same. */
  readonly counts: {
    readonly weakened: number
    readonly strengthened: number
    readonly linked: number
    readonly equal: number
  }
}

/** Positions that a change lists. */
export const maxPositions = 24

/** What the comparison takes for granted, in words for the operator. */
export const assumption =
  "Compared by names, exactly: every root is taken for a plain directory. A root that is a link, or lies behind one, " +
  "is guarded at its target too; where that makes a difference it is listed apart."

const isWeaker = ({ after, before }: CallClass): boolean => isStronger(before.action, after.action)
const isStricter = ({ after, before }: CallClass): boolean => isStronger(after.action, before.action)

const keyOf = ({ after, before, tool }: CallClass): string =>
  JSON.stringify([tool, before.action, before.reason, before.rule, after.action, after.reason, after.rule])

interface Group {
  readonly first: CallClass
  readonly shapes: Set<Shape>
  readonly positions: Map<string, Position>
  classes: number
}

const grouped = (classes: ReadonlyArray<CallClass>): ReadonlyArray<Change> => {
  const groups = new Map<string, Group>()
  for (const found of classes) {
    const key = keyOf(found)
    const group: Group = groups.get(key) ?? { first: found, shapes: new Set(), positions: new Map(), classes: 0 }
    groups.set(key, group)
    group.shapes.add(found.shape)
    const { position } = found
    if (position !== null) group.positions.set(`${position.where} ${position.root} ${position.path}`, position)
    group.classes += 1
  }
  return [...groups.values()].map(({ classes, first: { after, before, example, tool }, positions, shapes }) => ({
    tool,
    before,
    after,
    shapes: [...shapes],
    positions: [...positions.values()].slice(0, maxPositions),
    positionCount: positions.size,
    classes,
    example
  }))
}

const rank: Readonly<Record<Action, number>> = { allow: 0, approve: 1, block: 2 }

/** `sort` keeps the order of equals. */
const weakestFirst = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> =>
  changes.toSorted(
    (one, other) =>
      rank[one.after.action] - rank[other.after.action] || rank[other.before.action] - rank[one.before.action]
  )

const strictestFirst = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> =>
  changes.toSorted(
    (one, other) =>
      rank[other.after.action] - rank[one.after.action] || rank[one.before.action] - rank[other.before.action]
  )

/** The strongest action that a policy has for a root itself. */
const actionsByRoot = (policy: Policy): ReadonlyMap<string, Action> => {
  const actions = new Map<string, Action>()
  for (const { action, path } of policy.protectedPaths) {
    const known = actions.get(path)
    if (known === undefined || isStronger(action, known)) actions.set(path, action)
  }
  return actions
}

/**
 * Changes that only another name of a root shows: it has a weaker rule of its own now, or none, and lies by name in
 * another root of the new policy. Without such a root nothing more is found by name below it than by another name.
 */
const linkedClasses = (ground: Ground, weakened: ReadonlyArray<CallClass>): ReadonlyArray<CallClass> => {
  const before = actionsByRoot(ground.before)
  const after = actionsByRoot(ground.after)
  const byRoot = groupBy(weakened, ({ position, tool }) =>
    position?.where === "at" || position?.where === "below" ? `${tool} ${position.root}` : ""
  )
  const isShown = ({ after, before, tool }: CallClass, root: string): boolean =>
    (byRoot.get(`${tool} ${root}`) ?? []).some(
      (other) => !isStronger(before.action, other.before.action) && !isStronger(other.after.action, after.action)
    )
  const target = `/${ground.fresh[2]}`
  return [...before].flatMap(([root, action]) => {
    const isCovered = [...after.keys()].some((other) => other !== "/" && other !== root && covers(other, root))
    if (!isCovered || !isStronger(action, after.get(root) ?? "allow")) return []
    // Below the target, where no other root is found that lies below this one.
    const position: Position = { where: "linked", root, path: joined(target, ground.fresh[0]) }
    return classesOn(ground, linkedView(ground.plain, root, target), [position]).filter(
      (found) => isWeaker(found) && !isShown(found, root)
    )
  })
}

/** What changes for the agent when `after` takes the place of `before`. */
export const compare = (before: Policy, after: Policy): Difference => {
  const ground = groundOf(before, after)
  const classes = classesOf(ground)
  const weakened = classes.filter(isWeaker)
  const strengthened = classes.filter(isStricter)
  const linked = linkedClasses(ground, weakened)
  return {
    weakened: weakestFirst(grouped(weakened)),
    strengthened: strictestFirst(grouped(strengthened)),
    linked: weakestFirst(grouped(linked)),
    linkedRoots: [...new Set(linked.flatMap(({ position }) => (position === null ? [] : [position.root])))],
    counts: {
      weakened: weakened.length,
      strengthened: strengthened.length,
      linked: linked.length,
      equal: classes.length - weakened.length - strengthened.length
    }
  }
}
