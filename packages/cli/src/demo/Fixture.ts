/**
 * The disposable world of the demo: synthetic notes, three profile homes, a secret outside. (seed 000 "Synthetic demo")
 *
 * All of it lies in the demo's place and goes with it. Modes are given one by one, since the umask of the person who runs
 * this might make files that the trust rule refuses.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import { examplePolicy, notes } from "./BundledText.ts"
import * as Place from "./Place.ts"
import { ownerDirectory, ownerFile } from "./Place.ts"

export type Profile = "alpha" | "beta" | "gamma"
export const profiles: ReadonlyArray<Profile> = ["alpha", "beta", "gamma"]

/** A word that stands in the outside secret and nowhere else. */
export const secretWord = "kingfisher"
const secret = `# Outside\n\nSynthetic secret: the ${secretWord} sleeps under the old bridge.\n`

export interface Fixture extends Place.Place {
  readonly root: string
  readonly homeOf: (profile: Profile) => string
  readonly policyOf: (profile: Profile) => string
}

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
  const place = yield* Place.make("memory-bridge", plugin)
  const { top } = place
  const homeOf = (profile: Profile): string => `${top}/home-${profile}`
  const fixture: Fixture = {
    ...place,
    root: `${top}/notes`,
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
