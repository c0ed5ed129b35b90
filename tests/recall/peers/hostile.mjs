/**
 * A peer that misbehaves, as a process of its own: `node hostile.mjs <way> [folder with key.pem and cert.pem]`.
 *
 * `PORT` names the port to take, `INSTANCE` the Broker that an impostor claims to be. Says `{"port":…}` once it listens, then one line for each piece of bytes that it received, so that a test can look
 * for what must not have been sent.
 */
import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import { gzipSync } from "node:zlib"

const [, , way, folder] = process.argv

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`)
const head = (...lines) => `${["HTTP/1.1 200 OK", ...lines].join("\r\n")}\r\n\r\n`
const json = "Content-Type: application/json"

const drip = (socket, text, millis) => {
  let at = 0
  const timer = setInterval(() => {
    if (at < text.length) socket.write(text[at++])
  }, millis)
  socket.on("close", () => clearInterval(timer))
}

const flood = (socket, first, piece) => {
  socket.write(first)
  const more = () => {
    while (!socket.destroyed && socket.write(piece)) {}
  }
  socket.on("drain", more)
  more()
}

/** What each way does once a whole request head has arrived; `accept` ways act at once. */
const ways = {
  silent: () => {},
  dripping: (socket) => {
    socket.write(head(json, "Content-Length: 60000"))
    drip(socket, " ".repeat(60_000), 100)
  },
  "dripping head": (socket) => drip(socket, head(json, "Content-Length: 2") + "{}", 100),
  redirecting: (socket) =>
    socket.end(
      `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${other.address().port}/\r\nContent-Length: 0\r\n\r\n`
    ),
  "gzip bomb": (socket) => {
    const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024, " "))
    socket.write(head(json, "Content-Encoding: gzip", `Content-Length: ${bomb.length}`))
    socket.end(bomb)
  },
  brotli: (socket) => socket.end(head(json, "Content-Encoding: br", "Content-Length: 2") + "{}"),
  "chained encodings": (socket) =>
    socket.end(head(json, `Content-Encoding: ${"gzip, ".repeat(200)}gzip`, "Content-Length: 2") + "{}"),
  "transfer gzip": (socket) => socket.end(head(json, "Transfer-Encoding: gzip, chunked") + "0\r\n\r\n"),
  "chunked flood": (socket) =>
    flood(socket, head(json, "Transfer-Encoding: chunked"), `10000\r\n${" ".repeat(65_536)}\r\n`),
  "long body": (socket) => flood(socket, head(json), " ".repeat(65_536)),
  "announced flood": (socket) => flood(socket, head(json, "Content-Length: 999999999"), " ".repeat(65_536)),
  "head flood": (socket) => flood(socket, "HTTP/1.1 200 OK\r\n", `X-Pad: ${"x".repeat(1_000)}\r\n`),
  "early hints for ever": (socket) => {
    const timer = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"), 50)
    socket.on("close", () => clearInterval(timer))
  },
  "switching protocols": (socket) =>
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
  "cut body": (socket) => socket.end(head(json, "Content-Length: 100") + `{"a":1`),
  "cut chunk": (socket) => socket.end(head(json, "Transfer-Encoding: chunked") + "5\r\n{}"),
  "two lengths": (socket) => socket.end(head(json, "Content-Length: 2", "Content-Length: 9") + "{}"),
  "length and chunks": (socket) =>
    socket.end(head(json, "Content-Length: 2", "Transfer-Encoding: chunked") + "2\r\n{}\r\n0\r\n\r\n"),
  "not utf8": (socket) =>
    socket.end(Buffer.concat([Buffer.from(head(json, "Content-Length: 2")), Buffer.of(0xc3, 0x28)])),
  "wrong type": (socket) => socket.end(head("Content-Type: text/html", "Content-Length: 2") + "{}"),
  "no type": (socket) => socket.end(head("Content-Length: 2") + "{}"),
  "too long by one": (socket) => socket.end(head(json, "Content-Length: 65537") + " ".repeat(65_537)),
  "just short enough": (socket) => socket.end(head(json, "Content-Length: 65536") + "{}".padEnd(65_536)),
  chunked: (socket) => socket.end(head(json, "Transfer-Encoding: chunked") + "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"),
  "old http": (socket) => socket.end(`HTTP/1.0 200 OK\r\n${json}\r\nContent-Length: 2\r\n\r\n{}`),
  identity: (socket) => socket.end(head(json, "Content-Encoding: identity", "Content-Length: 2") + "{}"),
  "secret error": (socket) =>
    socket.end(`HTTP/1.1 500 Oops\r\n${json}\r\nContent-Length: 24\r\n\r\n{"error":"secret memory"}`.slice(0, -1)),
  garbage: (socket) => socket.end(Buffer.from([0x16, 0x03, 0x01, 0, 5, 1, 2, 3, 4, 5, 10, 13, 0])),
  impostor: (socket) => {
    const claim = { version: 1, product: "memhub-broker", instance: process.env.INSTANCE, proofs: ["0".repeat(64)] }
    const body = JSON.stringify(claim)
    socket.end(head(json, `Content-Length: ${body.length}`) + body)
  },
  "closing at once": { accept: (socket) => socket.destroy() },
  "answering early": { accept: (socket) => socket.write(head(json, "Content-Length: 2") + "{}") },
  resetting: (socket) => socket.resetAndDestroy()
}

// Whoever asks for a mark on standard input gets it once everything that had arrived by then was told.
process.stdin.setEncoding("utf8").on("data", (mark) => {
  setImmediate(() => setImmediate(() => setImmediate(() => say({ mark: mark.trim() }))))
})

const other = createServer((socket) => {
  say({ elsewhere: true })
  socket.destroy()
}).listen(0, "127.0.0.1")

const serve = (socket) => {
  socket.on("error", () => {})
  socket.on("close", () => say({ closed: true }))
  const behaviour = ways[way]
  behaviour.accept?.(socket)
  let asked = ""
  let answered = false
  socket.on("data", (bytes) => {
    say({ received: bytes.toString("latin1") })
    asked += bytes.toString("latin1")
    if (answered || !asked.includes("\r\n\r\n")) return
    answered = true
    if (typeof behaviour === "function") behaviour(socket)
  })
}

const tlsOptions = () => ({ key: readFileSync(`${folder}/key.pem`), cert: readFileSync(`${folder}/cert.pem`) })
const server = folder === undefined ? createServer(serve) : createTlsServer(tlsOptions(), serve)
server.on("tlsClientError", () => say({ handshake: "refused" }))
server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => say({ port: server.address().port }))
