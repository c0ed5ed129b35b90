#!/usr/bin/env node
/**
 * One version everywhere. It stands in the package.json at the top; every other place follows. (issue 7 item 6: "versions
 * moved together")
 *
 *   node scripts/versions.mjs            says where another one stands, and fails if there is such a place
 *   node scripts/versions.mjs 1.2.3      moves all of them
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const top = dirname(dirname(fileURLToPath(import.meta.url)))

const folders = (root, path) =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${path}/${entry.name}`)

const ownPackage = /^(?:@memory-bridge\/.+|memory-bridge(?:-workspace)?)$/

/** Every dependency on a package of this repository, and the package's own version. */
const inManifest = (manifest, version) => ({
  ...manifest,
  ...("version" in manifest ? { version } : {}),
  ...(manifest.dependencies === undefined
    ? {}
    : {
        dependencies: Object.fromEntries(
          Object.entries(manifest.dependencies).map(([name, wanted]) => [
            name,
            ownPackage.test(name) ? version : wanted
          ])
        )
      })
})

const json = (text, change) => JSON.stringify(change(JSON.parse(text)), undefined, 2) + "\n"

const inLock = (lock, version) => ({
  ...lock,
  version,
  packages: Object.fromEntries(
    Object.entries(lock.packages).map(([path, entry]) => [
      path,
      path === "" || path.startsWith("packages/") ? inManifest(entry, version) : entry
    ])
  )
})

const inSource = (text, version) => text.replace(/^(export const version = ").*(")$/m, `$1${version}$2`)
const inPlugin = (text, version) => text.replace(/^(version: ).*$/m, `$1${version}`)

/** Each file with what its text is once the version has moved. */
const places = (root) => {
  const packages = folders(root, "packages")
  const plugins = folders(root, "packages/hermes-plugin/python").filter((path) => !path.endsWith("/shim"))
  return [
    ...["package.json", ...packages.map((path) => `${path}/package.json`)].map((path) => [
      path,
      (text, version) => json(text, (manifest) => inManifest(manifest, version))
    ]),
    ["package-lock.json", (text, version) => json(text, (lock) => inLock(lock, version))],
    ["packages/cli/src/Version.ts", inSource],
    ["packages/mcp-server/src/Version.ts", inSource],
    ...plugins.map((path) => [`${path}/plugin.yaml`, inPlugin])
  ]
}

export const versionOf = (root = top) => JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version

/** Files in which another version stands. */
export const strays = (version = versionOf(), root = top) =>
  places(root)
    .filter(([path, moved]) => {
      const text = readFileSync(join(root, path), "utf8")
      return moved(text, version) !== text
    })
    .map(([path]) => path)

export const moveTo = (version, root = top) => {
  for (const [path, moved] of places(root)) {
    const text = readFileSync(join(root, path), "utf8")
    writeFileSync(join(root, path), moved(text, version))
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [wanted] = process.argv.slice(2)
  if (wanted !== undefined && !/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(wanted)) {
    console.error(`"${wanted}" is no version.`)
    process.exit(2)
  }
  if (wanted !== undefined) moveTo(wanted)
  const left = strays()
  console.log(left.length === 0 ? versionOf() : left.map((path) => `${path}: not ${versionOf()}`).join("\n"))
  process.exit(left.length === 0 ? 0 : 1)
}
