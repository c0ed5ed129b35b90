/** A sidecar as the shim starts it, driven over its pipes. */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { ordinarySignals } from "../proofs/trace/Sidecar.ts"

/** Flags that put Node's permission model in force without any write, child or worker. */
export const fenceFlags = (node) => {
  const [major, minor] = node.versions
  const stable = major > 23 || (major === 23 && minor >= 5) || (major === 22 && minor >= 13)
  return [
    stable ? "--permission" : "--experimental-permission",
    "--allow-fs-read=*",
    "--allow-addons",
    "--no-warnings",
    "--max-semi-space-size=2",
    "--heap-growing-percent=20"
  ]
}

export const startSidecar = (node, bundle) => {
  const child = spawn(node.path, [...fenceFlags(node), bundle], {
    stdio: ["pipe", "pipe", "ignore"],
    env: {},
    cwd: "/"
  })
  const waiting = new Map()
  let last = 0
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  const call = (method, home, args) =>
    new Promise((resolve) => {
      const id = ++last
      waiting.set(id, (message) => resolve(message.result))
      const params = { signals: ordinarySignals(home), arguments: args }
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    })
  return {
    search: (home, query, limit) => call("memory_bridge.search", home, { query, limit }),
    read: (home, id) => call("memory_bridge.read", home, { id }),
    /** Highest resident memory so far, MiB. */
    peakMiB: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024,
    stop: () =>
      new Promise((resolve) => {
        child.on("exit", resolve)
        child.stdin.end()
      })
  }
}
