/**
 * The libSystem that the tests of macOS's adapter go through: the system's own on a Mac, elsewhere the simulated one,
 * which is built from `libsystem.c` where there is a C compiler.
 */
import { systemLibrary } from "@memory-bridge/platform-darwin/Syscalls"
import koffi from "koffi"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
const source = join(here, "libsystem.c")

/** Built once for each version of the source; test processes at the same time each build, and the last one stays. */
const build = (): { readonly path: string } | { readonly lack: string } => {
  const folder = join(here, "..", "..", ".build", "darwin")
  const version = createHash("sha256").update(readFileSync(source)).digest("hex").slice(0, 16)
  const path = join(folder, `libsystem-${process.arch}-${version}.so`)
  if (existsSync(path)) return { path }
  mkdirSync(folder, { recursive: true })
  const made = `${path}.${process.pid}`
  const how = ["-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-Wl,-Bsymbolic", "-Wl,-z,defs"]
  const { error, status, stderr } = spawnSync("cc", [...how, "-o", made, source], { encoding: "utf8" })
  if (error !== undefined) return { lack: "needs a C compiler, cc" }
  if (status !== 0) throw new Error(`libsystem.c does not compile:\n${stderr}`)
  renameSync(made, path)
  return { path }
}

const found =
  process.platform === "darwin"
    ? { path: systemLibrary }
    : process.platform === "linux"
      ? build()
      : { lack: "needs macOS or Linux" }

/** Why these tests cannot run here. */
export const lack: string | undefined = "lack" in found ? found.lack : undefined
/** To be used only where nothing is lacking. */
export const library: string = "path" in found ? found.path : ""
export const isSimulated = process.platform !== "darwin"

/** For the title of a group of tests that is skipped. */
export const unless = (title: string, reason: string | undefined): string =>
  reason === undefined ? title : `${title} (skipped: ${reason})`

/** Why tests that set what only the simulated kernel lets them set cannot run here. */
export const lackOfSimulation: string | undefined = lack ?? (isSimulated ? undefined : "needs the simulated libSystem")

export interface Simulation {
  readonly interrupt: (count: number) => void
  readonly interruptionsLeft: () => number
  readonly volumeFlags: (flags: number) => void
  readonly caseBlind: (blind: boolean) => void
  /** What the library has handed out and not got back. */
  readonly live: () => number
  /** Sets a list as bytes: 24 for each entry, see `aceOf`. */
  readonly setList: (descriptor: number, entries: ReadonlyArray<Uint8Array>) => void
  readonly makeDataless: (descriptor: number) => void
}

export const simulation = (): Simulation => {
  const loaded = koffi.load(library)
  const interrupt = loaded.func("void sim_interrupt(int count)")
  const left = loaded.func("int sim_interruptions_left()")
  const volume = loaded.func("void sim_volume(uint32_t flags)")
  const blind = loaded.func("void sim_case_blind(int blind)")
  const live = loaded.func("int sim_live()")
  const setList = loaded.func("int sim_set_list(int descriptor, const uint8_t *entries, int count)")
  const makeDataless = loaded.func("int sim_make_dataless(int descriptor)")
  const must = (result: number): void => {
    if (result !== 0) throw new Error(`the simulated libSystem answered ${result}`)
  }
  return {
    interrupt,
    interruptionsLeft: left,
    volumeFlags: volume,
    caseBlind: (on) => blind(on ? 1 : 0),
    live,
    setList: (descriptor, entries) => must(setList(descriptor, Buffer.concat(entries), entries.length)),
    makeDataless: (descriptor) => must(makeDataless(descriptor))
  }
}
