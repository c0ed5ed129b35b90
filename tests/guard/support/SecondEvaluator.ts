/**
 * The guard's decision once more, written apart and slowly: no code of core/guard, other data structures, another order
 * of steps. It knows trees as drawings, paths as lists of names, and commands as regular expressions.
 *
 * "Collect everything that speaks, sort by strength, take the head."
 */
import type { Call, Drawing } from "./Cases.ts"

interface PlainPolicy {
  readonly defaultAction: string
  readonly rules: ReadonlyArray<{ readonly tool: string; readonly action: string }>
  readonly protectedPaths: ReadonlyArray<{ readonly path: string; readonly action: string }>
}

type Names = ReadonlyArray<string>

const split = (path: string): Names => path.split("/").filter((name) => name !== "")
const text = (names: Names): string => `/${names.join("/")}`

/** What a drawn tree holds at a place; parents of what is drawn are directories. */
const holds = (drawing: Drawing, names: Names): string => {
  const path = text(names)
  const drawn = drawing[path]
  if (drawn !== undefined) return drawn
  if (path === "/") return "dir"
  return Object.keys(drawing).some((known) => known.startsWith(`${path}/`)) ? "dir" : "nothing"
}

interface Resolution {
  readonly final: Names
  readonly exists: boolean
  readonly kind: string
  /** Everything that exists and was met. */
  readonly met: ReadonlyArray<string>
}

/** Resolves by recursion on (where we are, what is left); `undefined` is a refusal. */
const resolve = (
  drawing: Drawing,
  here: Names,
  left: Names,
  met: ReadonlyArray<string>,
  followed: number
): Resolution | undefined => {
  const [name, ...rest] = left
  const kind = holds(drawing, here)
  if (name === undefined) return { final: here, exists: true, kind, met }
  if (kind !== "dir") return undefined
  if (name === ".") return resolve(drawing, here, rest, met, followed)
  if (name === "..") return resolve(drawing, here.slice(0, -1), rest, met, followed)
  const there = [...here, name]
  const found = holds(drawing, there)
  if (found === "nothing") {
    if (rest.includes("..")) return undefined
    const future = [...there, ...rest.filter((other) => other !== ".")]
    return { final: future, exists: false, kind: "nothing", met }
  }
  if (!found.startsWith("-> ")) return resolve(drawing, there, rest, [...met, text(there)], followed)
  if (followed === 40) return undefined
  const target = found.slice(3)
  const inner = [...split(target), ...(target.endsWith("/") && target !== "/" ? ["."] : [])]
  return resolve(drawing, target.startsWith("/") ? [] : here, [...inner, ...rest], [...met, text(there)], followed + 1)
}

interface Looked extends Resolution {
  /** As written, and as an entry whose directories hold no link. */
  readonly written: Names
  readonly entry: Names
}

/** The last name first, skipping one name for each `..` that was met. */
const withoutDots = (names: Names): Names => {
  let skip = 0
  return names
    .toReversed()
    .filter((name) => {
      if (name === ".") return false
      if (name === "..") skip += 1
      else if (skip > 0) skip -= 1
      else return true
      return false
    })
    .toReversed()
}

const look = (drawing: Drawing, path: string): Looked | undefined => {
  const names = split(path)
  const whole = resolve(drawing, [], [...names, ...(path.endsWith("/") && names.length > 0 ? ["."] : [])], ["/"], 0)
  if (whole === undefined) return undefined
  const last = names.at(-1)
  const parent = resolve(drawing, [], names.slice(0, -1), [], 0)
  const ends = path.endsWith("/") || last === ".." || last === undefined || parent === undefined || !parent.exists
  return { ...whole, written: withoutDots(names), entry: ends ? whole.final : [...parent.final, last] }
}

const startsWith = (names: Names, head: Names): boolean => head.every((name, index) => names[index] === name)

const touches = (one: Looked, root: Looked, above: boolean): boolean => {
  const rootNames = [root.written, root.entry, root.final]
  const ends = [one.written, one.entry, one.final]
  const inRoot = [...ends, ...one.met.map(split)].some((names) => rootNames.some((head) => startsWith(names, head)))
  const aboveRoot = ends.some((head) => rootNames.some((names) => startsWith(names, head)))
  const same = one.exists && root.exists && text(one.final) === text(root.final)
  return inRoot || same || (above && (aboveRoot || (one.exists && root.met.includes(text(one.final)))))
}

