/**
 * What a sidecar may ask of the kernel. Everything that is not allowed here is a violation, so a call that nobody thought
 * of is one too. (design.md section 5; seed 000 "The plugin only reads"; seed 004 "No protected file contents are
 * opened by the evaluator")
 *
 * Two spans: the start, in which Node reads its own files, and after the log line `started`, in which calls are
 * answered.
 */
import { type Call, describedAs, stringOf } from "./Strace.ts"

/** A violation in words, or nothing. */
export type Rule = (call: Call) => string | undefined

const allowed: Rule = () => undefined

/** Memory, threads, time and waiting: nothing of a file, of another process or of the network. */
const quiet = [
  ..."arch_prctl brk capget clock_nanosleep epoll_create1 epoll_ctl epoll_pwait eventfd2 exit exit_group futex getcwd".split(
    " "
  ),
  ..."getegid geteuid getgid getpid getrandom gettid getuid madvise mprotect munmap poll prctl prlimit64 rseq".split(
    " "
  ),
  ..."restart_syscall rt_sigaction rt_sigprocmask rt_sigreturn sched_getaffinity sched_getparam sched_yield".split(" "),
  ..."sched_getscheduler set_robust_list set_tid_address sigaltstack sysinfo uname".split(" ")
]
/** Of an open descriptor, without reading its content. */
const looking = ["close", "fcntl", "fgetxattr", "fstat", "fstatfs", "getdents64", "getsockname", "getsockopt", "lseek"]

const words = (text: string | undefined): ReadonlySet<string> => new Set((text ?? "").split("|"))

const isStdio = (argument: string): boolean => ["0", "1", "2"].includes(describedAs(argument).number)

/** Wakes a thread of one's own, and goes nowhere else. */
const isOwnBell = (argument: string): boolean =>
  /^(?:anon_inode:\[eventfd\]|pipe:\[\d+\])$/.test(describedAs(argument).shown)

const toStdio: Rule = ({ args: [target = ""] }) =>
  isStdio(target) || isOwnBell(target) ? undefined : "writes to something but its standard streams"

const thread: Rule = ({ args }) =>
  args.some((argument) => argument.includes("CLONE_THREAD")) ? undefined : "starts a process"

const anonymous: Rule = ({ args }) =>
  words(args[3]).has("MAP_ANONYMOUS") || !words(args[2]).has("PROT_WRITE") || words(args[3]).has("MAP_PRIVATE")
    ? undefined
    : "maps a file to write to it"

const writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"]
const careful = ["O_RDONLY", "O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK"]

const flagsOf = ({ args, name }: Call): ReadonlySet<string> =>
  words(name === "openat2" ? /^\{flags=([^,}]*)/.exec(args[2] ?? "")?.[1] : args[2])

const readOnly: Rule = (call) =>
  writes.some((flag) => flagsOf(call).has(flag)) ? "opens something to write to it" : undefined

const lacking = (flags: ReadonlySet<string>, wanted: ReadonlyArray<string>): string | undefined => {
  const missing = wanted.filter((flag) => !flags.has(flag))
  return missing.length === 0 ? undefined : `opens without ${missing.join(" and ")}`
}

/** One component below an open directory; only `/` itself has no directory to start from. */
const oneName: Rule = ({ args: [directory = "", name] }) => {
  const written = stringOf(name)
  if (written === undefined || written === "") return "opens a name that is not shown whole"
  if (describedAs(directory).number === "AT_FDCWD") return written === "/" ? undefined : "opens by a path"
  return written.includes("/") || written === ".." || written === "." ? "opens more than one name" : undefined
}

/**
 * What the C library's allocator and V8 ask about the machine, from any thread and therefore at any time. Each by its exact
 * path, none in a place that an operator could serve.
 */
const machineFiles = new Set([
  "/proc/sys/vm/overcommit_memory",
  "/sys/devices/system/cpu/online",
  "/sys/devices/system/cpu/cpu0/tsc_freq_khz",
  "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"
])
const asksMachine = ({ args, name }: Call): boolean => name === "openat" && machineFiles.has(stringOf(args[1]) ?? "")

const carefully: Rule = (call) =>
  readOnly(call) ??
  (asksMachine(call) ? lacking(flagsOf(call), ["O_CLOEXEC"]) : (lacking(flagsOf(call), careful) ?? oneName(call)))

const resolved: Rule = (call) => {
  const how = words(/resolve=([^,}]*)/.exec(call.args[2] ?? "")?.[1])
  return ["RESOLVE_BENEATH", "RESOLVE_NO_SYMLINKS", "RESOLVE_NO_MAGICLINKS"].every((flag) => how.has(flag))
    ? carefully(call)
    : "lets the kernel resolve more than it may"
}

