/** The Nodes of this machine on which the bundled sidecar is tried: the one that runs the tests, and those on PATH. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"

export interface Node {
  readonly path: string
  readonly version: string
  readonly major: number
}

const versionOf = (path: string): string | undefined =>
  /^v([\d.]+)/.exec(spawnSync(path, ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1]

/** One per major version, 20 and newer. */
export const nodes: ReadonlyArray<Node> = (() => {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "node"))
  const found = new Map<number, Node>()
  for (const path of [process.execPath, ...onPath]) {
    const version = existsSync(path) ? versionOf(path) : undefined
    const major = Number(version?.split(".")[0])
    if (version !== undefined && major >= 20 && !found.has(major)) found.set(major, { path, version, major })
  }
  return [...found.values()]
})()

/** The permission model and the native library, as the shim starts the sidecar. */
export const fenceFlags = (node: Node): ReadonlyArray<string> => [
  "--no-warnings",
  "--max-semi-space-size=2",
  "--heap-growing-percent=20",
  node.major >= 24 ? "--permission" : "--experimental-permission",
  "--allow-fs-read=*",
  "--allow-addons"
]
