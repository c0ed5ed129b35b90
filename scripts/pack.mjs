#!/usr/bin/env node
/**
 * Makes the package that is published, out of what the build has made. (issue 7 item 6)
 *
 * One package, `memory-bridge`: the command line, the server and the plugins, each bundled, so that nothing of ours is
 * looked up at run time. The native library is left out of all of them and named as optional dependencies, one for each
 * platform, of which npm installs the one that fits; `connect` copies it into the plugins that it installs.
 *
 *   node scripts/pack.mjs [folder]       the package's folder and its archive, in dist/npm if not told otherwise
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { basename, dirname, join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { strays, versionOf } from "./versions.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, "dist")

const readJson = async (...parts) => JSON.parse(await readFile(join(root, ...parts), "utf8"))

/** Of the platforms that the native library has, those that there is an adapter for. */
const natives = async () => {
  const { optionalDependencies } = await readJson("node_modules", "koffi", "package.json")
  return Object.fromEntries(
    Object.entries(optionalDependencies)
      .filter(([name]) => /-(?:linux|darwin)-/.test(name))
      .toSorted()
  )
}

const manifest = async () => {
  const { engines, keywords, license, name, publishConfig } = await readJson("packages", "cli", "package.json")
  const { description } = await readJson("package.json")
  return {
    name,
    version: versionOf(),
    description,
    keywords,
    license,
    type: "commonjs",
    bin: { [name]: "cli/memory-bridge.cjs" },
    files: ["cli", "hermes", "CHANGELOG.md"],
    exports: { "./package.json": "./package.json" },
    engines,
    os: ["darwin", "linux"],
    optionalDependencies: await natives(),
    publishConfig
  }
}

/** Not the native library, and nothing that a run left behind. */
const isShipped = (path) => !["node_modules", "__pycache__"].includes(basename(path)) && !path.endsWith(".pyc")

const fill = async (folder) => {
  for (const part of ["cli", "hermes"]) {
    const from = join(dist, part)
    if (!existsSync(from)) throw new Error(`${relative(root, from)} is not built`)
    await cp(from, join(folder, part), { recursive: true, filter: isShipped })
  }
  const command = join(folder, "cli", "memory-bridge.cjs")
  await writeFile(command, `#!/usr/bin/env node\n${await readFile(command, "utf8")}`)
  await chmod(command, 0o755)
  for (const file of ["README.md", "LICENSE", "CHANGELOG.md"]) await cp(join(root, file), join(folder, file))
  await writeFile(join(folder, "package.json"), JSON.stringify(await manifest(), undefined, 2) + "\n")
}

/** Answers with the archive. */
export const pack = async (out = join(dist, "npm")) => {
  const stray = strays()
  if (stray.length > 0) throw new Error(`another version than ${versionOf()} stands in ${stray.join(", ")}`)
  const folder = join(out, "memory-bridge")
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await fill(folder)
  const { status, stderr, stdout } = spawnSync(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", out],
    {
      cwd: folder,
      encoding: "utf8"
    }
  )
  if (status !== 0) throw new Error(stderr)
  const packed = JSON.parse(stdout)
  const [{ filename }] = Array.isArray(packed) ? packed : Object.values(packed)
  return join(out, filename)
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(relative(process.cwd(), await pack(process.argv[2])))
}
