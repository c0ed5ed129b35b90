/**
 * What lies in a plugin's folder of a home, and which of it is ours. (issue 7 item 4: "leaves alone what the user changed")
 *
 * A file is ours where its content is one that was written, and nothing else is: not by its name, its age or its place.
 * Only the bytecode that Python made of our sources counts as theirs.
 */
import * as Result from "effect/Result"
import { join } from "node:path"
import type { PluginRecord } from "./Journal.ts"
import { type ConnectCalls, isThere, readFile, within } from "./Places.ts"
import { type ConnectReason, type ConnectRefused, type Outcome, refuse, settled } from "./Refused.ts"
import { type Shipped, sha256Of } from "./Shipped.ts"

/** Bytes of one file, and names in one folder. */
const maxFileBytes = 64 * 1024 * 1024
const maxNames = 20_000
const maxDepth = 16

export interface Folder {
  /** Hash by path; `undefined` for a link, a device, or a file that is not to be trusted. */
  readonly files: ReadonlyMap<string, string | undefined>
}

/** What no file is that we wrote. A disk that fails says nothing about whose a file is. */
const foreign: ReadonlySet<ConnectReason> = new Set([
  "link",
  "not_regular",
  "hard_link",
  "foreign_owner",
  "open_to_others",
  "not_permitted",
  "too_large"
])

const isNoneOfOurs = ({ reason }: ConnectRefused): boolean => foreign.has(reason)

/** Everything below a folder, or `undefined` where there is none. */
export const inspect = (calls: ConnectCalls, path: string): Outcome<Folder | undefined> => {
  if (!isThere(calls, path)) return Result.succeed(undefined)
  const files = new Map<string, string | undefined>()
  const look = (folder: string, prefix: string, depth: number): Outcome<void> =>
    Result.gen(function* () {
      if (depth > maxDepth) return yield* refuse("too_large", path)
      const names = yield* settled(calls.names(folder), folder)
      for (const name of names) {
        const inner = join(folder, name)
        const facts = yield* settled(calls.factsAt(inner), inner)
        if (files.size > maxNames) return yield* refuse("too_large", path)
        if (facts.kind === "directory") {
          yield* look(inner, `${prefix}${name}/`, depth + 1)
        } else {
          const read = readFile(calls, inner, "to_write", maxFileBytes)
          if (Result.isFailure(read) && !isNoneOfOurs(read.failure)) return yield* Result.fail(read.failure)
          files.set(prefix + name, Result.isSuccess(read) && read.success ? sha256Of(read.success.bytes) : undefined)
        }
      }
      return undefined
    })
  return Result.map(
    within(calls, path, "to_write", () => look(path, "", 0)),
    () => ({ files })
  )
}

/** Bytecode of a source, by the name that Python gives it; the source's path. */
const sourceOf = (path: string): string | undefined => {
  const [, folder, stem] = /^((?:.*\/)?)__pycache__\/([^/]+?)\.[a-z]+-\d+(?:\.opt-\d)?\.pyc$/.exec(path) ?? []
  return stem === undefined ? undefined : `${folder}${stem}.py`
}

/** Hashes that a path had at our hands, by path. */
const written = ({ files, former }: PluginRecord): ReadonlyMap<string, ReadonlySet<string>> => {
  const known = new Map<string, Set<string>>()
  for (const { path, sha256 } of [...files, ...former]) known.set(path, (known.get(path) ?? new Set()).add(sha256))
  return known
}

export interface Sorted {
  /** Ours still, bytecode of ours among them. */
  readonly ours: ReadonlyArray<string>
  /** Of ours, but somebody wrote them since. */
  readonly changed: ReadonlyArray<string>
  /** Somebody else's. */
  readonly others: ReadonlyArray<string>
}

export const sortOut = ({ files }: Folder, record: PluginRecord): Sorted => {
  const known = written(record)
  const sorted = { ours: [] as Array<string>, changed: [] as Array<string>, others: [] as Array<string> }
  for (const [path, sha256] of files) {
    const hashes = known.get(path)
    const source = sourceOf(path)
    if (hashes !== undefined) (sha256 !== undefined && hashes.has(sha256) ? sorted.ours : sorted.changed).push(path)
    else if (source !== undefined && known.has(source)) sorted.ours.push(path)
    else sorted.others.push(path)
  }
  return sorted
}

/** Whether every shipped file is there as it was shipped. */
export const isWhole = ({ files }: Folder, shipped: Shipped): boolean =>
  shipped.files.every(({ path, sha256 }) => files.get(path) === sha256)

/** The folders on the way to files, deepest first; `""` is the plugin's own. */
export const foldersOf = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const folders = new Set([""])
  for (const path of paths) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) folders.add(path.slice(0, at))
  }
  return [...folders].toSorted((one, other) => other.length - one.length || (one < other ? -1 : 1))
}
