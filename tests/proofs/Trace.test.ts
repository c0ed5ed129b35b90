/**
 * What the built sidecars ask of the kernel is what they may ask. (design.md section 5; a short run of `npm run
 * proof:trace`) And the judge itself: each thing that must not be is found in a trace that holds it.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { isLinux } from "../support/Capabilities.ts"
import { type Built, buildPlugins, prove } from "./support/Prove.ts"

let built: Built
beforeAll(async () => {
  built = await buildPlugins()
})
afterAll(() => built.dispose())

const traces = isLinux && spawnSync("strace", ["-qq", "-f", "-o", "/dev/null", "/bin/true"]).status === 0

describe("the built sidecars", () => {
  it.skipIf(!traces)(
    `ask the kernel for what they may alone${traces ? "" : " (skipped: needs strace)"}`,
    { timeout: 180_000 },
    async () => {
      const { code, last, lines } = await prove("trace", "--dist", built.plugins)
      assert.match(last, /^trace: held, \d+ calls, 0 problems$/, lines.join("\n"))
      assert.strictEqual(code, 0)
      assert.lengthOf(lines, 4)
    }
  )
})

const start = [
  'execve("/node", ["/node"], 0x7ffe /* 0 vars */) = 0',
  'openat(AT_FDCWD</>, "/lib/libc.so.6", O_RDONLY|O_CLOEXEC) = 3</lib/libc.so.6>',
  'write(2<pipe:[3]>, "{\\"level\\":\\"info\\",\\"code\\":\\"started\\"}\\n", 34) = 34'
]
const flags = "O_RDONLY|O_NOCTTY|O_NONBLOCK|O_NOFOLLOW|O_CLOEXEC"
const how = (resolve: string) => `{flags=${flags}, resolve=${resolve}}, 24`
const good = [
  `openat(AT_FDCWD</>, "/", ${flags}|O_DIRECTORY) = 20</>`,
  `openat2(20</>, "a b, (c).md", ${how("RESOLVE_NO_MAGICLINKS|RESOLVE_NO_SYMLINKS|RESOLVE_BENEATH")}) = 21</a b, (c).md>`,
  `openat(20</>, "note.md", ${flags}) = -1 ELOOP (Too many levels of symbolic links)`,
  'pread64(21</note.md>, "x = 1) = 2", 10, 0) = 10',
  'statx(21</note.md>, "", AT_EMPTY_PATH, STATX_ALL, {stx_mask=STATX_ALL, ...}) = 0',
  "close(21</note.md>) = 0",
  'write(1<pipe:[2]>, "{}\\n", 3) = 3',
  'write(9<anon_inode:[eventfd]>, "\\1\\0\\0\\0\\0\\0\\0\\0", 8) = 8',
  "--- SIGTERM {si_signo=SIGTERM, si_code=SI_USER, si_pid=2, si_uid=0} ---",
  "futex(0x7f, FUTEX_WAIT_PRIVATE, 2, NULL <unfinished ...>",
  "<... futex resumed>) = ?",
  "exit_group(0) = ?",
  "+++ exited with 0 +++"
]

const judged = async (lines: ReadonlyArray<string>, ...args: ReadonlyArray<string>) => {
  const file = join(built.folder, "trace")
  writeFileSync(file, lines.map((line) => `17 ${line}\n`).join(""))
  return prove("trace", "--judge", file, ...args)
}

const opened = (name: string, given: string, directory = "20</memory>"): string =>
  `openat(${directory}, "${name}", ${given}) = 21</memory/note.md>`

