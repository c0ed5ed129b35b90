/**
 * Builds what is installed: `dist/hermes/<plugin>/` and `dist/cli/`, each complete in itself. (design.md section 6)
 *
 * A bundle holds everything but the native library, which is copied beside it for this machine's platform. Each folder
 * is made under a temporary name and renamed, so that nobody ever sees half of one.
 */
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { existsSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { rolldown } from "rolldown"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, "node_modules")
const shim = join(root, "packages", "hermes-plugin", "python")
const native = `koffi-${process.platform}-${process.arch}`

const source = (name, entry) => join(root, "packages", name, "src", entry)
const cliEntry = source("cli", "main.ts")

/**
 * The folders under `packages/hermes-plugin/python` that are plugins, each with its bundles. The other folder there, `shim`,
 * goes into each of them. The guardian brings the command line along, for `hermes guardian`.
 */
const plugins = [
  ["memory-bridge", { "sidecar.cjs": source("hermes-plugin", "main.ts") }],
  ["hermes-guardian", { "sidecar.cjs": source("hermes-plugin", "guardian.ts"), "memory-bridge.cjs": cliEntry }],
  ["hy_memory", { "sidecar.cjs": source("hermes-plugin", "recall.ts") }]
]

/**
 * In a bundle koffi is its native part alone, loaded at the first use. What is left out looks for that part in places
 * where anybody may have put something, and a file that is loaded at once would keep the program from starting, and from
 * saying why, where there is no native part for the machine.
 */
const koffiNative = {
  name: "koffi-native",
  resolveId: (id) => (id === "koffi" ? "\0koffi" : undefined),
  load: (id) =>
    id === "\0koffi"
      ? {
          moduleType: "js",
          code: `let native
const load = () => native ??= require(\`@koromix/koffi-\${process.platform}-\${process.arch}\`)
module.exports = new Proxy({}, { get: (_, name) => load()[name] })`
        }
      : undefined
}

/** The build of yaml that asks nothing of Node, of which a bundle takes only what it needs. */
const portableYaml = {
  name: "portable-yaml",
  resolveId: (id) => (id === "yaml" ? join(modules, "yaml", "browser", "index.js") : undefined)
}

/**
 * One CommonJS file with everything in it but the native library. CommonJS is a condition of the sidecar's fence, see
 * packages/hermes-plugin/src/Fences.ts. Answers with the folders of the packages that went in.
 */
export const bundle = async (entry, file) => {
  const bundler = await rolldown({
    input: entry,
    platform: "node",
    resolve: { mainFields: ["module", "main"] },
    external: [/^@koromix\//],
    plugins: [koffiNative, portableYaml],
    onLog: (level, log) => {
      // Effect asks for `import.meta.env`, which CommonJS does not have, and does without.
      if (log.code === "EMPTY_IMPORT_META" && log.message.includes("node_modules/effect/")) return
      // A missing module, for one, would be left as an import that fails at run time.
      if (level === "warn") throw new Error(`${log.code ?? "bundler"}: ${log.message}`)
    }
  })
  const { output } = await bundler.write({
    file,
    format: "cjs",
    codeSplitting: false,
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } }
  })
  await bundler.close()
  const packages = output
    .flatMap((chunk) => Object.keys(chunk.modules ?? {}))
    .map((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1])
  return [...new Set(packages.filter((folder) => folder !== undefined)), join(modules, "koffi")].toSorted()
}

const licenceOf = async (folder) => {
  const file = (await readdir(folder)).find((name) => /^licen[cs]e(\.(md|txt))?$/i.test(name))
  return file === undefined ? undefined : readFile(join(folder, file), "utf8")
}

/** The licences of what is inside the bundle, which ask to travel with it. */
const writeLicences = async (folders, file) => {
  const parts = []
  for (const folder of folders) {
    const { license, name, version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
    parts.push(`${name} ${version}\n\n${(await licenceOf(folder)) ?? license}`)
  }
  await writeFile(file, parts.map((part) => part.trim() + "\n").join(`\n${"-".repeat(80)}\n\n`))
}

/** Puts the native library where the bundle in `folder` finds it. */
const copyNative = async (folder) => {
  const from = join(modules, "@koromix", native)
  if (!existsSync(from)) throw new Error(`no native library for ${process.platform}-${process.arch}`)
  const to = join(folder, "node_modules", "@koromix", native)
  await cp(from, to, { recursive: true })
  await writeFile(join(to, "LICENSE.txt"), await licenceOf(join(modules, "koffi")))
}

const isPythonSource = (path) => basename(path) !== "__pycache__" && !path.endsWith(".pyc")

/** Bundles by file name. Answers with the folders of the packages that went in. */
const bundleAll = async (folder, bundles) => {
  const packages = []
  for (const [file, entry] of Object.entries(bundles)) packages.push(...(await bundle(entry, join(folder, file))))
  return [...new Set(packages)].toSorted()
}

const fillPlugin = (plugin, bundles) => async (folder) => {
  await cp(join(shim, plugin), folder, { recursive: true, filter: isPythonSource })
  await cp(join(shim, "shim"), join(folder, "shim"), { recursive: true, filter: isPythonSource })
  if (existsSync(join(root, "LICENSE"))) await cp(join(root, "LICENSE"), join(folder, "LICENSE"))
  await writeLicences(await bundleAll(folder, bundles), join(folder, "THIRD_PARTY.txt"))
  await copyNative(folder)
}

const fillCli = async (folder) => {
  const bundles = { "memory-bridge.cjs": cliEntry, "mcp-server.cjs": source("mcp-server", "main.ts") }
  await writeLicences(await bundleAll(folder, bundles), join(folder, "THIRD_PARTY.txt"))
  await copyNative(folder)
}

/** Fills a temporary folder beside the target, then swaps it in. Two builds at once: the later one stays. */
const replaceFolder = async (target, fill) => {
  await mkdir(dirname(target), { recursive: true })
  const made = await mkdtemp(join(dirname(target), `.${basename(target)}-`))
  await chmod(made, 0o755)
  try {
    await fill(made)
    const old = `${made}.old`
    if (existsSync(target)) await rename(target, old)
    await rename(made, target)
    await rm(old, { recursive: true, force: true })
  } finally {
    await rm(made, { recursive: true, force: true })
  }
  return target
}

/** Builds all of it under `out`; answers with the folders that were made. */
export const build = async (out = join(root, "dist")) => {
  const made = []
  for (const [plugin, bundles] of plugins) {
    made.push(await replaceFolder(join(out, "hermes", plugin), fillPlugin(plugin, bundles)))
  }
  made.push(await replaceFolder(join(out, "cli"), fillCli))
  return made
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const folder of await build()) console.log(relative(root, folder))
}