/** Facts of a descriptor, or of one name in an open directory. */
const lookedAt: Rule = ({ args: [directory = "", name, flags] }) =>
  stringOf(name) === ""
    ? undefined
    : describedAs(directory).number === "AT_FDCWD" || (stringOf(name) ?? "/").includes("/")
      ? "looks by a path"
      : words(flags).has("AT_SYMLINK_NOFOLLOW")
        ? undefined
        : "looks through a link"

/** Standard input, and what wakes a thread. */
const fromStdin: Rule = ({ args: [source = ""] }) =>
  isStdio(source) || isOwnBell(source) || machineFiles.has(describedAs(source).shown) ? undefined : "reads by position"

const ofStdio: Rule = ({ args: [target = ""] }) => (isStdio(target) ? undefined : "is not of a standard stream")

const table = (...rows: ReadonlyArray<readonly [ReadonlyArray<string>, Rule]>): ReadonlyMap<string, Rule> =>
  new Map(rows.flatMap(([names, rule]) => names.map((name) => [name, rule] as const)))

/** No ring may be had: what goes through one is not seen here. */
const noRing: Rule = ({ result }) => (result.startsWith("-1 ") ? undefined : "has a ring that is not seen here")

const always = [
  [[...quiet, ...looking], allowed],
  [["mmap"], anonymous],
  [["clone", "clone3"], thread],
  [["write", "writev"], toStdio],
  [["io_uring_setup"], noRing]
] as const satisfies ReadonlyArray<readonly [ReadonlyArray<string>, Rule]>

/** Which rules hold in which span. */
export interface Rules {
  readonly start: ReadonlyMap<string, Rule>
  readonly after: ReadonlyMap<string, Rule>
}

const landlock = ["landlock_create_ruleset", "landlock_restrict_self", "landlock_add_rule"]
const starting = [
  ...always,
  [["openat"], readOnly],
  [["access", "newfstatat", "pipe2", "pread64", "read", "readlink", "readlinkat", "statx", "ioctl"], allowed],
  [landlock, allowed]
] as const

/** Reads, and in nothing but by descriptor. */
export const bridgeRules: Rules = {
  start: table(...starting),
  after: table(
    ...always,
    [["openat"], carefully],
    [["openat2"], resolved],
    [["statx"], lookedAt],
    [["pread64"], allowed],
    [["read"], fromStdin],
    [["ioctl", "fsync"], ofStdio]
  )
}

/** Links are read and named, never followed. */
const named: Rule = ({ args, name }) =>
  name === "lstat" || stringOf(args[1]) === "" || args.some((argument) => words(argument).has("AT_SYMLINK_NOFOLLOW"))
    ? undefined
    : "looks through a link"

/** Writes to its audit file alone, and opens nothing but that, the way to it, and the table of mounts. */
export const guardRules = (home: string): Rules => {
  const data = `${home}/plugin-data`
  const directory = `${data}/hermes-guardian`
  const audit = `${directory}/audit.jsonl`

  const made: Rule = ({ args }) =>
    [data, directory].includes(stringOf(args.at(-2)) ?? "") ? undefined : "makes a directory that is not its own"
  const toAudit: Rule = (call) => (describedAs(call.args[0] ?? "").shown === audit ? undefined : toStdio(call))
  const ofAudit: Rule = ({ args: [file = ""] }) =>
    [audit, directory, data, home].includes(describedAs(file).shown) || isStdio(file) ? undefined : "not of the audit"
  const opened: Rule = (call) => {
    const path = stringOf(call.args[1])
    const flags = flagsOf(call)
    if (path === audit) return lacking(flags, ["O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK", "O_APPEND"])
    if (path === "/proc/self/mountinfo") return readOnly(call) ?? lacking(flags, ["O_CLOEXEC"])
    if (asksMachine(call)) return readOnly(call)
    // Which zone the clock is in, for the one time stamp of a record.
    if (path === "/etc/localtime") return readOnly(call) ?? lacking(flags, ["O_CLOEXEC"])
    if (path === home) return readOnly(call) ?? lacking(flags, ["O_CLOEXEC", "O_DIRECTORY"])
    if (path !== data && path !== directory) return "opens what is not its own"
    return readOnly(call) ?? lacking(flags, ["O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW"])
  }
  const readFrom: Rule = (call) =>
    describedAs(call.args[0] ?? "").shown === audit ||
    /^\/(?:proc\/\d+\/mountinfo$|usr\/share\/zoneinfo\/|etc\/localtime$)/.test(describedAs(call.args[0] ?? "").shown)
      ? undefined
      : fromStdin(call)

  return {
    start: table(...starting, [["mkdir", "mkdirat"], made]),
    after: table(
      ...always,
      [["write"], toAudit],
      [["fsync", "fdatasync", "flock", "ftruncate"], ofAudit],
      [["mkdir", "mkdirat"], made],
      [["openat"], opened],
      [["statx", "newfstatat", "lstat"], named],
      [["readlink", "readlinkat"], allowed],
      [["read", "pread64"], readFrom],
      [["ioctl"], ofStdio]
    )
  }
}