const bad: ReadonlyArray<readonly [line: string, problem: string]> = [
  [opened("note.md", flags.replace("|O_NOFOLLOW", "")), "opens without O_NOFOLLOW"],
  [opened("note.md", flags.replace("|O_CLOEXEC", "")), "opens without O_CLOEXEC"],
  [opened("note.md", flags.replace("|O_NONBLOCK", "")), "opens without O_NONBLOCK"],
  [opened("note.md", flags.replace("O_RDONLY", "O_RDWR")), "opens something to write to it"],
  [opened("note.md", `${flags}|O_CREAT`), "opens something to write to it"],
  [opened("/memory/note.md", flags, "AT_FDCWD</>"), "opens by a path"],
  [opened("note.md", flags, "AT_FDCWD</memory>"), "opens by a path"],
  [opened("folder/note.md", flags), "opens more than one name"],
  [opened("..", flags), "opens more than one name"],
  [`openat(20</memory>, "note"..., ${flags}) = 21</note.md>`, "not shown whole"],
  [`openat2(20</>, "n", ${how("RESOLVE_NO_MAGICLINKS|RESOLVE_BENEATH")}) = 21</n>`, "resolve more than it may"],
  ['open("/memory/note.md", O_RDONLY) = 21</memory/note.md>', "is not allowed"],
  ['statx(AT_FDCWD</>, "/memory/note.md", 0, STATX_ALL, {}) = 0', "looks by a path"],
  ['statx(20</memory>, "note.md", 0, STATX_ALL, {}) = 0', "looks through a link"],
  ['stat("/memory/note.md", {}) = 0', "is not allowed"],
  ['write(21</memory/note.md>, "x", 1) = 1', "writes to something"],
  ['pwrite64(21</memory/note.md>, "x", 1, 0) = 1', "is not allowed"],
  ['unlink("/memory/note.md") = 0', "is not allowed"],
  ["socket(AF_INET, SOCK_STREAM, IPPROTO_IP) = 22<socket:[1]>", "is not allowed"],
  ["connect(22<socket:[1]>, {sa_family=AF_INET}, 16) = 0", "is not allowed"],
  ['execve("/bin/sh", ["sh"], 0x7f) = 0', "is not allowed"],
  ["clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 18", "starts a process"],
  ["vfork() = 18", "is not allowed"],
  ["io_uring_setup(64, {flags=0}) = 9<anon_inode:[io_uring]>", "a ring that is not seen here"],
  ["mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 21</n>, 0) = 0x7f", "maps a file to write to it"],
  ["strace: something else", "not understood"],
  ["<... read resumed>, 1) = 1", "not understood"],
  ['write(1<pipe:[2]>, "{}', "not understood"],
  ["close(21</note.md>) = maybe", "not understood"]
]

describe("the judge of a trace", () => {
  it("finds nothing in one that keeps to the rules", async () => {
    const { code, lines } = await judged([...start, ...good])
    assert.strictEqual(code, 0, lines.join("\n"))
  })

  it("finds each violation, and each line that it does not understand", async () => {
    const { code, lines } = await judged([...start, ...bad.map(([line]) => line)])
    assert.strictEqual(code, 1)
    assert.include(lines[0] ?? "", ` ${bad.length} problems`, lines.join("\n"))
    for (const [index, [line, problem]] of bad.entries()) {
      const place = problem === "not understood" ? line : `line ${start.length + index + 1}:`
      assert.isTrue(
        lines.some((said) => said.includes(place) && said.includes(problem)),
        line
      )
    }
  })

  it("wants the program's own start and the sidecar's", async () => {
    assert.strictEqual((await judged(start.slice(1))).code, 1)
    assert.strictEqual((await judged(start.slice(0, -1))).code, 1)
  })

  it("lets the guardian write to its audit and to nothing else", async () => {
    const audit = "/home/plugin-data/hermes-guardian/audit.jsonl"
    const append = "O_RDWR|O_APPEND|O_NOFOLLOW|O_NONBLOCK|O_CLOEXEC"
    const mayBe = [
      `openat(AT_FDCWD</>, "${audit}", ${append}) = 20<${audit}>`,
      `write(20<${audit}>, "{}", 2) = 2`,
      `fsync(20<${audit}>) = 0`,
      'newfstatat(AT_FDCWD</>, "/home/link", {}, AT_SYMLINK_NOFOLLOW) = 0'
    ]
    const mayNot = [
      `write(20<${audit}.old>, "{}", 2) = 2`,
      `openat(AT_FDCWD</>, "${audit}", ${append.replace("|O_NOFOLLOW", "")}) = 20<${audit}>`,
      'openat(AT_FDCWD</>, "/home/secret/key", O_RDONLY|O_CLOEXEC) = 20</home/secret/key>',
      'read(20</home/secret/key>, "key", 3) = 3',
      'mkdir("/home/other", 0700) = 0',
      'newfstatat(AT_FDCWD</>, "/home/link", {}, 0) = 0'
    ]
    const { code, lines } = await judged([...start, ...mayBe, ...mayNot], "--guard", "/home")
    assert.strictEqual(code, 1)
    assert.include(lines[0] ?? "", ` ${mayNot.length} problems`, lines.join("\n"))
    assert.strictEqual((await judged([...start, ...mayBe], "--guard", "/home")).code, 0)
  })
})
