/** A script in a real host: the Hermes source tree that `HERMES_SOURCE` names, under a Python that has what it imports. */
import { assert } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(dirname(fileURLToPath(import.meta.url)))
export const top = dirname(dirname(here))
export const source = process.env["HERMES_SOURCE"] ?? ""
/** The system's own with python3-yaml will do for most. */
export const python = process.env["HERMES_PYTHON"] ?? "/usr/bin/python3"

export const environment = (home: string, base: string) => ({
  HERMES_SOURCE: source,
  HERMES_HOME: home,
  HOME: base,
  PATH: process.env["PATH"] ?? "",
  PYTHONDONTWRITEBYTECODE: "1"
})

/** Runs a script that stands beside the tests, and takes what it says in JSON on the line that begins with `mark`. */
export const told = (
  script: string,
  args: ReadonlyArray<string>,
  mark: string,
  { base, home }: { readonly base: string; readonly home: string }
): unknown => {
  const { stderr, stdout } = spawnSync(python, [join(here, script), ...args], {
    cwd: base,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: environment(home, base)
  })
  const line = stdout.split("\n").find((text) => text.startsWith(`${mark} `))
  assert.isDefined(line, stderr)
  return JSON.parse(line!.slice(mark.length + 1))
}
