/**
 * A file that was not there before, the owner's alone. (issue 5 item 6)
 *
 * Nothing is ever written over, a link least of all; what could not be written whole does not stay.
 */
import { closeSync, fchmodSync, fsyncSync, openSync, unlinkSync, writeSync } from "node:fs"

const ownerOnly = 0o600

export type Written = "written" | "exists" | "not_there" | "failed"

const codeOf = (error: unknown): string => (error as { readonly code?: string }).code ?? ""

export const writeNew = (path: string, text: string): Written => {
  let file: number
  try {
    file = openSync(path, "wx", ownerOnly)
  } catch (error) {
    const code = codeOf(error)
    return code === "EEXIST" ? "exists" : code === "ENOENT" || code === "ENOTDIR" ? "not_there" : "failed"
  }
  try {
    fchmodSync(file, ownerOnly)
    const bytes = Buffer.from(text, "utf8")
    for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done)
    fsyncSync(file)
    return "written"
  } catch {
    unlinkSync(path)
    return "failed"
  } finally {
    closeSync(file)
  }
}
