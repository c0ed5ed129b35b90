/**
 * What a turn pays for recall, whatever the source does. (issue 4 "It must reach")
 *
 *   npm run bench:recall [turns]
 *
 * The built provider under a scripted host in Python; the sources are sockets of this process. Hand-over: p99 at most
 * 2 ms and never above 50 ms. 200 providers: nothing more than before. The interpreter's end under a recall that hangs:
 * below a second, code 0. Exits with 1 where one of them is missed.
 */
import { spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { cpus, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const top = dirname(dirname(fileURLToPath(import.meta.url)))
const turns = process.argv[2] ?? "300"
const base = realpathSync(mkdtempSync(join(tmpdir(), "bench-recall-")))
const plugin = join(base, "plugins", "hy_memory")
mkdirSync(dirname(plugin))
cpSync(join(top, "dist", "hermes", "hy_memory"), plugin, { recursive: true })

const json = (body) =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
const memory = { memory_id: "m1", content: "Blue asters go beside the east gate." }
const found = JSON.stringify({ memories: { profile: [], proactive: [], normal: [memory] } })

/** What a source does once it is asked. */
const sources = {
  answers: (socket) => socket.end(json(found)),
  hangs: () => {},
  "1 byte a second": (socket) => {
    let at = 0
    const timer = setInterval(() => socket.write(json(found)[at++ % 40]), 1_000)
    socket.on("close", () => clearInterval(timer))
  },
  garbage: (socket) => socket.end("\0\xff garbage\r\n\r\n"),
  dead: undefined
}

const listening = (act) =>
  new Promise((resolve) => {
    const sockets = new Set()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => sockets.delete(socket))
      socket.once("data", () => act?.(socket))
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      const close = () =>
        new Promise((done) => {
          for (const socket of sockets) socket.destroy()
          server.close(done)
        })
      resolve({ port, close })
    })
  })

let homes = 0
const newHome = () => {
  const home = join(base, `home${++homes}`)
  mkdirSync(home, { mode: 0o700 })
  return home
}

/** One scenario of the scripted host; with the milliseconds from its last word to its end. */
const play = (settings, what, count, home = newHome()) =>
  new Promise((resolve, reject) => {
    const script = join(top, "bench", "recall_host.py")
    const child = spawn("python3", ["-B", script, plugin, home, what, count], {
      env: { PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`, HOME: home, ...settings },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let said = ""
    let last = 0
    child.stdout.setEncoding("utf8").on("data", (text) => {
      said += text
      last = performance.now()
    })
    let end = 0
    child.on("exit", () => {
      end = Math.round(performance.now() - last)
    })
    child.on("close", (code) => {
      if (said === "") reject(new Error(`the host ended with ${code}`))
      else resolve({ ...JSON.parse(said), code, end })
    })
  })

const direct = (port, timeout) => ({
  HY_MEMORY_URL: `http://127.0.0.1:${port}`,
  HY_MEMORY_USER_ID: "bench",
  HY_MEMORY_AGENT_ID: "bench",
  HY_MEMORY_TIMEOUT: timeout
})

let missed = 0
const row = (label, text, good) => {
  if (!good) missed++
  console.log(`${label.padEnd(18)}${text}${good ? "" : "   MISSED"}`)
}

const shownTurns = (label, { blocks, cold, ending, initialize, prefetch, queue }) =>
  row(
    label,
    `prefetch p50 ${prefetch.p50} p99 ${prefetch.p99} max ${prefetch.max} ms; queue p99 ${queue.p99}; ` +
      `initialize ${initialize}; cold ${cold}; blocks ${blocks}; last ${ending}`,
    prefetch.p99 <= 2 && prefetch.max <= 50 && cold <= 50
  )

try {
  console.log(`Node ${process.versions.node}, ${cpus().length} cores, ${turns} turns each`)
  for (const [label, act] of Object.entries(sources)) {
    const source = await listening(act)
    if (act === undefined) await source.close()
    shownTurns(label, await play(direct(source.port, "1"), "turns", turns))
    if (act !== undefined) await source.close()
  }
  const home = newHome()
  mkdirSync(join(home, "plugin-data", "memory-bridge"), { recursive: true, mode: 0o700 })
  mkdirSync(join(home, "notes"), { mode: 0o700 })
  const policy = { version: 1, root: join(home, "notes"), allow: ["**"] }
  writeFileSync(join(home, "plugin-data", "memory-bridge", "policy.json"), JSON.stringify(policy), { mode: 0o600 })
  const text = "Blue asters go beside the east gate of the garden. ".repeat(80)
  for (let note = 0; note < 2_000; note++) writeFileSync(join(home, "notes", `n${note}.md`), text, { mode: 0o600 })
  shownTurns("2,000 notes", await play({}, "turns", turns, home))

  const hanging = await listening(sources.hangs)
  const { after, before } = await play(direct(hanging.port, "30"), "providers", "200")
  row(
    "200 providers",
    `${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
    JSON.stringify(before) === JSON.stringify(after)
  )
  const { code, end, running } = await play(direct(hanging.port, "30"), "exit", "0")
  row("exit", `${end} ms, code ${code}, ${running} recall under way`, code === 0 && end < 1_000 && running === 1)
  await hanging.close()
} finally {
  rmSync(base, { recursive: true, force: true })
}
process.exit(missed === 0 ? 0 : 1)
