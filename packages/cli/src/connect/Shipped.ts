/**
 * The built plugins as they lie beside this program, each complete in itself. (design.md section 6)
 *
 * In a checkout the build has put the native library into every plugin. In an installed package there is one for all,
 * which npm chose for this machine; a copied plugin cannot reach it, so it becomes part of the copy.
 */
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import type { PluginName } from "./Plugins.ts"
import { type Outcome, refuse } from "./Refused.ts"

export interface ShippedFile {
  /** Below the plugin's folder, with `/`. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly sha256: string
}

export interface Shipped {
  readonly name: PluginName
  readonly version: string
  readonly files: ReadonlyArray<ShippedFile>
}

export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** From dist/cli/ and from an installed package; from packages/cli/src/connect/. */
const places = ["../hermes", "../../../../dist/hermes"]

const nativeName = `@koromix/koffi-${process.platform}-${process.arch}`

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes("__pycache__") && !path.endsWith(".pyc"))

const load = (folder: string, paths: ReadonlyArray<string>, prefix = ""): ReadonlyArray<ShippedFile> =>
  paths.map((path) => {
    const bytes = new Uint8Array(readFileSync(join(folder, path)))
    return { path: prefix + path, bytes, sha256: sha256Of(bytes) }
  })

const nativeFolder = (folder: string): string | undefined => {
  try {
    return dirname(createRequire(join(folder, "sidecar.cjs")).resolve(`${nativeName}/package.json`))
  } catch {
    return undefined
  }
}

/** The native library, where the plugin's folder does not hold it. */
export const nativeFor = (folder: string): ReadonlyArray<ShippedFile> | undefined => {
  const own = `node_modules/${nativeName}/`
  if (existsSync(join(folder, own))) return []
  const found = nativeFolder(folder)
  return found === undefined ? undefined : load(found, filesBelow(found), own)
}

const versionIn = (folder: string): string =>
  /^version: (\S+)$/m.exec(readFileSync(join(folder, "plugin.yaml"), "utf8"))?.[1] ?? ""

const isBuilt = (folder: string): boolean =>
  existsSync(join(folder, "sidecar.cjs")) && existsSync(join(folder, "plugin.yaml"))

export const shippedIn = (name: PluginName, folder: string): Outcome<Shipped> => {
  try {
    if (!isBuilt(folder)) return refuse("source_missing", folder, name)
    const native = nativeFor(folder)
    if (native === undefined) return refuse("native_missing", folder, nativeName)
    const files = [...load(folder, filesBelow(folder)), ...native]
    return Result.succeed({
      name,
      version: versionIn(folder),
      files: files.toSorted((one, other) => (one.path < other.path ? -1 : 1))
    })
  } catch (error) {
    return refuse("source_missing", folder, (error as { readonly code?: string }).code ?? "EIO")
  }
}

export const shipped = (name: PluginName): Outcome<Shipped> => {
  const folders = places.map((place) => fileURLToPath(new URL(`${place}/${name}`, import.meta.url)))
  return shippedIn(name, folders.find(isBuilt) ?? folders[0] ?? "")
}
