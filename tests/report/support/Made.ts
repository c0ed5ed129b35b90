/** Reviews for the page, made by the lab itself on a file system in memory. */
import { make, type PathRule, type Policy, type ToolRule } from "@memory-bridge/core/guard/Policy"
import { emptyView } from "@memory-bridge/core/guard/PathFacts"
import { neighboursOf } from "@memory-bridge/core/lab/Neighbours"
import { review } from "@memory-bridge/core/lab/Review"
import type { ProposedCall } from "@memory-bridge/core/lab/Simulation"
import { sha256 } from "@memory-bridge/platform-posix/lab/Fingerprint"
import type { Reviewed } from "memory-bridge/screen/ReviewText"

const tool = (name: string, action: ToolRule["action"], why = ""): ToolRule => ({ tool: name, action, why })
const path = (at: string, action: PathRule["action"], why = ""): PathRule => ({ path: at, action, why })

const call = (label: string, name: string, args: object): ProposedCall => ({
  source: "scenario",
  label,
  tool: name,
  args
})

const scenarios: ReadonlyArray<ProposedCall> = [
  call("an ordinary read", "read_file", { path: "/srv/notes.md" }),
  call("a read below a protected path", "read_file", { path: "/srv/keys/id" }),
  call("a page from the network", "web_extract", { urls: [] })
]

/** Of the generated calls; each is a row where it changed. */
const neighbours = 60

export const reviewed = (active: Policy, proposed: Policy, file = "/srv/proposal.json"): Reviewed => {
  const made = review(sha256, {
    active,
    proposed,
    calls: [...scenarios, ...neighboursOf(proposed).slice(0, neighbours)],
    self: ["/srv/hermes"],
    view: emptyView
  })
  return {
    review: made,
    active: { policy: active, origin: "settings", file: "/srv/hermes/config.yaml" },
    proposed: file,
    skipped: 2,
    activation: { can: true, command: `memory-bridge guardian activate --policy '${file}' --weakened 1` }
  }
}

/** Weakened, linked and strengthened classes, and findings. */
export const ordinary = (): Reviewed =>
  reviewed(
    make(
      "block",
      [tool("read_file", "allow"), tool("terminal", "approve", "a shell is a shell")],
      [path("/srv/keys/old", "block", "retired keys"), path("/srv/work", "approve")]
    ),
    make(
      "block",
      [tool("read_file", "allow"), tool("terminal", "approve"), tool("web_extract", "allow", "it reads the news")],
      [path("/srv/keys", "approve", "keys are for people")]
    )
  )

/** Nothing changes, and nothing stands out. */
export const unchanged = (): Reviewed => {
  const policy = make("block", [tool("read_file", "approve")], [path("/srv/keys", "block")])
  return { ...reviewed(policy, policy), activation: { can: false, why: "same" } }
}

export const hostileTexts = [
  `</bdi></td><script>document.title="taken"; fetch("http://host.invalid/a")</script>`,
  `<img src="http://host.invalid/b" onerror="document.title='taken'">`,
  `"><style>main { display: none }</style><link rel="stylesheet" href="http://host.invalid/c">`,
  `' onmouseover='alert(1)' style='position:fixed;inset:0'`,
  `&lt;script&gt; &amp; <!-- --> ]]> \${1} <base href="http://host.invalid/">`,
  `<meta http-equiv="refresh" content="0;url=http://host.invalid/d"><iframe src="http://host.invalid/e"></iframe>`,
  "safe \u202Egnihtyna\u202C \u2066x\u2069 \u200B \u0000 \u001B[2J \u2028 \uD800"
]

/** Every text that a policy may hold says something else than it seems to. */
export const hostile = (): Reviewed => {
  const paths = hostileTexts.map((text) => path(`/srv/${text.replaceAll("/", "|")}`, "block", text))
  const long = path(`/srv/${"deep/".repeat(200)}${"x".repeat(800)}`, "approve", "y".repeat(512))
  const tools = hostileTexts.map((text, index) => tool(`tool_${index}`, "allow", text))
  return reviewed(
    make("approve", [tool("read_file", "block", hostileTexts[0])], paths),
    make("allow", [...tools, tool("read_file", "allow", hostileTexts[1])], [...paths.slice(0, 2), long]),
    `/srv/${hostileTexts[1]}.json`
  )
}
