/**
 * What the product answers about one tree: the real adapter and the whole core, under the effective ids of the notes'
 * owner, so that the kernel judges it as that user.
 *
 * `served` is what the host would see. Where nothing is served, the typed refusal behind the public answer is asked for,
 * because it names the rule.
 */
import { Bridge } from "@memory-bridge/core/host/Bridge"
import { Notes } from "@memory-bridge/core/notes/Notes"
import { policyPathOf, PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import type { DocumentId } from "@memory-bridge/core/tree/DocumentId"
import * as LinuxTree from "@memory-bridge/platform-linux/LinuxTree"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { signalsFor } from "../../tests/support/World.ts"
import { ownersGroup, type Spec } from "./Spec.ts"

export interface Verdict {
  readonly served: boolean
  /** Where nothing was served: what was refused, and by which rule. */
  readonly rule: string
}

const quiet = Logger.layer([])
const services = Layer.merge(Notes.layer, PolicyStore.layer)
const runtime = ManagedRuntime.make(
  Layer.merge(Bridge.layerNoDeps.pipe(Layer.provideMerge(services)), quiet).pipe(Layer.provide(LinuxTree.layer))
)

/** Runs `work` as the kernel sees that user; root again afterwards. */
const as = <A>(user: number, work: () => A): A => {
  if (user === 0) return work()
  process.setgroups!([])
  process.setegid!(ownersGroup)
  process.seteuid!(user)
  try {
    return work()
  } finally {
    process.seteuid!(0)
    process.setegid!(0)
  }
}

const servedTo = ({ home, id }: Spec) =>
  Effect.gen(function* () {
    const bridge = yield* Bridge
    const read = yield* bridge.read(signalsFor(home), { id })
    const found = yield* bridge.search(signalsFor(home), { query: "needle" })
    return read.ok || (found.ok && "results" in found && found.results.length > 0)
  })

const ruleOf = ({ home, id }: Spec) =>
  Effect.gen(function* () {
    const notes = yield* Notes
    const policies = yield* PolicyStore
    const policy = yield* policies.load(policyPathOf(home))
    yield* notes.read(policy, id as DocumentId)
    return "none"
  }).pipe(
    Effect.catchTags({
      PolicyRefused: ({ rule }) => Effect.succeed(`policy path: ${rule}`),
      RootRefused: ({ rule }) => Effect.succeed(`root path: ${rule}`),
      NoteRefused: ({ rule }) => Effect.succeed(`below the root: ${rule}`),
      ScanRefused: ({ reason }) => Effect.succeed(`scan: ${reason}`)
    })
  )

export const ask = (spec: Spec): Verdict =>
  as(spec.user, () => {
    const served = runtime.runSync(servedTo(spec))
    return { served, rule: served ? "" : runtime.runSync(ruleOf(spec)) }
  })
