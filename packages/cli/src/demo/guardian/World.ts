/**
 * The disposable world of the guardian's demo: a Hermes home, a project with a secret file, a user's keys. (seed 004
 * "Quick demonstration")
 *
 * The policy is the built-in one in its rules; its protected paths lie in this world, so that nobody's real files take
 * part, not even by their names.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Place from "../Place.ts"

export interface World extends Place.Place {
  readonly home: string
  readonly audit: string
  readonly project: string
  /** The user's keys. */
  readonly keys: string
  /** What stands in every file of this world that a call names, by path. */
  readonly files: Readonly<Record<string, string>>
  /** As it would stand in the profile's settings. */
  readonly policy: object
}

/** A word of the secrets. It may be in no message, no log line and no record. */
export const secretWord = "kingfisher"

export const make = Effect.fnUntraced(function* (plugin: string) {
  const files = yield* FileSystem.FileSystem
  const place = yield* Place.make("hermes-guardian", plugin)
  const { top } = place
  const [home, project, keys] = [`${top}/home`, `${top}/project`, `${top}/user/.ssh`]
  const world: World = {
    ...place,
    home,
    audit: `${home}/plugin-data/hermes-guardian/audit.jsonl`,
    project,
    keys,
    files: {
      [`${project}/notes.md`]: "# Notes\n\nSynthetic project notes.\n",
      [`${project}/.env`]: `TOKEN=${secretWord}\n`,
      [`${keys}/id_demo`]: `Synthetic key: ${secretWord}\n`
    },
    policy: {
      default_action: "block",
      rules: [
        { tool: "read_file", action: "allow" },
        { tool: "write_file", action: "approve" },
        { tool: "patch", action: "approve" },
        { tool: "terminal", action: "approve" }
      ],
      protected_paths: [
        { path: keys, action: "block" },
        { path: `${project}/.env`, action: "block" }
      ]
    }
  }
  for (const directory of [home, project, keys]) {
    yield* files.makeDirectory(directory, { recursive: true, mode: Place.ownerDirectory })
  }
  for (const [path, text] of Object.entries(world.files)) {
    yield* files.writeFileString(path, text, { mode: Place.ownerFile })
  }
  return world
}, Effect.uninterruptible)

/** The files that are no longer as they were made. */
export const changed = Effect.fnUntraced(function* (world: World) {
  const files = yield* FileSystem.FileSystem
  const changed: Array<string> = []
  for (const [path, text] of Object.entries(world.files)) {
    const now = yield* Effect.orElseSucceed(files.readFileString(path), () => undefined)
    if (now !== text) changed.push(path)
  }
  return changed
})

/** The records of the audit so far, as they stand there. */
export const auditLines = (world: World) =>
  FileSystem.FileSystem.use((files) =>
    Effect.orElseSucceed(files.readFileString(world.audit), () => "").pipe(
      Effect.map((text) => text.split("\n").filter((line) => line !== ""))
    )
  )
