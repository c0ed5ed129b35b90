/** What each line is, and which is the title. (cases/notes.md 54, 55) */
import { assert, describe, it } from "@effect/vitest"
import { outlineOf } from "@memory-bridge/core/notes/Outline"

const kinds = (text: string) =>
  outlineOf(text)
    .lines.map(({ kind }) => kind[0])
    .join("")
const title = (text: string) => outlineOf(text).title

describe("the kinds of lines", () => {
  it.each([
    ["front matter, heading, prose", "---\ntitle: a\n---\n# H\np\n", "fffhpb"],
    ["a fence of backticks", "a\n```sh\n# no\n```\nb", "pcccp"],
    ["a fence of tildes with backticks in it", "~~~\n```\n# no\n~~~\nb", "ccccp"],
    ["a fence that is indented by three", "   ```\n# no\n   ```\nb", "cccp"],
    ["four spaces open none", "    ```\n# yes", "ph"],
    ["a longer fence is closed by its like alone", "````\n```\n# no\n````\nb", "ccccp"],
    ["a fence without end", "a\n```\n# no\n", "pccc"],
    ["inline code opens none", "```x``` y\n# yes", "ph"],
    ["a line over === or ---", "One\n===\nTwo\n---\np", "hbhbp"],
    ["no heading in a list, quote or table", "- a\n---\n> a\n---\n| a |\n---", "pppppp"],
    ["a rule after a blank line", "a\n\n---\nb", "pbpp"],
    ["broken front matter is prose", "---\ntitle: [x\n---\nb", "ppbp".replace("ppbp", "phbp")],
    ["front matter that ends the text", "---\ntitle: a\n---", "fff"],
    ["carriage returns", "---\r\ntitle: a\r\n---\r\n# H\r\np", "fffhp"]
  ])("%s", (_, text, expected) => {
    assert.strictEqual(kinds(text), expected)
  })
})

describe("the title", () => {
  it.each<readonly [string, string, string | undefined]>([
    ["of the front matter before the heading", "---\ntitle: Front\n---\n# Head\n", "Front"],
    ["of the first heading where the front matter has none", "---\ntags: [a]\n---\n\n## Head ##\n", "Head"],
    ["null in the front matter is none", "---\ntitle: null\n---\n# Head\n", "Head"],
    ["not of a comment in a fence", "```sh\n# comment\n```\n# Head", "Head"],
    ["of an underlined line", "Head\n---\nx", "Head"],
    ["none", "only prose", undefined],
    ["not of an empty heading", "#\n# Head", "Head"]
  ])("%s", (_, text, expected) => {
    assert.strictEqual(title(text), expected)
  })
})
