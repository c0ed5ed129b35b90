/**
 * Every command that README and docs/ show does what they say, in a home of its own. (issue 7 item 7: "with every command in
 * them executed by a test")
 *
 * A page is run from top to bottom, as a reader would: what it tells to save is there from where it says so. A comment
 * claims an exit code other than 0, or words of the output.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Command, commandsOf, type Page, pages, top } from "./support/Pages.ts"
import { documentedHome, makePlace, makeProduct, type Place, type Product, setups } from "./support/Place.ts"

let product: Product
beforeAll(async () => {
  product = await makeProduct()
})
afterAll(() => product.dispose())

/** What cannot run here, and why. Each must occur, and no other command may. */
const elsewhere: ReadonlyArray<readonly [RegExp, why: string]> = [
  [/^(?:HERMES_SOURCE=\S+ )?npm test\b/u, "is what runs this test"],
  [/^npm run (?:demo|build|verify)\b/u, "builds; the demos have tests of their own"],
  [/^hermes /u, "needs a Hermes"],
  [/^(?:claude|codex) mcp add /u, "needs that client; tests/mcp runs what it would start"]
]
const reasonFor = (text: string): string | undefined => elsewhere.find(([form]) => form.test(text))?.[1]

/** Goes on until it is ended. */
const serves = /^memory-bridge recall broker\b/u

/** The programs that run here. */
const known = /^(?:memory-bridge|printf|chmod|mkdir) /u

/** A clone's ways to call the command line, as the installed one. */
const installed = (text: string): string =>
  text.replace(/^(?:node dist\/cli\/memory-bridge\.cjs|npm run memory-bridge --)(?= )/u, "memory-bridge")

/** A fingerprint holds the paths of whoever makes it, so the digits on a page stand for those of the review. */
const withFingerprint = async (text: string, place: Place): Promise<string> => {
  const file = /--policy (\S+)/u.exec(text)?.[1]
  if (file === undefined || !/--fingerprint [0-9a-f]{12}/u.test(text)) return text
  const { output } = await place.run(`memory-bridge guardian review --proposed ${file} --json`)
  const { proposed } = JSON.parse(output) as { readonly proposed: { readonly fingerprint: string } }
  return text.replace(/(?<=--fingerprint )[0-9a-f]{12}/u, proposed.fingerprint.slice(0, 12))
}

const complaint = async (command: Command, place: Place): Promise<string | undefined> => {
  const text = installed(command.text)
  if (!known.test(text)) return "is neither run here nor in the list of what cannot run"
  const long = serves.test(text)
  const { code, output } = await place.run(await withFingerprint(text, place), long)
  // 143: ended by SIGTERM, as asked.
  const expected = long ? [143] : command.codes
  if (code === null || !expected.includes(code)) return `ended with ${code}, not ${expected.join(" or ")}:\n${output}`
  if (command.decides !== undefined && !output.split("\n").includes(command.decides)) {
    return `does not decide "${command.decides}":\n${output}`
  }
  const missing = command.says.find((said) => !output.includes(said))
  return missing === undefined ? undefined : `does not say "${missing}":\n${output}`
}

const complaintsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  const place = makePlace(product, setups[page.name] ?? {})
  try {
    const files = page.blocks.filter(({ savedAs }) => savedAs !== "")
    const complaints: Array<string> = []
    let saved = 0
    for (const command of commandsOf(page)) {
      for (; saved < files.length && files[saved]!.line < command.line; saved++) {
        place.write(files[saved]!.savedAs, files[saved]!.body)
      }
      if (reasonFor(command.text) !== undefined) continue
      const said = await complaint(command, place)
      if (said !== undefined) complaints.push(`${page.name}:${command.line} ${command.text}\n  ${said}`)
    }
    return complaints
  } finally {
    place.dispose()
  }
}

const all = pages.flatMap(commandsOf)

describe("the commands of the documentation", () => {
  it.concurrent.each(pages.filter((page) => commandsOf(page).length > 0))(
    "$name: each does what is claimed",
    async (page) => {
      assert.deepStrictEqual(await complaintsOf(page), [])
    },
    120_000
  )

  it("have a list of what cannot run that has nothing idle in it", () => {
    const idle = elsewhere.filter(([form]) => !all.some(({ text }) => form.test(text))).map(([, why]) => why)
    assert.deepStrictEqual(idle, [])
  })

  it("name npm scripts that there are", () => {
    const { scripts } = JSON.parse(readFileSync(join(top, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    const named = pages.flatMap(({ text }) => Array.from(text.matchAll(/npm run ([\w:-]+)/gu), ([, name = ""]) => name))
    assert.deepStrictEqual(
      named.filter((name) => !Object.hasOwn(scripts, name)),
      []
    )
  })

  it("name no home but the one that stands for the reader's", () => {
    const homes = pages.flatMap(({ text }) => Array.from(text.matchAll(/\/home\/\w+/gu), ([home]) => home))
    assert.deepStrictEqual([...new Set(homes)], [documentedHome])
  })
})
