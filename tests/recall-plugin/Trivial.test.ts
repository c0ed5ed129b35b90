/** The provider's list of turns that ask nothing is the core's. (recall-contract T5) */
import { assert, it } from "@effect/vitest"
import { isTrivial } from "@memory-bridge/core/recall/Query"
import { execFileSync } from "node:child_process"
import { join } from "node:path"

const provider = join(import.meta.dirname, "..", "..", "packages", "hermes-plugin", "python", "hy_memory")

const words =
  "yes y yep yeah no n nope ok okay k sure thanks thx ty hi hello hey continue next done stop good great nice cool bye"
const texts = [
  words.split(" "),
  ["thank you", "go on", "go ahead"],
  ["", " ", "\n\t", "OK", "Thanks!!", "sure…", "yes, ", "k ?", "  hi.  ", "ok\u00a0"],
  ["/new", "/undo 3", "/a-b_c", "/new\nand more", "/", "/1", "/new!", "//x", "/tmp/file", " /new"],
  ["okay then", "no way", "yes yes", "what?", "...", "!", "boat", "thank  you", "ok ok", "/neé", "next step"]
].flat()

it("both say the same of every text", () => {
  const script =
    "import json, sys; from trivial import is_trivial; print(json.dumps([is_trivial(t) for t in json.load(sys.stdin)]))"
  const said = execFileSync("python3", ["-B", "-c", script], {
    cwd: provider,
    encoding: "utf8",
    input: JSON.stringify(texts)
  })
  const there = JSON.parse(said) as ReadonlyArray<boolean>
  assert.deepStrictEqual(
    texts.map((text, index) => [text, there[index]]),
    texts.map((text) => [text, isTrivial(text)])
  )
})
