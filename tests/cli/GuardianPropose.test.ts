/** `guardian propose`, as people and scripts see it. (seed 004 "Policy Lab", issue 5 item 1) */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { current, environment, run } from "./given/Cli.ts"
import { folder } from "./given/Folder.ts"
import { transcript } from "./given/Transcript.ts"

const sentence = "Hermes can edit my coding projects, but must ask before deleting files or pushing code to GitHub."
const propose = (...more: ReadonlyArray<string>) => ["guardian", "propose", ...more]
const answered = ["--answer", "1=a", "--answer", "2=a", "--answer", "3=a"]

describe("a proposal", () => {
  const looks = (name: string, commands: () => ReadonlyArray<ReadonlyArray<string>>) =>
    it(`of ${name} looks like this`, async () => {
      const made = folder({
        "model.json":
          '{"default_action":"block","rules":[{"tool":"execute_code","action":"allow"}],"protected_paths":[]}',
        "fenced.json": '```json\n{"default_action":"block","rules":[],"protected_paths":[]}\n```\n'
      })
      const text = transcript(made, commands(), current, { HOME: made })
      await expect(text).toMatchFileSnapshot(`golden/guardian-propose-${name}.txt`)
    })

  looks("words", () => [
    propose(sentence),
    propose(sentence, ...answered),
    propose(sentence, ...answered, "--json"),
    propose("never touch my notes", "--json"),
    propose("never touch my notes", "--folder", "notes=/srv/notes", "--out", "proposed.json"),
    propose("can read files", "--out", "proposed.json")
  ])

  looks("mistakes", () => [
    propose(sentence, "--answer", "1=z"),
    propose("can read files", "--answer", "1=a"),
    propose("can read files", "--answer", "a"),
    propose("can read files", "--folder", "notes=relative"),
    propose("can read files", "--tool", "*"),
    propose(""),
    propose(),
    propose("can read files", "--template")
  ])

  looks("elsewhere", () => [
    propose("can read files", "--model"),
    propose("--proposal", "model.json"),
    propose("ask before execute_code", "--proposal", "model.json", "--json"),
    propose("--proposal", "fenced.json"),
    propose("--proposal", "none.json"),
    propose("--help")
  ])

  it("is written for its owner alone, and its bytes are those of the next run", () => {
    const made = folder()
    const files = ["one.json", "two.json"].map((name) => join(made, name))
    for (const file of files) {
      assert.strictEqual(run(current, propose("--template", "--out", file)).code, 0)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    }
    assert.strictEqual(readFileSync(files[0] ?? "", "utf8"), readFileSync(files[1] ?? "", "utf8"))
  })

  it("is never written through a link, even one that leads nowhere", () => {
    const made = folder()
    symlinkSync(join(made, "target"), join(made, "link"))
    assert.strictEqual(run(current, propose("--template", "--out", join(made, "link"))).code, 2)
    assert.throws(() => statSync(join(made, "target")))
  })

  it("from a file is what `check` takes", () => {
    const made = folder()
    const file = join(made, "p.json")
    run(current, propose("can read files", "--out", file))
    const call = JSON.stringify({ tool: "read_file", args: { path: join(made, "x") } })
    assert.match(run(current, ["guardian", "check", call, "--policy", file]).stdout, /^allow/)
  })
})

describe("a proposal from standard input", () => {
  const gate = (input: string) => run(current, propose("--proposal", "-", "--json"), { input })

  it("is checked like any other", () => {
    const made = gate('{"default_action":"block","rules":[],"protected_paths":[]}')
    assert.strictEqual(made.code, 0)
    assert.strictEqual(JSON.parse(made.stdout).state, "proposal")
  })

  it("of 10 MB is refused after its first part", () => {
    const { code, stdout } = gate(" ".repeat(10_000_000))
    assert.strictEqual(code, 2)
    assert.strictEqual(JSON.parse(stdout).reason, "too_large")
  })

  it("that is not UTF-8 is refused", () => {
    const made = folder()
    const file = join(made, "latin1.json")
    writeFileSync(file, Buffer.from('{"default_action":"block","rules":[],"protected_paths":[],"\u00e9":1}', "latin1"))
    const { reason, rule } = JSON.parse(run(current, propose("--proposal", file, "--json")).stdout)
    assert.deepStrictEqual([reason, rule], ["not_json", "is not UTF-8 text"])
  })
})

/** Plays the plugin's end of the pipe. */
const withHost = (answer: (request: { readonly method: string; readonly request: unknown }) => string) =>
  new Promise<{ readonly code: number | null; readonly stdout: string; readonly asked: ReadonlyArray<string> }>(
    (resolve) => {
      const child = spawn(current.node, [current.script, ...propose("can read files", "--model", "--json")], {
        cwd: "/",
        env: environment({ MEMORY_BRIDGE_HOST_PIPE: "3" }),
        stdio: ["ignore", "pipe", "inherit", "pipe"]
      })
      const asked: Array<string> = []
      let stdout = ""
      let line = ""
      child.stdout?.on("data", (part: Buffer) => (stdout += part.toString()))
      const pipe = child.stdio[3] as unknown as NodeJS.ReadWriteStream
      pipe.on("data", (part: Buffer) => {
        line += part.toString()
        if (!line.endsWith("\n")) return
        asked.push(line)
        pipe.write(`${answer(JSON.parse(line))}\n`)
        line = ""
      })
      pipe.on("error", () => undefined)
      child.on("close", (code) => resolve({ code, stdout, asked }))
    }
  )

describe("the model of the host", () => {
  it("is asked once, with the text as data, and its answer goes through the gate", async () => {
    const policy = '{"default_action":"block","rules":[{"tool":"read_file","action":"allow"}],"protected_paths":[]}'
    const { asked, code, stdout } = await withHost(() => JSON.stringify({ text: policy }))
    assert.strictEqual(code, 0)
    assert.strictEqual(asked.length, 1)
    const { method, request } = JSON.parse(asked[0] ?? "")
    assert.strictEqual(method, "model")
    assert.hasAllKeys(request, ["instructions", "input", "json_schema", "schema_name"])
    assert.strictEqual(request.input, "can read files")
    assert.deepStrictEqual(JSON.parse(stdout).policy.rules, [{ tool: "read_file", action: "allow", why: "" }])
  })

  it.each(["not json", '{"default_action":"allow","rules":[],"protected_paths":[]}', "x".repeat(65_537)])(
    "is refused for %#",
    async (text) => {
      const { code, stdout } = await withHost(() => JSON.stringify({ text }))
      assert.strictEqual(code, 2)
      assert.strictEqual(JSON.parse(stdout).state, "refused")
    }
  )

  it.each(['{"error":"model_failed"}', "garbage", '{"text":1}', '{"text":"{}","also":1}'])(
    "that gives no answer (%s) is an end, not a policy",
    async (line) => {
      const { code, stdout } = await withHost(() => line)
      assert.strictEqual(code, 2)
      assert.strictEqual(stdout, "")
    }
  )
})
