/**
 * Random edits to a folder of notes and to the policy over it, and what is asked after each: an engine that remembers must
 * answer as one that has just begun. (design.md section 8, case 65)
 *
 * A step is data, and what it does depends on what is there when its turn comes, so that any row of steps is valid.
 */
import { assert } from "@effect/vitest"
import { Bridge } from "@memory-bridge/core/host/Bridge"
import type { PublicAnswer } from "@memory-bridge/core/host/PublicAnswer"
import type { Tree } from "@memory-bridge/core/tree/Tree"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { Dice } from "./Generators.ts"

/** Where the notes lie. Paths are relative to the root; what a step does not speak of stays as it is. */
export interface Disk {
  /** A new note, or other content of the one that is there. */
  readonly write: (path: string, text: string) => void
  /** Other content of the same size, with the time of modification set back: only the time of change tells. */
  readonly quietly: (path: string, text: string) => void
  /** Another file under the name of one that is there, of its size where the text is, and with its time of modification. */
  readonly replace: (path: string, text: string) => void
  readonly chmod: (path: string, mode: number) => void
  /** A hard link to a note, outside of the root. */
  readonly secondName: (path: string) => void
  readonly makeFolder: (path: string) => void
  /** Also of a folder, with all that is in it. */
  readonly remove: (path: string) => void
  readonly move: (from: string, to: string) => void
  readonly policy: (text: string) => void
}

const kinds = [
  "write",
  "write",
  "write",
  "append",
  "same size",
  "quietly",
  "quietly",
  "replace",
  "replace by the same size",
  "chmod",
  "chmod folder",
  "remove",
  "remove folder",
  "make folder",
  "move",
  "move folder",
  "second name",
  "policy",
  "policy"
] as const

interface Step {
  readonly kind: (typeof kinds)[number]
  /** Which of those there are, and which of the names. */
  readonly which: number
  readonly name: string
  readonly folder: string
  readonly mode: number
  /** Of one length, so that a note can say something else in the same size. */
  readonly words: ReadonlyArray<string>
  readonly policy: object
}

export interface Edits {
  readonly first: object
  /** What is there before the first question. */
  readonly start: ReadonlyArray<Step>
  readonly steps: ReadonlyArray<Step>
}

const words = ["needle", "garden", "asters", "# Blue", "\ncedar"]
const files = ["a.md", "b.md", "c.md", "needle.md", "caf\u00e9 1.md", "x.txt"]
const folders = ["d", "e", "private", "d d"]

const policyFrom = ({ pick }: Dice): object => ({
  ...pick([
    { version: 1 },
    { version: 2, ranking: "path" },
    { version: 2, ranking: "relevance" },
    { version: 2, names: "unicode" },
    { version: 2, ranking: "path", names: "unicode", trust: { hard_links: true } }
  ]),
  allow: pick([["**"], ["**"], ["**/*.md"], ["d/**", "*.md"]]),
  deny: pick([[], [], ["**/private/**"], ["**/b.md"], ["d/a.md"]]),
  limits: pick([
    {},
    {},
    {},
    { max_entries: 3 },
    { max_depth: 1 },
    { total_chars: 60, snippet_chars: 20 },
    { max_file_bytes: 20 }
  ])
})

const stepFrom = (dice: Dice): Step => ({
  kind: dice.pick(kinds),
  which: dice.below(1_000),
  name: dice.pick(files),
  folder: dice.pick(folders),
  mode: dice.pick([0o600, 0o644, 0o666, 0o640, 0o606]),
  words: dice.times(1, 5, () => dice.pick(words)),
  policy: policyFrom(dice)
})

export const editsFrom = (dice: Dice): Edits => {
  const write = (): Step => ({ ...stepFrom(dice), kind: "write" })
  const folder = (): Step => ({ ...stepFrom(dice), kind: "make folder" })
  return {
    first: policyFrom(dice),
    start: [write(), folder(), folder(), write(), write(), write()],
    steps: dice.times(6, 16, () => stepFrom(dice))
  }
}

/** What lies in the root: the text of each file, and the folders, the root itself among them. */
interface There {
  readonly files: Map<string, string>
  readonly folders: Set<string>
}

