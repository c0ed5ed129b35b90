/**
 * The disposable world of the demo: synthetic notes, three profile homes, a secret outside. (seed 000 "Synthetic demo")
 *
 * Everything lies in one fresh directory that only its owner can enter, and goes with the scope, whatever ends it. Modes
 * are given one by one, since the umask of the person who runs this might make files that the trust rule refuses. What
 * writes is not interruptible: a write still under way would bring files back while they are removed.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import { tmpdir } from "node:os"
import { show } from "../operator/Quote.ts"
import { Screen } from "../screen/Screen.ts"
import { examplePolicy, hostScript, notes } from "./BundledText.ts"

export type Profile = "alpha" | "beta" | "gamma"
export const profiles: ReadonlyArray<Profile> = ["alpha", "beta", "gamma"]

/** A word that stands in the outside secret and nowhere else. */
export const secretWord = "kingfisher"
const secret = `# Outside\n\nSynthetic secret: the ${secretWord} sleeps under the old bridge.\n`

export interface Fixture {
  /** The directory that holds everything; canonical. */
  readonly top: string
  readonly root: string
  readonly plugin: string
  readonly host: string
  readonly homeOf: (profile: Profile) => string
  readonly policyOf: (profile: Profile) => string
}

const ownerDirectory = 0o700
const ownerFile = 0o600

const text = (policy: object): string => JSON.stringify(policy, undefined, 2) + "\n"

/** The policies that the demo gives to profiles, each as the text of a file. */
export const policies = (root: string) => {
  const example = { ...(JSON.parse(examplePolicy) as object), root }
  return {
    /** What examples/policy.example.json allows. */
    example: text(example),
    exampleWithCron: text({ ...example, allow_cron: true }),
    exampleWithBoth: text({ ...example, allow_cron: true, allow_subagents: true }),
    decisionsOnly: text({ version: 1, root, allow: ["decisions/**"] })
  }
}

/** Writes a policy anew, as its owner's alone. */
export const writePolicy = Effect.fnUntraced(function* (fixture: Fixture, profile: Profile, text: string) {
  const files = yield* FileSystem.FileSystem
  const path = fixture.policyOf(profile)
  yield* files.remove(path, { force: true })
  yield* files.writeFileString(path, text, { mode: ownerFile })
}, Effect.uninterruptible)

/** The policies at the start: alpha's is the example, beta sees decisions alone, gamma has none. */
export const resetPolicies = Effect.fnUntraced(function* (fixture: Fixture) {
  const { decisionsOnly, example } = policies(fixture.root)
  yield* writePolicy(fixture, "alpha", example)
  yield* writePolicy(fixture, "beta", decisionsOnly)
})

const makeNotes = Effect.fnUntraced(function* (root: string, outside: string) {
  const files = yield* FileSystem.FileSystem
  const directory = (path: string) => files.makeDirectory(path, { recursive: true, mode: ownerDirectory })
  for (const [id, text] of Object.entries(notes)) {
    yield* directory(`${root}/${id.slice(0, id.lastIndexOf("/"))}`)
    yield* files.writeFileString(`${root}/${id}`, text, { mode: ownerFile })
  }
  yield* directory(outside)
  yield* files.writeFileString(`${outside}/secret.md`, secret, { mode: ownerFile })
  yield* files.symlink("../../outside/secret.md", `${root}/projects/escape.md`)
  yield* files.symlink("../../outside", `${root}/projects/elsewhere`)
})

/** Makes the whole world; `plugin` is the built plugin directory, which is copied. */
export const make = Effect.fnUntraced(function* (plugin: string) {
  const files = yield* FileSystem.FileSystem
  const screen = yield* Screen
  const top = yield* Effect.acquireRelease(
    Effect.flatMap(files.realPath(tmpdir()), (directory) =>
      files.makeTempDirectory({ directory, prefix: "memory-bridge-demo-" })
    ),
    (path) =>
      files.remove(path, { recursive: true, force: true }).pipe(
        Effect.retry({ times: 3 }),
        Effect.catch(() => screen.err(`memory-bridge: Not all of ${show(path)} could be removed.\n`)),
        Effect.ignore
      )
  )
  const homeOf = (profile: Profile): string => `${top}/home-${profile}`
  const fixture: Fixture = {
    top,
    root: `${top}/notes`,
    plugin: `${top}/plugins/memory-bridge`,
    host: `${top}/host.py`,
    homeOf,
    policyOf: (profile) => `${homeOf(profile)}/plugin-data/memory-bridge/policy.json`
  }
  yield* makeNotes(fixture.root, `${top}/outside`)
  for (const profile of profiles) {
    yield* files.makeDirectory(`${homeOf(profile)}/plugin-data/memory-bridge`, {
      recursive: true,
      mode: ownerDirectory
    })
  }
  yield* resetPolicies(fixture)
  yield* files.makeDirectory(`${top}/plugins`, { mode: ownerDirectory })
  yield* files.copy(plugin, fixture.plugin)
  yield* files.writeFileString(fixture.host, hostScript, { mode: ownerFile })
  return fixture
}, Effect.uninterruptible)

/** What the operator does between two calls of the demo. */
export type OperatorAction = (fixture: Fixture) => Effect.Effect<void, PlatformError, FileSystem.FileSystem>

export const giveAlpha =
  (policy: keyof ReturnType<typeof policies>): OperatorAction =>
  (fixture) =>
    writePolicy(fixture, "alpha", policies(fixture.root)[policy])

export const removeAlpha: OperatorAction = (fixture) =>
  FileSystem.FileSystem.use((files) => files.remove(fixture.policyOf("alpha")))

/** Restores the example policy, but lets the file's group write to it. */
export const loosenAlpha: OperatorAction = (fixture) =>
  Effect.andThen(
    giveAlpha("example")(fixture),
    FileSystem.FileSystem.use((files) => files.chmod(fixture.policyOf("alpha"), 0o660))
  )

export const tightenAlpha: OperatorAction = (fixture) =>
  FileSystem.FileSystem.use((files) => files.chmod(fixture.policyOf("alpha"), ownerFile))
