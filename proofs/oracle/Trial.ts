/** One tree, judged by both sides; and the smallest tree that still shows a disagreement. */
import { ask, type Verdict } from "./Engine.ts"
import { type Entry, simpler, type Spec } from "./Spec.ts"
import type { Attacked, World } from "./World.ts"

export interface Outcome extends Verdict {
  readonly attacked: Attacked
}

/** The engine answers first, on a tree that nobody has touched. */
export const trial = async (world: World, spec: Spec, seed: number): Promise<Outcome> => {
  await world.build(spec)
  try {
    const verdict = ask(spec)
    return { ...verdict, attacked: await world.attack(spec, seed) }
  } finally {
    await world.clear(spec)
  }
}

/** Served, although somebody could have changed it. */
export const isViolation = ({ attacked, served }: Outcome): boolean => served && attacked.by !== null

/** Takes away what is out of order and not needed for the violation, piece by piece. */
export const smallest = async (world: World, spec: Spec, seed: number): Promise<Spec> => {
  let best = spec
  for (let again = true; again;) {
    again = false
    for (const [index, entry] of best.entries.entries()) {
      for (const one of simpler(entry, index === 0 && entry.at === "" ? 0 : best.user)) {
        const candidate = { ...best, entries: best.entries.with(index, one) }
        if (isViolation(await trial(world, candidate, seed))) {
          best = candidate
          again = true
          break
        }
      }
    }
  }
  return best
}

const list = (name: string, entries: Entry["acl"]): string =>
  entries === null ? "" : ` ${name} ${entries.map(([tag, permissions, id]) => `${tag}:${id}:${permissions}`).join(",")}`

const described = (entry: Entry): string => {
  const { acl, at, group, inherits, mode, modeLast, owner } = entry
  const flags = `${inherits ? " inherits" : ""}${acl !== null && modeLast ? " mode set last" : ""}`
  return `  ${at || "."} ${owner}:${group} ${mode.toString(8)}${list("acl", acl)}${list("default", entry.default)}${flags}`
}

export const describeTree = ({ entries, user }: Spec): string =>
  [`engine as ${user}`, ...entries.map(described)].join("\n")
