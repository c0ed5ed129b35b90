/**
 * The reference Broker's store of host grants: one credential a file, for its owner alone. (seed 003 "MemHub-managed
 * installation", recall-contract 1.4 "Credential file", cases/recall.md 34)
 *
 * The file is what the connection file of a host points to, so a credential lies in one place only. The store is read
 * for each request: a file that is replaced or removed counts at once.
 */
import { type Credential, credentialOfFile } from "@memory-bridge/core/recall/Credential"
import { maxGrants } from "@memory-bridge/core/recall/Identity"
import { randomBytes } from "node:crypto"
import { promises } from "node:fs"
import { ignoring, openOwnDirectory, replaceFile } from "./OwnFiles.ts"
import { readTrusted } from "./TrustedFiles.ts"

export interface Grant {
  /** The host that it was given to. */
  readonly host: string
  readonly credential: Credential
}

const suffix = ".credential"
const hostForm = /^[a-z0-9][a-z0-9_-]{0,63}$/

const maxCredentialBytes = 4_096

export const grantFileOf = (store: string, host: string): string => `${store}/${host}${suffix}`

/** Gives a host a new credential in place of the one it had; answers with the file's path. */
export const grant = async (store: string, host: string): Promise<string> => {
  if (!hostForm.test(host)) throw new Error("no name of a host")
  const directory = await openOwnDirectory(store)
  try {
    await replaceFile(
      directory,
      store,
      `${host}${suffix}`,
      `${randomBytes(32).toString("base64url")}\n`,
      String(process.pid)
    )
  } finally {
    await directory.close()
  }
  return grantFileOf(store, host)
}

export const revoke = async (store: string, host: string): Promise<void> => {
  if (!hostForm.test(host)) throw new Error("no name of a host")
  await promises.unlink(grantFileOf(store, host)).catch(ignoring("ENOENT"))
}

/** The grants in force. A file that is not its owner's alone grants nothing. */
export const grantsOf = async (store: string): Promise<ReadonlyArray<Grant>> => {
  const directory = await openOwnDirectory(store)
  await directory.close()
  const names = (await promises.readdir(store)).filter((name) => name.endsWith(suffix)).toSorted()
  const grants: Array<Grant> = []
  for (const name of names.slice(0, maxGrants)) {
    const reading = await readTrusted(`${store}/${name}`, "private", maxCredentialBytes)
    const credential = reading.kind === "text" ? credentialOfFile(reading.text) : undefined
    if (credential !== undefined) grants.push({ host: name.slice(0, -suffix.length), credential })
  }
  return grants
}
