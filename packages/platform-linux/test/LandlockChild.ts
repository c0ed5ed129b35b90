/**
 * What a process can still do once it is restricted: run in a child, bundled, on each Node. It prints one JSON line.
 * Arguments: a directory that holds `existing`, and a local port that accepts connections.
 */
import { restrictSelf } from "@memory-bridge/platform-linux/Landlock"
import * as fs from "node:fs"
import * as net from "node:net"

const [, , directory = "", port = ""] = process.argv
const existing = `${directory}/existing`

const fence = restrictSelf()
const outcomes: { [attempt: string]: string } = {}

const attempt = (name: string, act: () => unknown): void => {
  try {
    act()
    outcomes[name] = "done"
  } catch (error) {
    outcomes[name] = (error as NodeJS.ErrnoException).code ?? String(error)
  }
}
const attemptLater = (name: string, act: Promise<unknown>): Promise<void> =>
  act.then(
    () => {
      outcomes[name] = "done"
    },
    (error: NodeJS.ErrnoException) => {
      outcomes[name] = error.code ?? String(error)
    }
  )

attempt("write", () => fs.writeFileSync(`${directory}/new`, "x"))
attempt("append", () => fs.appendFileSync(existing, "x"))
attempt("truncate", () => fs.truncateSync(existing))
attempt("mkdir", () => fs.mkdirSync(`${directory}/made`))
attempt("link", () => fs.linkSync(existing, `${directory}/linked`))
attempt("symlink", () => fs.symlinkSync(existing, `${directory}/symlinked`))
attempt("rename", () => fs.renameSync(existing, `${directory}/renamed`))
attempt("unlink", () => fs.unlinkSync(existing))
attempt("signal", () => process.kill(process.ppid, 0))
attempt("read", () => fs.readFileSync(existing))
attempt("list", () => fs.readdirSync(directory))

void attemptLater("write later", fs.promises.writeFile(`${directory}/later`, "x"))
  .then(() => attemptLater("read later", fs.promises.readFile(existing)))
  .then(() =>
    attemptLater(
      "connect",
      new Promise<void>((resolve, reject) => {
        net.connect(Number(port), "127.0.0.1").on("connect", resolve).on("error", reject)
      })
    )
  )
  .then(() =>
    attemptLater(
      "listen",
      new Promise<void>((resolve, reject) => {
        net.createServer().on("error", reject).listen(0, "127.0.0.1", resolve)
      })
    )
  )
  .then(() => {
    console.log(JSON.stringify({ fence, outcomes }))
    process.exit()
  })
