/** Search and read over `Notes`: a fault never opens the way to what must be refused, nor to more than was served. */
import { Bridge } from "@memory-bridge/core/host/Bridge"
import type { PublicAnswer } from "@memory-bridge/core/host/PublicAnswer"
import { layerOver } from "@memory-bridge/platform-linux/LinuxTree"
import { linuxCalls } from "@memory-bridge/platform-linux/Syscalls"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { isDeepStrictEqual } from "node:util"
import { marker } from "../race/Place.ts"
import { ordinarySignals } from "../trace/Sidecar.ts"
import { failing, type Plan, real } from "./Injection.ts"
import type { Notes } from "./Notes.ts"
import { type Kind, lastRewritten } from "./Plans.ts"
import type { Program } from "./Program.ts"

interface Outcome {
  readonly answer: PublicAnswer
  readonly log: ReadonlyArray<string>
}

const calls = linuxCalls()

type Ask = (name: "search" | "read", home: string, args: unknown) => Outcome

/** An hour from now, so that what was just written has rested and is kept. */
const hour = 3_600_000
const later: Clock.Clock = {
  currentTimeMillisUnsafe: () => Date.now() + hour,
  currentTimeMillis: Effect.sync(() => Date.now() + hour),
  currentTimeNanosUnsafe: () => BigInt(Date.now() + hour) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(Date.now() + hour) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => process.hrtime.bigint(),
  monotonicTimeNanos: Effect.sync(() => process.hrtime.bigint()),
  sleep: () => Effect.void
}

/** A bridge that has just started. */
const started = (): Ask => {
  let log: Array<string> = []
  const collect = Logger.layer([Logger.make(({ message }) => log.push(String(message)))])
  const bridge = Bridge.layer.pipe(Layer.provide(layerOver(() => calls)))
  const runtime = ManagedRuntime.make(Layer.fresh(Layer.merge(bridge, collect)))
  return (name, home, args) => {
    log = []
    const answer = runtime.runSync(
      Bridge.use((service) => service[name](ordinarySignals(home), args)).pipe(
        Effect.provideService(Clock.Clock, later)
      )
    )
    return { answer, log }
  }
}

/** One call to a bridge that remembers nothing. */
const ask: Ask = (name, home, args) => started()(name, home, args)

const publicErrors = [
  ["unavailable", "Memory is not available for this request."],
  ["not_found_or_denied", "The document does not exist or may not be read."]
].map(([code, message]) => ({ ok: false, error: { code, message } }))

/** What an answer serves, piece by piece. */
const piecesOf = (answer: PublicAnswer): ReadonlyArray<unknown> =>
  !answer.ok ? [] : "results" in answer ? answer.results : [answer]

/** Of the note that was rewritten, or by leave of the policy that was. */
const isOfRewritten = (piece: unknown): boolean =>
  lastRewritten().endsWith("/policy.json") ||
  lastRewritten().endsWith(`/memory/${(piece as { readonly id: string }).id}`)

const defectOf = (baseline: Outcome, { answer, log }: Outcome, promise: Kind["promise"]): string | undefined => {
  if (!answer.ok && !publicErrors.some((error) => isDeepStrictEqual(error, answer))) return "an answer of another form"
  if (log.some((message) => message.includes("defect"))) return "a defect"
  if (JSON.stringify(answer).includes(marker)) return "outside content"
  const before = piecesOf(baseline.answer)
  const now = piecesOf(answer)
  if (!now.every((piece) => before.some((other) => isDeepStrictEqual(piece, other)))) return "served more"
  if (promise === "same" && !isDeepStrictEqual(answer, baseline.answer)) return "answered otherwise"
  if (promise === "changed" && now.some(isOfRewritten)) return "served what had changed"
  return undefined
}

/**
 * A file system that knows NFSv4 lists, and one note that has such a list: no file system of a test machine does. That
 * note would be served but for it.
 */
const foreignLists: Plan = (name) => (name === "fgetxattr" ? { instead: answerForeign } : undefined)
const foreignNote = "top/second.md"
const answerForeign = (
  args: ReadonlyArray<unknown>,
  perform: (...args: ReadonlyArray<unknown>) => unknown
): unknown => {
  const [descriptor, name, into] = args
  const asked = Buffer.from(name as Uint8Array).toString("latin1")
  if (asked !== "system.nfs4_acl\0") return perform(...args)
  if (!real.readlinkSync(`/proc/self/fd/${String(descriptor)}`).endsWith(foreignNote)) return failing("ENODATA")
  ;(into as Uint8Array).fill(0, 0, 80)
  return 80
}

const idsOf = (answer: PublicAnswer): string =>
  JSON.stringify(answer.ok && "results" in answer ? answer.results.map(({ id }) => id).toSorted() : [])

export const bridgePrograms = ({ place, ranked, refused, served }: Notes): ReadonlyArray<Program> => {
  const walks: ReadonlyArray<readonly [string, Plan]> = [
    ["openat2", () => undefined],
    ["openat", (name) => (name === "openat2" ? { errno: "ENOSYS" } : undefined)]
  ]
  const found = JSON.stringify(served)
  const programs: Array<Program> = []
  for (const [walk, plan] of walks) {
    for (const [ranking, home] of [
      ["path", place.home],
      ["relevance", ranked]
    ] as const) {
      const asked = ["search", home, { query: "needle", limit: 10 }] as const
      const isFound = (answer: PublicAnswer) => idsOf(answer) === found
      // A ranking reads at its end what it shows; what has changed by then it looks at anew.
      const readsAgain = ranking === "relevance" ? { readsAgain: true as const } : {}
      programs.push({
        ...program(`search by ${ranking}, ${walk}`, plan, () => ask(...asked), isFound),
        ...readsAgain
      })
      let warm = started()
      const reset = () => {
        warm = started()
        warm(...asked)
      }
      programs.push({
        ...program(`the same once more, ${ranking}, ${walk}`, plan, () => warm(...asked), isFound),
        ...readsAgain,
        reset
      })
    }
    for (const id of [...served, ...refused]) {
      const run = () => ask("read", place.home, { id })
      programs.push(program(`read ${id}, ${walk}`, plan, run, (answer) => answer.ok === served.includes(id)))
    }
  }
  programs.push(
    program(
      "search, NFSv4 lists",
      foreignLists,
      () => ask("search", place.home, { query: "second" }),
      (answer) => answer.ok && "results" in answer && answer.results.length === 0
    ),
    program(
      `read ${foreignNote}, NFSv4 lists`,
      foreignLists,
      () => ask("read", place.home, { id: foreignNote }),
      (answer) => !answer.ok
    )
  )
  return programs
}

const program = (
  title: string,
  plan: Plan,
  run: () => Outcome,
  expected: (answer: PublicAnswer) => boolean
): Program => ({
  title,
  plan,
  run,
  baselineDefect: (baseline) => (expected((baseline as Outcome).answer) ? undefined : "the answer without a fault"),
  defect: (baseline, outcome, promise) => defectOf(baseline as Outcome, outcome as Outcome, promise)
})
