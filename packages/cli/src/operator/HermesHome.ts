/** Which Hermes home does the operator mean? The one that is named, else the one that Hermes itself would take. */
import { homedir } from "node:os"
import { join, resolve } from "node:path"

export const homeOf = (named: string | undefined): string => {
  const fromEnvironment = process.env["HERMES_HOME"] ?? ""
  return resolve(named ?? (fromEnvironment === "" ? join(homedir(), ".hermes") : fromEnvironment))
}
