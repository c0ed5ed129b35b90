import { decide } from "@memory-bridge/core/guard/Decide"
import { evaluate } from "@memory-bridge/core/guard/Evaluation"
import { inspect } from "@memory-bridge/core/guard/Inspection"
import { gather } from "@memory-bridge/core/guard/CallFacts"
import { make } from "@memory-bridge/core/guard/Policy"
import { posixView } from "@memory-bridge/platform-posix/guard/PathFacts"
import { emptyView } from "@memory-bridge/core/guard/PathFacts"
import { mkdtempSync, mkdirSync } from "node:fs"
const base = mkdtempSync("/tmp/gbench-")
mkdirSync(base + "/work/a/b", { recursive: true })
const roots = Array.from({ length: 20 }, (_, i) => {
  const p = `${base}/home/user/secret${i}`
  mkdirSync(p, { recursive: true })
  return { path: p, action: "block", why: "" }
})
const rules = Array.from({ length: 100 }, (_, i) => ({
  tool: i < 4 ? ["read_file", "write_file", "patch", "terminal"][i] : `mcp_tool_${i}`,
  action: "allow",
  why: ""
}))
const policy = make("block", rules, roots)
const self = [
  `${base}/home/user/.hermes/plugins/g`,
  `${base}/home/user/.hermes/plugin-data/hermes-guardian`,
  `${base}/home/user/.hermes`
]
const calls = {
  read: ["read_file", { path: `${base}/work/a/b/file.txt` }],
  cp: ["terminal", { command: `cp ${base}/work/a/b/x ${base}/work/a/b/y`, timeout: 30 }]
}
const time = (batch, f) => {
  for (let i = 0; i < 20000 / (batch < 50 ? 10 : 1); i++) f()
  const s = []
  for (let r = 0; r < 400; r++) {
    const t = process.hrtime.bigint()
    for (let i = 0; i < batch; i++) f()
    s.push(Number(process.hrtime.bigint() - t) / batch / 1000)
  }
  s.sort((a, b) => a - b)
  return `min ${s[0].toFixed(2)} p50 ${s[200].toFixed(2)} p90 ${s[360].toFixed(2)} us`
}
for (const [name, [tool, args]] of Object.entries(calls)) {
  const inspection = inspect(tool, args)
  const facts = gather(posixView, inspection.operands, policy.protectedPaths, self)
  console.log(name, evaluate(policy, tool, inspection, facts).decision)
  console.log(
    name,
    "inspect",
    time(200, () => inspect(tool, args))
  )
  console.log(
    name,
    "evaluate",
    time(200, () => evaluate(policy, tool, inspection, facts))
  )
  console.log(
    name,
    "inspect+evaluate",
    time(200, () => evaluate(policy, tool, inspect(tool, args), facts))
  )
  console.log(
    name,
    "gather(empty view)",
    time(20, () => gather(emptyView, inspection.operands, policy.protectedPaths, self))
  )
  console.log(
    name,
    "gather(real)",
    time(5, () => gather(posixView, inspection.operands, policy.protectedPaths, self))
  )
  console.log(
    name,
    "decide(real)",
    time(5, () => decide(policy, self, posixView, tool, args))
  )
}
