/**
 * Issue 7 item 6: what `npm pack` makes installs into an empty folder, with nothing of this repository near it, and works
 * there on the oldest Node that is promised and on the newest that is tested.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { built, environment, top } from "../cli/given/Cli.ts"
import { remove, temporary, tree } from "../connect/support/Homes.ts"

const native = `koffi-${process.platform}-${process.arch}`
const nativePackage = join(top, "node_modules", "@koromix", native)
const isBuilt = fs.existsSync(join(top, "dist/cli/memory-bridge.cjs"))
const reason = !isBuilt
  ? "dist is not built"
  : !fs.existsSync(nativePackage)
    ? `no @koromix/${native}`
    : spawnSync("npm", ["--version"]).status !== 0
      ? "no npm on PATH"
      : ""

/** Each with the name of the line that it stands for. */
const nodes: ReadonlyArray<readonly [string, string | undefined]> = [
  ["Node 20", typeof built === "string" ? undefined : built.node],
  [`Node ${process.versions.node.split(".")[0]}`, process.execPath]
]

const must = (cwd: string, program: string, ...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync(program, args, { cwd, encoding: "utf8", env: environment() })
  assert.strictEqual(status, 0, `${program} ${args.join(" ")}: ${stderr}`)
  return stdout
}

let place = ""
let installed = ""
let archive = ""
beforeAll(() => {
  if (reason !== "") return
  place = temporary()
  installed = join(place, "empty")
  fs.mkdirSync(installed)
  archive = join(place, must(place, process.execPath, join(top, "scripts/pack.mjs"), place).trim())
  // The registry's part, for this platform; those for others are not there, as on any machine.
  const [part = ""] = must(place, "npm", "pack", "--silent", "--ignore-scripts", nativePackage).split("\n")
  const npm = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", join(place, "cache")]
  must(installed, "npm", "install", ...npm, archive, join(place, part))
})
afterAll(() => {
  if (place !== "") remove(place)
})

/** As `npx memory-bridge` runs it: by its name on PATH, with that Node first on it. */
const npx = (node: string, home: string, args: ReadonlyArray<string>, input = "") => {
  const { status, stderr, stdout } = spawnSync("npx", ["--offline", "memory-bridge", ...args], {
    cwd: installed,
    encoding: "utf8",
    input,
    env: environment({
      PATH: [dirname(node), process.env["PATH"] ?? ""].join(delimiter),
      HOME: home,
      npm_config_cache: join(place, "cache"),
      npm_config_update_notifier: "false"
    })
  })
  return { code: status, stdout, stderr }
}

/** A home, a note and a policy for it. */
const world = (name: string): string => {
  const made = join(place, name)
  fs.mkdirSync(join(made, "notes"), { recursive: true, mode: 0o700 })
  fs.chmodSync(made, 0o700)
  fs.writeFileSync(join(made, "notes", "garden.md"), "# Garden\n\nBlue asters in April.\n", { mode: 0o600 })
  const policy = { version: 1, root: join(made, "notes"), allow: ["**"], deny: [] }
  fs.writeFileSync(join(made, "policy.json"), JSON.stringify(policy), { mode: 0o600 })
  fs.mkdirSync(join(made, "home"), { mode: 0o700 })
  fs.writeFileSync(join(made, "home", "config.yaml"), "model: none # mine\n", { mode: 0o600 })
  return made
}

