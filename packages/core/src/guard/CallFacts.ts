/**
 * Everything that a decision needs to know of the file system, gathered before it is made. (seed 004 "Path checks")
 *
 * One operand can lead to several places: the kernel's and the textual reading of `..`, the file that `cp` or `mv`
 * makes inside a directory, the mounts that go along when a tree is taken away. All of them are judged.
 */
import type { Operand } from "./Inspection.ts"
import { joined, lexical } from "./LiteralPath.ts"
import { placeOf, pointsBelow } from "./Mounts.ts"
import { type Snapshot, snapshot, type View } from "./PathFacts.ts"
import { isRefused, type Refused, walk, type Walked } from "./Walk.ts"

export type Ways = ReadonlyArray<Walked>

export interface CallFacts {
  /** In the order of the operands. */
  readonly operands: ReadonlyArray<Ways | Refused>
  /** In the order of the policy. */
  readonly protectedPaths: ReadonlyArray<Walked | Refused>
  /** In the order of the guard's own roots. */
  readonly self: ReadonlyArray<Walked | Refused>
}

/** Nothing was asked, because nothing depends on it. */
export const noFacts: CallFacts = { operands: [], protectedPaths: [], self: [] }

/** File tools take `..` off as text, the kernel follows links first: both readings, when they can differ. */
const readings = (view: Snapshot, path: string): Ways | Refused => {
  const real = walk(view, path)
  if (isRefused(real) || !path.includes("..")) return isRefused(real) ? real : [real]
  const textual = walk(view, lexical(path))
  return isRefused(textual) ? textual : [real, textual]
}

/** What else is reached because the operand is a directory. */
const consequences = (view: Snapshot, { incoming, use }: Operand, way: Walked): ReadonlyArray<string> => {
  if (way.end?.kind !== "directory") return []
  if (use === "receive") return [joined(way.target, incoming)]
  const mounts = use === "take" ? view.mounts() : undefined
  return mounts === undefined || typeof mounts === "string" ? [] : pointsBelow(mounts, way.target)
}

const waysOf = (view: Snapshot, operand: Operand): Ways | Refused => {
  const direct = readings(view, operand.path)
  if (isRefused(direct)) return direct
  const ways = [...direct]
  for (const path of direct.flatMap((way) => consequences(view, operand, way))) {
    const way = walk(view, path)
    if (isRefused(way)) return way
    ways.push(way)
  }
  return ways
}

/** What is mounted below a root belongs to it, by whatever other name it can be reached. */
const rootFacts = (view: Snapshot, path: string): Walked | Refused => {
  const root = walk(view, path)
  const mounts = view.mounts()
  if (isRefused(root) || typeof mounts === "string") return root
  const below = pointsBelow(mounts, root.target)
  return below.length === 0
    ? root
    : { ...root, places: [...root.places, ...below.map((point) => placeOf(mounts, point))] }
}

/** Operands whose ways are kept, so that a replay that comes back to the same paths need not walk them again. */
const maxRemembered = 8192

/**
 * Looks at each name once, for as many calls as it is used for, so that all of them see one state. The roots are looked
 * at with the first call that has an operand; without one no root matters.
 */
export const gatherer = (
  view: View,
  protectedPaths: ReadonlyArray<{ readonly path: string }>,
  self: ReadonlyArray<string>
): ((operands: ReadonlyArray<Operand>) => CallFacts) => {
  const once = snapshot(view)
  const remembered = new Map<string, Ways | Refused>()
  const known = (operand: Operand): Ways | Refused => {
    // A name holds no slash, so use, name and path cannot run into each other.
    const key = `${operand.use}/${operand.incoming}${operand.path}`
    const ways = remembered.get(key) ?? waysOf(once, operand)
    if (remembered.size < maxRemembered) remembered.set(key, ways)
    return ways
  }
  let roots: Omit<CallFacts, "operands"> | undefined
  return (operands) => {
    if (operands.length === 0) return noFacts
    const found = operands.map(known)
    roots ??= {
      protectedPaths: protectedPaths.map((rule) => rootFacts(once, rule.path)),
      self: self.map((path) => rootFacts(once, path))
    }
    return { operands: found, ...roots }
  }
}

/** The facts of one call, from looks of their own. */
export const gather = (
  view: View,
  operands: ReadonlyArray<Operand>,
  protectedPaths: ReadonlyArray<{ readonly path: string }>,
  self: ReadonlyArray<string>
): CallFacts => gatherer(view, protectedPaths, self)(operands)