const literal = (path: unknown): path is string =>
  typeof path === "string" &&
  /^\/(?!\/)/.test(path) &&
  path
    .split("/")
    .every((name, index, all) => name !== "." && (name !== "" || index === 0 || index === all.length - 1)) &&
  !/[\n~]/.test(path) &&
  !path.startsWith("/proc")

interface Reach {
  readonly path: string
  /** A working directory, which may lie above a root. */
  readonly stand?: true
  readonly incoming?: string
}

const word = `("/[A-Za-z/. -]*"|'/[A-Za-z/. -]*'|/[A-Za-z/.-]*)`
const grammar: ReadonlyArray<RegExp> = [
  new RegExp(`^(cat|touch)( --)?((?: ${word})+)$`),
  new RegExp(`^(rm)((?: (?:-r|-f|-rf|-fr))*(?: --)?)((?: ${word})+)$`),
  new RegExp(`^(mkdir)((?: -p)?(?: --)?)((?: ${word})+)$`),
  new RegExp(`^(cp|mv)( --)?((?: ${word}){2})$`)
]

const commandReach = (command: string): ReadonlyArray<Reach> | undefined => {
  if (command === "pwd") return []
  for (const form of grammar) {
    const found = form.exec(command)
    if (found === null) continue
    const operands =
      (found[3] ?? "").match(new RegExp(word, "g"))?.map((operand) => operand.replaceAll(/["']/g, "")) ?? []
    if (found[1] !== "cp" && found[1] !== "mv") return operands.map((path) => ({ path }))
    const name = split(operands[0] ?? "").at(-1)
    if (name === undefined || name === "..") return undefined
    return [{ path: operands[0] ?? "" }, { path: operands[1] ?? "", incoming: name }]
  }
  return undefined
}

/** What a call reaches; `undefined` where it is refused, `"name"` where only the name counts. */
const reachOf = ({ args, tool }: Call): ReadonlyArray<Reach> | undefined | "name" => {
  if (!["read_file", "write_file", "patch", "terminal"].includes(tool)) return "name"
  if (tool !== "terminal") return literal(args["path"]) ? [{ path: args["path"] }] : undefined
  const inside = commandReach(String(args["command"]))
  if (inside === undefined) return undefined
  const all =
    args["workdir"] === undefined ? inside : [{ path: String(args["workdir"]), stand: true as const }, ...inside]
  return all.every(({ path }) => literal(path)) ? all : undefined
}

/** All that an operand leads to, or `undefined`. */
const leads = (drawing: Drawing, { incoming, path }: Reach): ReadonlyArray<Looked> | undefined => {
  const direct = path.includes("..") ? [path, text(withoutDots(split(path)))] : [path]
  const looked = direct.map((one) => look(drawing, one))
  const inner = looked
    .filter((one) => incoming !== undefined && one?.exists && one.kind === "dir")
    .map((one) => look(drawing, text([...(one?.final ?? []), incoming ?? ""])))
  const all = [...looked, ...inner]
  return all.includes(undefined) ? undefined : (all as ReadonlyArray<Looked>)
}

const strengths = ["block", "approve", "allow"]

export const secondVerdict = (drawing: Drawing, policy: PlainPolicy, call: Call): string => {
  const voices: Array<string> = policy.rules.filter((rule) => rule.tool === call.tool).map((rule) => rule.action)
  if (voices.length === 0) voices.push(policy.defaultAction)
  const reach = reachOf(call)
  if (reach === undefined) voices.push("block")
  else if (reach !== "name" && reach.length > 0) {
    const looked = reach.map((one) => leads(drawing, one))
    if (looked.includes(undefined)) voices.push("block")
    for (const { action, path } of policy.protectedPaths) {
      const root = look(drawing, path)
      if (root === undefined) voices.push("block")
      else if (looked.some((ones, index) => ones?.some((one) => touches(one, root, reach[index]?.stand !== true))))
        voices.push(action)
    }
  }
  return voices.toSorted((one, other) => strengths.indexOf(one) - strengths.indexOf(other))[0] ?? "block"
}
