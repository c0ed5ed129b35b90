/**
 * A new policy in its place, whole or not at all, and never over another. (issue 7 item 1 "0600 in 0700")
 *
 * Written beside its place, synced, and then given its name by a link: unlike a renaming, that fails where the name is
 * taken, also when somebody takes it in the last moment.
 */
import { ignoring, openOwnDirectory } from "@memory-bridge/platform-posix/recall/OwnFiles"
import { promises as fs } from "node:fs"
import { dirname } from "node:path"

export type Written = "written" | "exists" | "failed"

const isCode = (error: unknown, code: string): boolean => (error as { readonly code?: string }).code === code

export const writePolicy = async (path: string, text: string): Promise<Written> => {
  const folder = dirname(path)
  const beside = `${path}.new.${process.pid}`
  try {
    const outer = await openOwnDirectory(dirname(folder))
    await outer.close()
    const directory = await openOwnDirectory(folder)
    try {
      const file = await fs.open(beside, "wx", 0o600)
      try {
        await file.writeFile(text)
        await file.sync()
      } finally {
        await file.close()
      }
      await fs.link(beside, path)
      await directory.sync()
      return "written"
    } finally {
      await fs.unlink(beside).catch(ignoring("ENOENT"))
      await directory.close()
    }
  } catch (error) {
    return isCode(error, "EEXIST") ? "exists" : "failed"
  }
}
