/** Asks a Python program beside this file about many inputs at once: a line in, a line out. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

export const askPython = (program: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const path = fileURLToPath(new URL(program, import.meta.url))
  const { status, stderr, stdout } = spawnSync("python3", ["-B", path], {
    encoding: "utf8",
    input: lines.map((line) => `${line}\n`).join(""),
    maxBuffer: 1 << 30
  })
  const answers = (stdout ?? "").split("\n").slice(0, -1)
  if (status !== 0 || answers.length !== lines.length) throw new Error(`${program}: ${stderr}`)
  return answers
}
