/**
 * Which faults there are for each function: every errno, once and from then on, and answers that are shorter or say less
 * than they should.
 */
import { type Errno, errnos, type Fault, real } from "./Injection.ts"

export interface Kind {
  readonly title: string
  readonly fault: Fault
  /** At one use, or at that and all later ones. */
  readonly when: "once" | "from then on"
  /**
   * `less`: no more may be served than without it. `same`: the very same must be. `changed`: what was read is not to be
   * served, because the file changed meanwhile.
   */
  readonly promise: "less" | "same" | "changed"
}

type Args = ReadonlyArray<unknown>
type Perform = (...args: Args) => unknown

const instead = (
  title: string,
  act: (args: Args, perform: Perform) => unknown,
  promise: Kind["promise"] = "less"
): Kind => ({ title, fault: { instead: act }, when: "once", promise })

/** A read of so many bytes less than asked. */
const shortRead = (title: string, count: (asked: number) => number): Kind =>
  instead(title, ([descriptor, into, asked, offset], perform) =>
    perform(descriptor, into, count(Number(asked)), offset)
  )

const resultLess = (title: string, less: number): Kind =>
  instead(title, (args, perform) => {
    const result = Number(perform(...args))
    return result > 0 ? Math.max(0, result - less) : result
  })

const cutTo = (title: string, most: number): Kind =>
  instead(title, (args, perform) => {
    const result = Number(perform(...args))
    return Math.min(result, most)
  })

const nothing = (title: string): Kind => instead(title, () => 0)

let hour = 2_000_000_000
let last = ""
/** The file that was rewritten last. */
export const lastRewritten = (): string => last

/** The file is written again, with the same bytes, right after they were read. */
const rewritten = instead(
  "rewritten after the read",
  (args, perform) => {
    const result = perform(...args)
    const path = real.readlinkSync(`/proc/self/fd/${String(args[0])}`)
    last = path
    real.writeFileSync(path, real.readFileSync(path))
    // A clock that steps coarsely must not hide it.
    real.utimesSync(path, hour, ++hour)
    return result
  },
  "changed"
)

/** `struct statx` without a fact: its bits of the mask are clear, and so are its bytes. */
const untold = (title: string, bits: number, ...bytes: ReadonlyArray<readonly [start: number, end: number]>): Kind =>
  instead(title, (args, perform) => {
    const result = perform(...args)
    const into = args[4] as Uint8Array
    const words = new DataView(into.buffer, into.byteOffset)
    words.setUint32(0, words.getUint32(0, true) & ~bits, true)
    for (const [start, end] of bytes) into.fill(0, start, end)
    return result
  })

const short: Readonly<Record<string, ReadonlyArray<Kind>>> = {
  pread: [
    shortRead("half", (asked) => asked >> 1),
    shortRead("one byte", (asked) => Math.min(1, asked)),
    nothing("end of file"),
    rewritten
  ],
  getdents64: [
    instead("one entry", (args, perform) => {
      const result = Number(perform(...args))
      return result > 0 ? new DataView((args[2] as Uint8Array).buffer).getUint16(16, true) : result
    }),
    resultLess("cut in a record", 3),
    nothing("end of listing")
  ],
  fgetxattr: [
    resultLess("one entry less", 8),
    resultLess("half an entry less", 4),
    cutTo("its header alone", 4),
    nothing("empty")
  ],
  statx: [
    untold("without mount", 0x5000, [144, 152]),
    untold("without owner", 0x8, [20, 24]),
    untold("without mode", 0x2, [28, 30]),
    untold("without links", 0x4, [16, 20]),
    untold("without times", 0xc0, [96, 128])
  ],
  fstatfs: [instead("all zero", (args) => ((args[1] as Uint8Array).fill(0), 0))],
  readSync: [
    instead("half", ([descriptor, into, start, length, at], perform) =>
      perform(descriptor, into, start, Number(length) >> 1, at)
    ),
    nothing("end of file")
  ],
  writeSync: [
    instead("all but a byte", ([descriptor, bytes], perform) =>
      perform(descriptor, (bytes as Uint8Array).subarray(0, (bytes as Uint8Array).length - 1))
    ),
    nothing("nothing written")
  ],
  "FileHandle.read": [
    instead("half", ([into, start, length, at], perform) => perform(into, start, Number(length) >> 1, at)),
    instead("end of file", async ([into]) => ({ bytesRead: 0, buffer: into }))
  ]
}

/** Asked again until it is not interrupted. `close` is not: it has closed. */
const askedAgain = new Set(["openat", "openat2", "pread", "statx", "fgetxattr", "getdents64", "fstatfs", "fsync"])

const promiseOf = (name: string, errno: Errno): Kind["promise"] => {
  if (errno === "EINTR" && askedAgain.has(name)) return "same"
  // The base walk answers alike.
  return name === "openat2" && (errno === "ENOSYS" || errno === "EPERM") ? "same" : "less"
}

export const kindsFor = (name: string): ReadonlyArray<Kind> => [
  ...errnos.map((errno): Kind => ({
    title: errno,
    fault: { errno },
    when: "once",
    promise: promiseOf(name, errno)
  })),
  // An interruption without end would be waited for without end.
  ...errnos
    .filter((errno) => errno !== "EINTR")
    .map((errno): Kind => ({
      title: errno,
      fault: { errno },
      when: "from then on",
      promise: promiseOf(name, errno)
    })),
  ...(short[name] ?? [])
]
