/** A folder of the test's own, drawn as a list of paths, and gone with the test. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"
import { top } from "./Cli.ts"

/** Makes a folder with files; a path with a slash at its end is a directory. All is the owner's alone. */
export const folder = (files: Readonly<Record<string, string>> = {}): string => {
  const made = realpathSync(mkdtempSync(join(tmpdir(), "cli-")))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) put(made, path, text)
  return made
}

export const put = (made: string, path: string, text: string): void => {
  const file = join(made, path)
  mkdirSync(path.endsWith("/") ? file : dirname(file), { recursive: true, mode: 0o700 })
  if (!path.endsWith("/")) writeFileSync(file, text, { mode: 0o600 })
}

/** A folder with `notes`, the synthetic notes of examples/memory, and `policy.json`, the example policy for them. */
export const exampleFolder = (change: Readonly<Record<string, unknown>> = {}): string => {
  const made = folder()
  cpSync(join(top, "examples", "memory"), join(made, "notes"), { recursive: true })
  for (const path of ["", "projects", "projects/private", "decisions", "workflows", "people"]) {
    chmodSync(join(made, "notes", path), 0o700)
  }
  const policy = {
    version: 1,
    root: join(made, "notes"),
    allow: ["projects/**", "decisions/**", "workflows/**"],
    deny: ["**/private/**"],
    ...change
  }
  put(made, "policy.json", JSON.stringify(policy))
  return made
}

/** The text with the folder's path replaced, so that two runs compare equal. */
export const masked = (text: string, made: string): string => text.replaceAll(made, "<folder>")

/** Without the directories that lead to the folder, which are this machine's, and with its user as "you". */
export const steady = (text: string, top: string): string => {
  const above: Array<string> = ["/"]
  for (let path = dirname(top); path !== "/"; path = dirname(path)) above.push(path)
  return masked(
    text
      .split("\n")
      .filter((line) => !above.some((path) => line.includes(`path: ${path} (`)))
      .join("\n")
      .replaceAll("owner root (you)", "owner you"),
    top
  )
}
