import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { readFileSync } from "node:fs"
import { Notes } from "../packages/core/src/notes/Notes.ts"
import { decode } from "../packages/core/src/policy/Policy.ts"
import { layer } from "../packages/platform-linux/src/LinuxTree.ts"
const v = process.argv[2],
  n = Number(process.argv[3]),
  q1 = process.argv[4]
const policy = decode(readFileSync(`/tmp/speed/h-${v}/plugin-data/memory-bridge/policy.json`, "utf8")).success
const rt = ManagedRuntime.make(Notes.layer.pipe(Layer.provide(layer)))
const qs = q1 ? [{ query: q1 }] : JSON.parse(readFileSync(`/tmp/speed/${v.replace("p2", "c2")}.json`, "utf8"))
const go = (q) =>
  rt.runSync(
    Effect.gen(function* () {
      return yield* (yield* Notes).search(policy, { query: q, limit: 10 })
    })
  )
const t0 = performance.now()
go(qs[0].query)
console.log("cold", performance.now() - t0)
for (let i = 0; i < 20; i++) go(qs[i % qs.length].query)
const t = []
for (let i = 0; i < n; i++) {
  const a = performance.now()
  go(qs[i % qs.length].query)
  t.push(performance.now() - a)
}
t.sort((a, b) => a - b)
console.log(v, "warm", t[n >> 1].toFixed(2), "best", t[(n / 10) | 0].toFixed(2))