describe.skipIf(reason !== "")(`the package${reason === "" ? "" : ` (skipped: ${reason})`}`, () => {
  it("holds what runs and what is asked of it, and nothing else", () => {
    const names = must(place, "tar", "-tzf", archive).trim().split("\n")
    const expected =
      /^package\/(package\.json|README\.md|LICENSE|CHANGELOG\.md|cli\/[^/]+|hermes\/(memory-bridge|hermes-guardian|hy_memory)\/(shim\/)?[^/]+)$/
    for (const name of names) assert.match(name, expected)
    for (const file of [
      "cli/memory-bridge.cjs",
      "cli/mcp-server.cjs",
      "cli/THIRD_PARTY.txt",
      ...["memory-bridge", "hermes-guardian", "hy_memory"].flatMap((name) =>
        ["__init__.py", "plugin.yaml", "sidecar.cjs", "LICENSE", "THIRD_PARTY.txt"].map(
          (file) => `hermes/${name}/${file}`
        )
      )
    ]) {
      assert.include(names, `package/${file}`)
    }
    assert.isEmpty(names.filter((name) => /\.(ts|node|pyc)$/.test(name)))
  })

  it("says what a registry asks for, and that it can be traced to where it was built", () => {
    const manifest = JSON.parse(
      fs.readFileSync(join(installed, "node_modules/memory-bridge/package.json"), "utf8")
    ) as Readonly<Record<string, unknown>>
    assert.deepInclude(manifest, {
      name: "memory-bridge",
      license: "MIT",
      bin: { "memory-bridge": "cli/memory-bridge.cjs" },
      engines: { node: ">=20.19" },
      publishConfig: { access: "public", provenance: true }
    })
    assert.notProperty(manifest, "private")
    assert.notProperty(manifest, "dependencies")
    assert.notProperty(manifest, "scripts")
    const optional = Object.keys(manifest["optionalDependencies"] as object)
    assert.includeMembers(optional, [
      "@koromix/koffi-darwin-arm64",
      "@koromix/koffi-darwin-x64",
      "@koromix/koffi-linux-arm64",
      "@koromix/koffi-linux-x64"
    ])
    const { version } = JSON.parse(fs.readFileSync(join(nativePackage, "package.json"), "utf8")) as { version: string }
    assert.isTrue(Object.values(manifest["optionalDependencies"] as object).every((wanted) => wanted === version))
  })

  it.each(nodes.filter(([, node]) => node !== undefined))("works on %s", (name, node) => {
    const made = world(name.replace(" ", "-"))
    const home = join(made, "home")
    const run = (...args: ReadonlyArray<string>) => npx(node ?? "", made, args)
    const { version } = JSON.parse(fs.readFileSync(join(top, "package.json"), "utf8")) as { version: string }
    assert.deepStrictEqual(run("--version"), { code: 0, stdout: `memory-bridge ${version}\n`, stderr: "" })

    const found = run("search", "asters", "--policy", join(made, "policy.json"), "--json")
    assert.strictEqual(found.code, 0, found.stderr)
    assert.include(found.stdout, "garden.md")

    const before = tree(home)
    const dry = run("connect", "hermes", "--home", home, "--dry-run")
    assert.strictEqual(dry.code, 0, dry.stderr)
    assert.include(dry.stdout, "+    - hermes-guardian\n")
    assert.deepStrictEqual(tree(home), before)

    const connected = run("connect", "hermes", "--home", home, "--yes")
    assert.strictEqual(connected.code, 0, connected.stderr)
    for (const plugin of ["memory-bridge", "hermes-guardian", "hy_memory"]) {
      const folder = join(home, "plugins", plugin)
      // With nothing above it to fall back on, the copy finds its native part.
      must(
        "/",
        node ?? "",
        "-e",
        `require(require.resolve("@koromix/${native}", { paths: [${JSON.stringify(folder)}] }))`
      )
    }
    const sidecar = join(home, "plugins", "memory-bridge", "sidecar.cjs")
    const ended = spawnSync(node ?? "", [sidecar], { input: "", encoding: "utf8", cwd: "/", env: environment() })
    assert.strictEqual(ended.status, 0, ended.stderr)
    assert.include(ended.stderr, '"started"')

    const gone = run("disconnect", "hermes", "--home", home, "--yes")
    assert.strictEqual(gone.code, 0, gone.stderr)
    assert.deepStrictEqual(tree(home), before)
  })

  it("plays its demo and serves MCP without anything of this repository", () => {
    const made = world("others")
    const demo = npx(process.execPath, made, ["demo"])
    assert.match(demo.stdout, /^\d+ passed, 0 failed$/m, demo.stderr)
    const ask = { jsonrpc: "2.0", id: 1, method: "initialize" }
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
    const served = npx(
      process.execPath,
      made,
      ["mcp", "--profile", join(made, "home")],
      JSON.stringify({ ...ask, params }) + "\n"
    )
    assert.include(served.stdout, '"serverInfo":{"name":"memory-bridge"')
  })

  it("names what is missing where the optional part was left out", () => {
    const bare = join(place, "bare")
    fs.mkdirSync(bare)
    fs.cpSync(join(installed, "node_modules/memory-bridge"), bare, { recursive: true })
    const made = world("bare-world")
    const run = (...args: ReadonlyArray<string>) =>
      spawnSync(process.execPath, [join(bare, "cli/memory-bridge.cjs"), ...args], {
        encoding: "utf8",
        env: environment({ HOME: made })
      })
    assert.strictEqual(run("--version").status, 0)
    const refused = run("connect", "hermes", "--home", join(made, "home"), "--yes")
    assert.strictEqual(refused.status, 2, refused.stdout)
    assert.match(refused.stderr, /native|optional/)
    assert.deepStrictEqual(Object.keys(tree(join(made, "home"))), ["config.yaml"])
  })
})
