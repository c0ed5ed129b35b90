/**
 * The host's configuration file, read and replaced as a whole. (issue 5 item 4, issue 7 item 4)
 *
 * What its bytes mean is none of its business. A reader, and the host after a crash, meets the old file or the new one:
 * the new one is written beside it, synced, and renamed over it, with the old one's mode and group. The file must be what
 * it was when it was read; between that look and the rename there is a moment in which a change by somebody else is
 * lost, which no file system can close.
 */
import { type ActivationRefused, refused } from "@memory-bridge/core/lab/ActivationPlace"
import { join } from "node:path"
import { isCode } from "../guard/AuditCalls.ts"
import type { LabCalls } from "./LabCalls.ts"
import { failure, isRefused, openPlace, type Read, readPlace, writeNew } from "./Places.ts"

export const configFileOf = (home: string): string => join(home, "config.yaml")

/** Beside the file, under one name, so that a crash leaves no more than this. */
export const besideOf = (home: string): string => join(home, ".config.yaml.memory-bridge")

/** Bytes. */
const maxConfigBytes = 1024 * 1024

/** `undefined` where the home has none. */
export const readConfig = (calls: LabCalls, home: string): Read | ActivationRefused | undefined => {
  const directory = openPlace(calls, home, "home", "to_write")
  if (isRefused(directory)) return directory
  try {
    return readPlace(calls, configFileOf(home), "config", "to_write", maxConfigBytes)
  } finally {
    calls.close(directory)
  }
}

const isStill = (calls: LabCalls, path: string, read: Read | undefined): boolean => {
  const now = calls.markAt(path)
  return isCode(now) ? now === "ENOENT" && read === undefined : now.mark === read?.mark
}

/** `read` is what `readConfig` gave. */
export const replaceConfig = (
  calls: LabCalls,
  home: string,
  read: Read | undefined,
  bytes: Uint8Array
): ActivationRefused | undefined => {
  const directory = openPlace(calls, home, "home", "to_write")
  if (isRefused(directory)) return directory
  try {
    const [path, beside] = [configFileOf(home), besideOf(home)]
    const fault = writeNew(calls, beside, bytes, read, "config")
    if (fault !== undefined) return fault
    if (!isStill(calls, path, read)) {
      calls.unlink(beside)
      return refused("changed", "config")
    }
    const renamed = calls.rename(beside, path)
    if (renamed !== undefined) {
      calls.unlink(beside)
      return failure(renamed, "config")
    }
    return calls.sync(directory) === "synced" ? undefined : refused("storage", "home", "EIO")
  } finally {
    calls.close(directory)
  }
}
