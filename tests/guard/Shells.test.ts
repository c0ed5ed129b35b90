/**
 * Property 13: every accepted command is read by real shells as exactly the parser's argv. (issue 3 "Differential against
 * real shells")
 *
 * Strings near the grammar, with bytes inserted, removed and replaced; those that the parser accepts are run with
 * functions in place of the commands that print what they were given. A string that a shell reads otherwise must
 * therefore have been refused. `GUARD_LONG=1` tries ten times as many.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { commandNames, isCommandRefused, parse } from "@memory-bridge/core/guard/Terminal"
import { command } from "./support/Cases.ts"
import { cases, type Random, randomFrom } from "./support/Random.ts"

const special = [..."\0\t\n\r\v\f !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\u007f\u0080\u00a0\u00e9\u2028\u0430a0/ -"]

const mutate = (random: Random, text: string): string => {
  const at = random.int(text.length + 1)
  const added = random.chance(0.7) ? random.pick(special) : String.fromCharCode(random.int(256))
  switch (random.int(4)) {
    case 0:
      return text.slice(0, at) + added + text.slice(at)
    case 1:
      return text.slice(0, at) + text.slice(at + 1)
    case 2:
      return text.slice(0, at) + added + text.slice(at + 1)
    default: {
      // Two pieces of a command in the other order: quotes and words that meet where they did not before.
      const end = at + random.int(text.length - at + 1)
      return text.slice(end) + text.slice(at, end) + text.slice(0, at)
    }
  }
}

const generated = (random: Random): string => {
  let text = command(random)
  for (let times = random.int(4); times > 0; times--) text = mutate(random, text)
  return text
}

interface Accepted {
  readonly text: string
  readonly argv: ReadonlyArray<string>
}

const accepted = (texts: ReadonlyArray<string>): ReadonlyArray<Accepted> =>
  texts.flatMap((text) => {
    const result = parse(text)
    return isCommandRefused(result) ? [] : [{ text, argv: result.argv }]
  })

const endOfCommand = "\u0001"
const standIns = [
  `show() { printf '%s\\0' "$@"; printf '${endOfCommand}\\0'; }`,
  ...commandNames.map((name) => `${name}() { show ${name} "$@"; }`)
]

/** What a shell passed on, command by command, or what it complained of. */
const readings = (shell: string, script: string): ReadonlyArray<ReadonlyArray<string>> | string => {
  const { status, stderr, stdout } = spawnSync(shell, [script], { encoding: "utf8", maxBuffer: 1 << 30, env: {} })
  if (status !== 0 || stderr !== "") return `${status}: ${stderr.slice(0, 300)}`
  const commands: Array<Array<string>> = [[]]
  for (const part of stdout.split("\0")) {
    if (part === endOfCommand) commands.push([])
    else commands.at(-1)?.push(part)
  }
  return commands.slice(0, -1)
}

const shells = ["/bin/sh", "/bin/bash"].filter((shell) => fs.existsSync(shell))

describe("accepted commands in real shells", () => {
  let folder = ""
  beforeAll(() => {
    folder = fs.mkdtempSync(join(tmpdir(), "guard-shells-"))
  })
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

  const count = cases(50_000, 500_000)

  it(`of ${count} strings near the grammar, each accepted one is read as its argv`, { timeout: 600_000 }, () => {
    const random = randomFrom(20_261_201)
    const texts = Array.from({ length: count }, () => generated(random))
    const all = accepted(texts)
    const script = join(folder, "commands.sh")
    fs.writeFileSync(script, [...standIns, ...all.map(({ text }) => text), ""].join("\n"))
    for (const shell of shells) {
      const read = readings(shell, script)
      if (typeof read === "string") assert.fail(`${shell}: ${read}`)
      assert.strictEqual(read.length, all.length, shell)
      for (const [index, { argv, text }] of all.entries()) {
        assert.deepStrictEqual(read[index], argv, `${shell}: ${JSON.stringify(text)}`)
      }
    }
    process.stdout.write(`shells: ${count} strings, ${all.length} accepted, read alike by ${shells.join(" and ")}\n`)
    assert.isNotEmpty(shells)
    assert.isAbove(all.length, count / 10)
    assert.isBelow(all.length, count * 0.9)
  })

  it("a sample, each as the text of a shell of its own, with programs in place of the commands", () => {
    const programs = join(folder, "bin")
    fs.mkdirSync(programs)
    for (const name of commandNames) {
      fs.writeFileSync(join(programs, name), `#!/bin/sh\nprintf '%s\\0' ${name} "$@"\n`, { mode: 0o755 })
    }
    const random = randomFrom(20_261_202)
    const sample = accepted(Array.from({ length: 600 }, () => generated(random)))
      // `pwd` is built into every shell.
      .filter(({ argv }) => argv[0] !== "pwd")
      .slice(0, cases(60, 300))
    for (const shell of shells) {
      for (const { argv, text } of sample) {
        const { status, stdout } = spawnSync(shell, ["-c", text], { encoding: "utf8", env: { PATH: programs } })
        assert.strictEqual(status, 0, text)
        assert.deepStrictEqual(stdout.split("\0").slice(0, -1), argv, `${shell}: ${text}`)
      }
    }
  })
})
