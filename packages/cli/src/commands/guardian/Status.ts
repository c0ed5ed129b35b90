/** `memory-bridge guardian status`: mode, policy, audit and backups of a home. */
import { Command } from "effect/cli"
import { guardStatus } from "../../operator/GuardStatus.ts"
import * as Flags from "../Flags.ts"
import { home } from "./Activate.ts"

export const command = Command.make("status", { home, json: Flags.json }, guardStatus).pipe(
  Command.withShortDescription("Say which policy is in force, in which mode, and whether record and backups are whole"),
  Command.withDescription(
    "Say which policy is in force, in which mode, and whether record and backups are whole. Changes nothing"
  ),
  Command.withExamples([{ command: "memory-bridge guardian status --json" }])
)
