/**
 * Where one attack happens: a profile home, a root with one permitted note three levels down, and an outside whose every
 * file carries a marker. All of it owner-only below a temporary folder, which `dispose` unmounts and removes.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

export const noteId = "top/folder/note.md"
/** The permitted note, whole. Any other content in an answer is a leak. */
export const safeText = "needle safe"
/** Stands in every file that must not be served. */
export const marker = "OUTSIDE-9321"
export const outsideText = `needle ${marker}`

export interface Place {
  readonly home: string
  readonly root: string
  readonly policyFile: string
  /** An absolute path below the base. */
  readonly at: (path: string) => string
  /** Makes a directory with those on the way to it; answers with its path. */
  readonly directory: (path: string, mode?: number) => string
  /** Writes a file, outside content unless told otherwise, with its directories; answers with its path. */
  readonly file: (path: string, content?: string, mode?: number) => string
  readonly bind: (source: string, point: string) => void
  readonly dispose: () => void
}

export const policyText = (root: string): string =>
  JSON.stringify({ version: 1, root, allow: ["**"], deny: ["**/private/**"] })

export const makePlace = (): Place => {
  const base = mkdtempSync(join(realpathSync(tmpdir()), "memory-bridge-race-"))
  const points: Array<string> = []
  const at = (path: string) => join(base, path)
  const directory: Place["directory"] = (path, mode = 0o700) => {
    mkdirSync(at(path), { recursive: true, mode: 0o700 })
    chmodSync(at(path), mode)
    return at(path)
  }
  const file: Place["file"] = (path, content = outsideText, mode = 0o600) => {
    directory(dirname(path))
    writeFileSync(at(path), content)
    chmodSync(at(path), mode)
    return at(path)
  }
  const root = directory("memory")
  file(`memory/${noteId}`, safeText)
  return {
    home: at("home"),
    root,
    policyFile: file("home/plugin-data/memory-bridge/policy.json", policyText(root)),
    at,
    directory,
    file,
    bind: (source, point) => {
      execFileSync("mount", ["--bind", source, point])
      points.unshift(point)
    },
    dispose: () => {
      for (const point of points) execFileSync("umount", ["-l", point])
      rmSync(base, { recursive: true, force: true })
    }
  }
}
