/**
 * Takes from this process, for good, every right to change a file, to use TCP and to reach beyond itself, as far as the
 * kernel's Landlock goes. (design.md section 5, "the sidecar cannot write")
 *
 * Every right of the list is handled; rights to read are not handled, so reading stays possible. None is granted, but
 * below one directory to a process that keeps files there, and only a process that asks a source may connect.
 * What was opened before keeps its rights. Before version 8 (Linux 7.0) it binds the calling thread and the threads
 * that it starts from then on: call it before anything has started Node's thread pool, or that pool escapes. Measured:
 * Node 20 loads an entry that is an ES module through the pool, and asynchronous writes then pass; with a CommonJS entry
 * they fail, and with Node 24 they fail either way.
 */
import { ENOSYS, EOPNOTSUPP } from "@memory-bridge/platform-posix/Errno"
import { landlockCalls, type LandlockCalls } from "./Syscalls.ts"

/** Bit and first interface version of each right that changes files. */
const writing = [
  ["write_file", 1, 1],
  ["remove_dir", 4, 1],
  ["remove_file", 5, 1],
  ["make_char", 6, 1],
  ["make_dir", 7, 1],
  ["make_reg", 8, 1],
  ["make_sock", 9, 1],
  ["make_fifo", 10, 1],
  ["make_block", 11, 1],
  ["make_sym", 12, 1],
  ["refer", 13, 2],
  ["truncate", 14, 3],
  ["ioctl_dev", 15, 5]
] as const

export type WriteRight = (typeof writing)[number][0]

/**
 * What the process is for: `log` makes, writes and cuts regular files below its directory; `recall` also replaces and
 * removes them, and connects by TCP, since its sources are peers.
 */
export type Purpose = "log" | "recall"

const granted: { readonly [purpose in Purpose]: ReadonlySet<WriteRight> } = {
  log: new Set(["write_file", "make_reg", "truncate"]),
  recall: new Set(["write_file", "make_reg", "truncate", "remove_file"])
}

const TCP_SINCE = 4
const BIND_TCP = 1n << 0n
const CONNECT_TCP = 1n << 1n

const SCOPES_SINCE = 6
const ABSTRACT_UNIX_SOCKET = 1n << 0n
const SIGNAL = 1n << 1n

const EVERY_THREAD_SINCE = 8
/** LANDLOCK_RESTRICT_SELF_TSYNC */
const EVERY_THREAD = 1 << 3

export type Restriction =
  | {
      readonly kind: "in_force"
      /** Interface version of the kernel. */
      readonly abi: number
      readonly files: ReadonlyArray<WriteRight>
      /** Binding and connecting. */
      readonly tcp: boolean
      /** Abstract sockets and signals of other processes. */
      readonly scopes: boolean
      /** Also the threads that run already. Otherwise only the calling one and those that it starts later. */
      readonly everyThread: boolean
    }
  /** `unsupported` not in the kernel, `disabled` switched off at boot, `refused` the kernel said no with this errno. */
  | { readonly kind: "not_in_force"; readonly reason: "unsupported" | "disabled" }
  | { readonly kind: "not_in_force"; readonly reason: "refused"; readonly errno: number }

const refused = (outcome: number): Restriction => ({
  kind: "not_in_force",
  reason: "refused",
  errno: Math.abs(outcome)
})

/** `struct landlock_ruleset_attr`, as long as this kernel knows it: files, network, scopes. */
const attributes = (abi: number, purpose: Purpose): Uint8Array => {
  const files = writing.reduce((bits, [, bit, since]) => (abi >= since ? bits | (1n << BigInt(bit)) : bits), 0n)
  const words = [files]
  if (abi >= TCP_SINCE) words.push(purpose === "recall" ? BIND_TCP : BIND_TCP | CONNECT_TCP)
  if (abi >= SCOPES_SINCE) words.push(ABSTRACT_UNIX_SOCKET | SIGNAL)
  return new Uint8Array(BigUint64Array.from(words).buffer)
}

/** `struct landlock_path_beneath_attr`, which is packed: rights, descriptor. */
const directoryRule = (abi: number, directory: number, purpose: Purpose): Uint8Array => {
  const rights = writing.reduce(
    (bits, [right, bit, since]) => bits | (granted[purpose].has(right) && abi >= since ? 1 << bit : 0),
    0
  )
  const rule = new Uint8Array(12)
  rule.set(new Uint8Array(BigUint64Array.of(BigInt(rights)).buffer))
  rule.set(new Uint8Array(Int32Array.of(directory).buffer), 8)
  return rule
}

/**
 * `directory` is an open descriptor of the one directory below which files may be written.
 *
 * Cannot be undone. Should it fail half-way, the process has at most lost the right to gain privileges.
 */
export const restrictSelf = (
  calls: LandlockCalls = landlockCalls(),
  directory?: number,
  purpose: Purpose = "log"
): Restriction => {
  const abi = calls.version()
  if (abi === -ENOSYS) return { kind: "not_in_force", reason: "unsupported" }
  if (abi === -EOPNOTSUPP) return { kind: "not_in_force", reason: "disabled" }
  if (abi < 1) return refused(abi)

  const unprivileged = calls.noNewPrivileges()
  if (unprivileged < 0) return refused(unprivileged)
  const ruleset = calls.createRuleset(attributes(abi, purpose))
  if (ruleset < 0) return refused(ruleset)
  const added = directory === undefined ? 0 : calls.addPathRule(ruleset, directoryRule(abi, directory, purpose))
  if (added < 0) {
    calls.close(ruleset)
    return refused(added)
  }
  const everyThread = abi >= EVERY_THREAD_SINCE && calls.restrictSelf(ruleset, EVERY_THREAD) >= 0
  const restricted = everyThread ? 0 : calls.restrictSelf(ruleset, 0)
  calls.close(ruleset)
  if (restricted < 0) return refused(restricted)

  return {
    kind: "in_force",
    abi,
    files: writing.filter(([, , since]) => abi >= since).map(([right]) => right),
    tcp: abi >= TCP_SINCE && purpose !== "recall",
    scopes: abi >= SCOPES_SINCE,
    everyThread
  }
}
