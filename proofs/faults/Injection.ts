/**
 * The seam: every function that the adapters take from the C library through koffi or from `node:fs`, by name, so that
 * one use of one of them can go wrong. Nothing of the product is changed for it.
 *
 * Must be imported before an adapter binds its calls. What is below koffi is met here, so the adapters' own handling
 * of EINTR and of errno is under test too.
 */
import koffi from "koffi"
import * as fs from "node:fs"
import { createRequire, syncBuiltinESMExports } from "node:module"
import { constants } from "node:os"

export type Errno = "EACCES" | "EIO" | "EINTR" | "EMFILE" | "ENOMEM" | "ESTALE" | "ENOSYS" | "EPERM" | "ELOOP"
export const errnos: ReadonlyArray<Errno> = [
  "EACCES",
  "EIO",
  "EINTR",
  "EMFILE",
  "ENOMEM",
  "ESTALE",
  "ENOSYS",
  "EPERM",
  "ELOOP"
]

type Args = ReadonlyArray<unknown>
type Call = (...args: Args) => unknown

/** What happens instead of a call: a failure, or something made of the real call. */
export type Fault = { readonly errno: Errno } | { readonly instead: (args: Args, perform: Call) => unknown }

/** Decides for each use, counted from 0 for each name; `undefined` lets it pass. */
export type Plan = (name: string, use: number) => Fault | undefined

const pass: Plan = () => undefined
let plan = pass
let uses = new Map<string, number>()
let failed = 0

/** Runs under a plan; what it came to, and how often each name was used. */
export const underPlan = async <A>(
  given: Plan,
  run: () => A | Promise<A>
): Promise<{ readonly result: A; readonly uses: ReadonlyMap<string, number> }> => {
  plan = given
  uses = new Map()
  try {
    const result = await run()
    return { result, uses }
  } finally {
    plan = pass
  }
}

const faultFor = (name: string): Fault | undefined => {
  if (plan === pass) return undefined
  const use = uses.get(name) ?? 0
  uses.set(name, use + 1)
  return plan(name, use)
}

/** Closes that fail have closed all the same. */
const closes = new Set(["close", "closeSync", "FileHandle.close"])

// --- koffi

const numbered = new Map<unknown, string>([
  [437, "openat2"],
  [217, "getdents64"],
  [61, "getdents64"]
])

const nameOf = (prototype: string, [first]: Args): string => {
  const name = /(\w+)\s*\(/.exec(prototype)?.[1] ?? prototype
  return name === "syscall" ? (numbered.get(first) ?? `syscall ${String(first)}`) : name
}

type Native = Call & { readonly async?: (...args: Args) => void }

const wrappedNative = (prototype: string, real: Native): Native => {
  const wrapped: Native = (...args) => {
    const name = nameOf(prototype, args)
    const fault = faultFor(name)
    failed = 0
    if (fault === undefined) return real(...args)
    if ("instead" in fault) return fault.instead(args, real)
    if (closes.has(name)) real(...args)
    failed = constants.errno[fault.errno as keyof typeof constants.errno]
    return -1
  }
  return Object.assign(wrapped, {
    async: (...args: Args) => {
      const fault = faultFor(nameOf(prototype, args))
      if (fault === undefined || "instead" in fault) return real.async?.(...args)
      const done = args.at(-1) as (error: unknown, result: number) => void
      setImmediate(() => done(null, -1))
    }
  })
}

/** For what stands in for a call of the C library: its failure. */
export const failing = (errno: keyof typeof constants.errno): number => {
  failed = constants.errno[errno]
  return -1
}

const { errno, load } = koffi
koffi.errno = ((...args: []) => (failed === 0 ? errno(...args) : failed)) as typeof koffi.errno
koffi.load = ((...given: Parameters<typeof load>) => {
  const library = load(...given)
  return { func: (prototype: string) => wrappedNative(prototype, library.func(prototype) as unknown as Native) }
}) as typeof koffi.load

// --- node:fs

const errorOf = (code: Errno): Error =>
  Object.assign(new Error(`${code}: put in`), { code, errno: -constants.errno[code as keyof typeof constants.errno] })

const through = (name: string, real: Call): Call =>
  function (this: unknown, ...args) {
    const fault = faultFor(name)
    const perform: Call = (...changed) => real.apply(this, [...changed])
    if (fault === undefined) return perform(...args)
    if ("instead" in fault) return fault.instead(args, perform)
    if (closes.has(name)) perform(...args)
    throw errorOf(fault.errno)
  }

/** As `through`, but a promise is rejected. */
const throughLater = (name: string, real: Call): Call =>
  async function (this: unknown, ...args) {
    const fault = faultFor(name)
    const perform: Call = (...changed) => real.apply(this, [...changed])
    if (fault === undefined) return perform(...args)
    if ("instead" in fault) return fault.instead(args, perform)
    if (closes.has(name)) await perform(...args)
    throw errorOf(fault.errno)
  }

type Mutable = Record<string, Call>

const synchronous = [
  "openSync",
  "closeSync",
  "fstatSync",
  "lstatSync",
  "readlinkSync",
  "readFileSync",
  "readSync",
  "writeSync",
  "ftruncateSync",
  "mkdirSync"
]
const later = ["mkdir", "unlink", "rename"]
const ofHandle = ["stat", "read", "writeFile"]

/** The proof's own, which never fail. */
export const real: typeof fs = { ...fs, promises: { ...fs.promises } }

const writable = createRequire(import.meta.url)("node:fs") as unknown as Mutable
for (const name of synchronous) writable[name] = through(name, writable[name]!)
const promises = fs.promises as unknown as Mutable
for (const name of later) promises[name] = throughLater(`promises.${name}`, promises[name]!)
/** Each handle has a `close` of its own. */
promises["open"] = throughLater("promises.open", async (...args) => {
  const handle = (await (real.promises.open as unknown as Call)(...args)) as Mutable
  handle["close"] = throughLater("FileHandle.close", handle["close"]!)
  return handle
})
const probe = await real.promises.open("/", "r")
const prototype = Object.getPrototypeOf(probe) as Mutable
await probe.close()
for (const name of ofHandle) prototype[name] = throughLater(`FileHandle.${name}`, prototype[name]!)
syncBuiltinESMExports()
