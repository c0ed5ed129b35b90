/**
 * What the engine looks at, in its own order. (issue 7 item 3: "as the engine itself decided (same code, not a copy)")
 *
 * A tree that passes every question on and keeps each answer. The engine runs over it unchanged, so what is told
 * afterwards is what was decided on, and not a second opinion. Nothing is decided here.
 */
import type { AclReading } from "@memory-bridge/core/tree/Acl"
import type { Facts } from "@memory-bridge/core/tree/Facts"
import { Notes } from "@memory-bridge/core/notes/Notes"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { type Fault, isFault, type Reading, Tree, type Walk } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** One thing that was opened, or was to be. */
export interface Seen {
  /** Absolute, as it was walked. */
  readonly path: string
  readonly wanted: "directory" | "file"
  /** Why it was not opened. */
  fault: Fault | undefined
  facts: Facts | Fault | undefined
  acl: AclReading | undefined
  reading: Reading | undefined
}

export const below = (parent: string, name: string): string => (parent === "/" ? `/${name}` : `${parent}/${name}`)

const watchedWalk = (walk: Walk, seen: Array<Seen>): Walk => {
  const open = new Map<number, Seen>()

  const opened = <A extends number>(path: string, wanted: Seen["wanted"], result: A | Fault): A | Fault => {
    const fault = isFault(result) ? result : undefined
    const entry: Seen = { path, wanted, fault, facts: undefined, acl: undefined, reading: undefined }
    seen.push(entry)
    if (!isFault(result)) open.set(result, entry)
    return result
  }
  const pathIn = (parent: number, name: string): string => below(open.get(parent)?.path ?? "", name)

  return {
    user: walk.user,
    groupBitsAreMask: walk.groupBitsAreMask,
    root: () => opened("/", "directory", walk.root()),
    directory: (parent, name, rule) => opened(pathIn(parent, name), "directory", walk.directory(parent, name, rule)),
    file: (parent, name, rule) => opened(pathIn(parent, name), "file", walk.file(parent, name, rule)),
    facts: (handle) => {
      const facts = walk.facts(handle)
      const entry = open.get(handle)
      // The second look at a note, after reading, is for changes alone.
      if (entry !== undefined) entry.facts ??= facts
      return facts
    },
    // A glance tells nothing here, so that the engine opens each note, and each note is seen.
    glance: () => false,
    acl: (handle) => {
      const acl = walk.acl(handle)
      const entry = open.get(handle)
      if (entry !== undefined) entry.acl = acl
      return acl
    },
    list: (directory, atMost) => walk.list(directory, atMost),
    read: (file, expected) => {
      const reading = walk.read(file, expected)
      const entry = open.get(file)
      if (entry !== undefined) entry.reading = reading
      return reading
    },
    close: (handle) => {
      open.delete(handle)
      walk.close(handle)
    }
  }
}

/** The same tree, and in `seen` what is opened through it, in order. */
export const watched = (tree: Tree["Service"], seen: Array<Seen>): Tree["Service"] => ({
  walk: Effect.map(tree.walk, (walk) => watchedWalk(walk, seen))
})

const over = (tree: Tree["Service"], seen: Array<Seen>) => Layer.succeed(Tree, watched(tree, seen))

/** The engine over a watched tree. Made anew: the one that the program has is over the tree itself. */
export const watchedPolicies = (tree: Tree["Service"], seen: Array<Seen>) =>
  Layer.fresh(PolicyStore.layer).pipe(Layer.provide(over(tree, seen)))

export const watchedNotes = (tree: Tree["Service"], seen: Array<Seen>) =>
  Layer.fresh(Notes.layer).pipe(Layer.provide(over(tree, seen)))

/** The user who runs this, for saying "you". */
export const userOf = (tree: Tree["Service"]): Effect.Effect<number> =>
  Effect.scoped(Effect.map(tree.walk, ({ user }) => user))

const octal = (mode: number): string => mode.toString(8).padStart(4, "0")

const ownerText = (owner: number, user: number): string =>
  owner === user ? (owner === 0 ? "owner root (you)" : "owner you") : owner === 0 ? "owner root" : `owner ${owner}`

const aclText = (acl: AclReading): string => {
  switch (acl.kind) {
    case "none":
      return "no ACL"
    case "refused":
      return `ACL ${acl.reason}`
    case "entries": {
      const writers = acl.entries.filter(({ write }) => write).map(({ subject }) => subject)
      const named = writers.map((subject) => ("id" in subject ? `${subject.kind} ${subject.id}` : subject.kind))
      return named.length === 0 ? "ACL, nobody writes by it" : `ACL, writers: ${named.join(", ")}`
    }
  }
}

/** Owner, mode and access control list, as far as they were asked for; the group where a root accepts some. */
export const factsText = (
  { acl, facts, fault }: Seen,
  user: number,
  accepted: ReadonlySet<number> = new Set()
): string => {
  if (fault !== undefined) return `not opened: ${fault}`
  if (facts === undefined) return "opened"
  if (isFault(facts)) return `no facts: ${facts}`
  return [
    ...(facts.kind === "other" ? ["no file and no directory"] : []),
    ownerText(facts.owner, user),
    ...(accepted.size === 0 ? [] : [`group ${facts.group}${accepted.has(facts.group) ? " (accepted)" : ""}`]),
    `mode ${octal(facts.mode)}`,
    ...(acl === undefined ? [] : [aclText(acl)])
  ].join(", ")
}
