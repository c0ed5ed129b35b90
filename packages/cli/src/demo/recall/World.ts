/**
 * The disposable world of the recall demo: a Hermes home over the synthetic notes, with the provider in its place, and a
 * Broker that is a process of its own, so that it can die as one. (issue 4 part 6)
 */
import { connectionText } from "@memory-bridge/core/recall/Connection"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { ChildProcess } from "effect/process"
import * as Stream from "effect/Stream"
import { dirname } from "node:path"
import { brokerFilesOf, type BrokerFiles, grantedHost } from "../../operator/Broker.ts"
import { grantFileOf } from "@memory-bridge/platform-posix/recall/Grants"
import { notes } from "../BundledText.ts"
import { HostFailed } from "../Host.ts"
import * as Place from "../Place.ts"

export interface World extends Place.Place {
  readonly home: string
  readonly broker: BrokerFiles
  readonly credentialFile: string
}

export const make = Effect.fnUntraced(function* (plugin: string) {
  const files = yield* FileSystem.FileSystem
  const place = yield* Place.make("hy_memory", plugin)
  const home = `${place.top}/home`
  const broker = brokerFilesOf(home)
  const world: World = { ...place, home, broker, credentialFile: grantFileOf(broker.grantStore, grantedHost) }
  const write = Effect.fnUntraced(function* (path: string, text: string) {
    yield* files.makeDirectory(dirname(path), { recursive: true, mode: Place.ownerDirectory })
    yield* files.writeFileString(path, text, { mode: Place.ownerFile })
  })
  for (const [id, text] of Object.entries(notes)) yield* write(`${place.top}/memory/${id}`, text)
  yield* write(
    `${home}/plugin-data/memory-bridge/policy.json`,
    JSON.stringify({ version: 1, root: `${place.top}/memory`, allow: ["**"], deny: ["**/private/**"] })
  )
  const { credentialFile } = world
  yield* write(
    `${place.plugin}/connection.json`,
    connectionText({ discoveryFile: broker.discoveryFile, credentialFile })
  )
  return world
}, Effect.uninterruptible)

export interface Broker {
  /** As `kill -9` does it: nothing is taken back. */
  readonly kill: Effect.Effect<void>
}

const startTime = "20 seconds"

/** This very program again, as `recall broker`. Ends with the scope. */
export const startBroker = Effect.fnUntraced(function* ({ home }: World) {
  const args = [process.argv[1] ?? "", "recall", "broker", "--home", home]
  const child = yield* ChildProcess.make(process.execPath, args, { forceKillAfter: "1 second" })
  const listens = child.stdout.pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.takeUntil((line) => line.includes("connection")),
    Stream.runCollect
  )
  const said = yield* Effect.timeoutOption(listens, startTime)
  if (said._tag === "None" || said.value.length === 0) {
    return yield* new HostFailed({ reason: "host_failed", detail: "The Broker did not start." })
  }
  const kill = Effect.asVoid(Effect.ignore(child.kill({ killSignal: "SIGKILL" })))
  return { kill } satisfies Broker
})