const inside = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`)
const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

/** Does the step, where there is something to do it to, and says what was done. */
const perform = (step: Step, disk: Disk, policy: (keys: object) => string, { files, folders }: There): string => {
  const of = (paths: Iterable<string>) => {
    const all = [...paths].toSorted()
    return all[step.which % all.length]
  }
  const note = of(files.keys())
  const folder = of(Array.from(folders).filter((path) => path !== ""))
  const home = of(folders)!
  const text = step.words.join("")
  const toSize = (path: string) => text.padEnd(files.get(path)!.length, ".").slice(0, files.get(path)!.length)
  const free = (path: string) => !files.has(path) && !folders.has(path)
  const rewrite = (path: string, now: string, how: (path: string, text: string) => void) => {
    how(path, now)
    files.set(path, now)
  }
  const forget = (path: string) => {
    for (const one of files.keys()) if (isIn(one, path)) files.delete(one)
    for (const one of folders) if (one !== "" && isIn(one, path)) folders.delete(one)
  }
  const named = inside(home, step.name)
  const deeper = inside(home, step.folder)

  if (step.kind === "policy") disk.policy(policy(step.policy))
  else if (step.kind === "write") rewrite(named, text, disk.write)
  else if (step.kind === "make folder") {
    if (!free(deeper) || deeper.split("/").length > 3) return "nothing"
    disk.makeFolder(deeper)
    folders.add(deeper)
  } else if (step.kind === "chmod folder") disk.chmod(home, step.mode === 0o666 || step.mode === 0o606 ? 0o777 : 0o755)
  else if (step.kind === "remove folder") {
    if (folder === undefined) return "nothing"
    disk.remove(folder)
    forget(folder)
  } else if (step.kind === "move folder") {
    if (folder === undefined || !free(deeper) || isIn(deeper, folder)) return "nothing"
    disk.move(folder, deeper)
    const moved = (path: string) => deeper + path.slice(folder.length)
    const those = {
      files: [...files].filter(([one]) => isIn(one, folder)),
      folders: [...folders].filter((one) => isIn(one, folder))
    }
    forget(folder)
    for (const [one, content] of those.files) files.set(moved(one), content)
    for (const one of those.folders) folders.add(moved(one))
  } else if (note === undefined) return "nothing"
  else if (step.kind === "append") rewrite(note, files.get(note)! + text, disk.write)
  else if (step.kind === "same size") rewrite(note, toSize(note), disk.write)
  else if (step.kind === "quietly") rewrite(note, toSize(note), disk.quietly)
  else if (step.kind === "replace") rewrite(note, text, disk.replace)
  else if (step.kind === "replace by the same size") rewrite(note, toSize(note), disk.replace)
  else if (step.kind === "chmod") disk.chmod(note, step.mode)
  else if (step.kind === "remove") {
    disk.remove(note)
    files.delete(note)
  } else if (step.kind === "second name") disk.secondName(note)
  else {
    if (!free(named)) return "nothing"
    disk.move(note, named)
    files.set(named, files.get(note)!)
    files.delete(note)
  }
  return step.kind
}

/** Another time than that of this machine, in milliseconds since 1970. Nothing here waits. */
const clockAt = (now: () => number): Clock.Clock => ({
  currentTimeMillisUnsafe: now,
  currentTimeMillis: Effect.sync(now),
  currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
  monotonicTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
  sleep: () => Effect.void
})

/** A process that begins now and answers as long as it is asked. */
export const begin = (tree: Layer.Layer<Tree>, signals: unknown, now: () => number): Engine => {
  const runtime = ManagedRuntime.make(Layer.merge(Bridge.layer.pipe(Layer.provide(tree)), Logger.layer([])))
  const clock = clockAt(now)
  return (question) =>
    runtime.runSync(
      Bridge.use((bridge) =>
        "id" in question ? bridge.read(signals, question) : bridge.search(signals, { ...question, limit: 10 })
      ).pipe(Effect.provideService(Clock.Clock, clock))
    )
}

export type Question = { readonly query: string } | { readonly id: string }
export type Engine = (question: Question) => PublicAnswer

/** What came of all questions, to see that they were worth asking. */
export interface Tally {
  results: number
  /** By what was done last: how often the answers then differed from those before it. */
  readonly changed: Map<string, number>
}

const asked: ReadonlyArray<Question> = [
  { query: "needle" },
  { query: "garden ced" },
  { query: "eedl aster" },
  { query: "#blue" },
  { query: "absent" }
]

/** Does all steps, and asks both engines everything after each; throws where they answer differently. */
export const follow = (
  { first, start, steps }: Edits,
  disk: Disk,
  policy: (keys: object) => string,
  engines: { readonly kept: Engine; readonly fresh: Engine },
  tally: Tally
): void => {
  const there: There = { files: new Map(), folders: new Set([""]) }
  const seen = new Set(["d/none.md"])
  disk.policy(policy(first))
  for (const step of start) perform(step, disk, policy, there)
  const ask = (done: string): string => {
    for (const path of there.files.keys()) seen.add(path)
    const answers = [...asked, ...Array.from(seen, (id) => ({ id }))].map((question) => {
      const fresh = engines.fresh(question)
      assert.deepStrictEqual(engines.kept(question), fresh, `${JSON.stringify(question)} after ${done}`)
      if (fresh.ok && "results" in fresh) tally.results += fresh.results.length
      return fresh
    })
    return JSON.stringify(answers.slice(0, asked.length))
  }
  let before = ask("the start")
  for (const step of steps) {
    const done = perform(step, disk, policy, there)
    const now = ask(done)
    if (now !== before) tally.changed.set(done, (tally.changed.get(done) ?? 0) + 1)
    before = now
  }
}

/** Every kind of edit must have changed some answer, else nothing was tried of it; an empty folder changes none. */
export const assertTried = ({ changed, results }: Tally): void => {
  process.stdout.write(
    `edits: ${results} results; answers changed after ${JSON.stringify(Object.fromEntries(changed))}\n`
  )
  for (const kind of kinds) if (kind !== "make folder") assert.isAbove(changed.get(kind) ?? 0, 0, kind)
  assert.isAbove(results, 500)
}
