/**
 * Files and directories that belong to the running user alone: made so from the first moment, replaced whole.
 * (cases/recall.md 31 and 33; recall-contract 1.4)
 *
 * A mode is given when the file is made, never afterwards. A file is written beside its place, synced, and renamed over
 * it, so that a reader or a crash meets the old one or the new one.
 */
import { constants, promises } from "node:fs"
import { laterFileSync } from "../FileSync.ts"
import { factsOf, type FileHandle } from "./TrustedFiles.ts"

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants

const ownDirectory = 0o700
const ownFile = 0o600
const writable = 0o022

/** Is not what it should be, or somebody else's. Its message is for nobody. */
export class NotOwn extends Error {}

const codeOf = (error: unknown): string => (error as { readonly code?: string }).code ?? ""

export const ignoring =
  (...codes: ReadonlyArray<string>) =>
  (error: unknown): undefined => {
    if (codes.includes(codeOf(error))) return undefined
    throw error
  }

let bound: ReturnType<typeof laterFileSync> | undefined
/** Node's own `sync` is refused under its permission model, to which this process is held. */
const sync = (descriptor: number) => (bound ??= laterFileSync())(descriptor)

const mustBeOwn = async (file: FileHandle, kind: "file" | "directory"): Promise<void> => {
  const facts = factsOf(await file.stat({ bigint: true }))
  if (facts.kind !== kind || facts.owner !== process.geteuid?.() || (facts.mode & writable) !== 0) throw new NotOwn()
  if (kind === "file" && facts.links !== 1) throw new NotOwn()
}

/** Opens a directory of the running user that nobody else can write to, and makes it where it is missing. */
export const openOwnDirectory = async (path: string): Promise<FileHandle> => {
  await promises.mkdir(path, { mode: ownDirectory }).catch(ignoring("EEXIST"))
  const directory = await promises.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    await mustBeOwn(directory, "directory")
    return directory
  } catch (error) {
    await directory.close()
    throw error
  }
}

/** Opens a file of the running user to lock it, and makes it where it is missing. */
export const openOwnFile = async (path: string): Promise<FileHandle> => {
  const file = await promises.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, ownFile)
  try {
    await mustBeOwn(file, "file")
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/**
 * Replaces `name` in an open directory of ours. `path` is the directory's. `beside` names the file that is written first:
 * one for each writer that may be at it at the same time, the same one for those that keep each other out by a lock, so
 * that after crashes no more than that is left lying.
 */
export const replaceFile = async (
  directory: FileHandle,
  path: string,
  name: string,
  text: string,
  writer = "tmp"
): Promise<void> => {
  const beside = `${path}/${name}.${writer}`
  await promises.unlink(beside).catch(ignoring("ENOENT"))
  const file = await promises.open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, ownFile)
  try {
    await file.writeFile(text)
    if ((await sync(file.fd)) === "failed") throw new Error("not synced")
  } finally {
    await file.close()
  }
  await promises.rename(beside, `${path}/${name}`)
  // Some file systems cannot sync a directory; the content is safe then, the name will be.
  await sync(directory.fd)
}
