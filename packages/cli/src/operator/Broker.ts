/**
 * The reference Broker as a program of its own, over the notes that a policy permits. (issue 4 part 2)
 *
 * Its files lie in one directory of the home, for its owner alone: the discovery file, the grants, and a connection file
 * that a host's provider may use as it is. A grant that is there is kept, so that a host stays connected over a start.
 * It serves until it is told to end, and then takes its announcement back.
 */
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { type BrokerAnswer, notesAnswer } from "@memory-bridge/core/recall/BrokerAnswer"
import { connectionFileName, connectionText } from "@memory-bridge/core/recall/Connection"
import { authorityOf } from "@memory-bridge/core/recall/Endpoint"
import { RecallNotes } from "@memory-bridge/core/recall/RecallNotes"
import { serveBroker } from "@memory-bridge/platform-posix/recall/BrokerServer"
import { grant, grantFileOf, grantsOf } from "@memory-bridge/platform-posix/recall/Grants"
import { openOwnDirectory, replaceFile } from "@memory-bridge/platform-posix/recall/OwnFiles"
import * as Mac from "@memory-bridge/platform-posix/recall/Mac"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { resolve } from "node:path"
import { exitCodes, Stopped } from "../Exit.ts"
import { Screen } from "../screen/Screen.ts"
import { homeOf } from "./HermesHome.ts"
import { show } from "./Quote.ts"

export interface BrokerOptions {
  readonly home: string | undefined
  /** Policy file in place of the home's own. */
  readonly policy: string | undefined
}

export interface BrokerFiles {
  readonly directory: string
  readonly discoveryFile: string
  readonly grantStore: string
  readonly connectionFile: string
}

/** The host that the Broker makes a grant for. */
export const grantedHost = "hermes"

export const brokerFilesOf = (home: string): BrokerFiles => {
  const directory = `${home === "/" ? "" : home}/plugin-data/memory-bridge/broker`
  return {
    directory,
    discoveryFile: `${directory}/broker.json`,
    grantStore: `${directory}/grants`,
    connectionFile: `${directory}/${connectionFileName}`
  }
}

/** The Broker's files could not be made as they have to be. */
class FilesRefused extends Schema.TaggedError<FilesRefused>()("FilesRefused", {}) {}

const connect = async ({ directory, discoveryFile, grantStore }: BrokerFiles): Promise<string> => {
  const opened = await openOwnDirectory(directory)
  try {
    const known = (await grantsOf(grantStore)).some(({ host }) => host === grantedHost)
    const credentialFile = known ? grantFileOf(grantStore, grantedHost) : await grant(grantStore, grantedHost)
    await replaceFile(
      opened,
      directory,
      connectionFileName,
      connectionText({ discoveryFile, credentialFile }),
      String(process.pid)
    )
    return credentialFile
  } finally {
    await opened.close()
  }
}

/** The policies of whoever asks, all read from one file. */
const onePolicy = (file: string) =>
  Layer.effect(
    PolicyStore,
    PolicyStore.use((policies) => Effect.succeed(PolicyStore.of({ load: () => policies.load(file) })))
  )

const notes = RecallNotes.layer.pipe(Layer.provide(Mac.layer))

const answerOf = (home: string, policy: string | undefined) => {
  const answer: Effect.Effect<BrokerAnswer, never, RecallNotes> = notesAnswer(home)
  return policy === undefined
    ? Effect.provide(answer, notes)
    : Effect.provide(answer, notes.pipe(Layer.provide(onePolicy(resolve(policy)))))
}

const stop = Effect.fnUntraced(function* (text: string) {
  yield* (yield* Screen).err(`memory-bridge: ${text}\n`)
  return yield* new Stopped({ code: exitCodes.refused })
})

const place = (what: string, path: string): string => `  ${what.padEnd(12)}${show(path)}\n`

export const serveNotes = ({ home, policy }: BrokerOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const files = yield* FileSystem.FileSystem
    const hermesHome = homeOf(home)
    const paths = brokerFilesOf(hermesHome)
    yield* files.makeDirectory(`${hermesHome}/plugin-data/memory-bridge`, { recursive: true, mode: 0o700 })
    const credentialFile = yield* Effect.tryPromise({ try: () => connect(paths), catch: () => new FilesRefused() })
    const answer = yield* answerOf(hermesHome, policy)
    const { endpoint } = yield* serveBroker({ ...paths, answer })
    yield* screen.out(
      `Broker at ${authorityOf(endpoint)}, until it is ended.\n` +
        place("discovery", paths.discoveryFile) +
        place("grant", credentialFile) +
        place("connection", paths.connectionFile)
    )
    return yield* Effect.never
  }).pipe(
    Effect.scoped,
    Effect.catchTag(["FilesRefused", "PlatformError"], () => stop("The Broker's files cannot be made in this home.")),
    Effect.catchTag("BrokerFailed", ({ reason }) =>
      stop(reason === "cannot_listen" ? "No port can be had." : "The discovery file cannot be written.")
    )
  )
