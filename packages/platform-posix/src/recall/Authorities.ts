/**
 * Which certificate authorities count for a connection. (seed 003 "HY_MEMORY_CA_FILE", cases/recall.md 42)
 *
 * A named file counts alone and for this connection alone; it is read anew each time, so a file that was replaced on
 * disk counts from the next request on. Without one it is the system's trust. Nothing switches verification off.
 */
import { HttpFailed } from "@memory-bridge/core/recall/Http"
import * as Effect from "effect/Effect"
import { X509Certificate } from "node:crypto"
import * as tls from "node:tls"
import { readTrusted } from "./TrustedFiles.ts"

const maxCaBytes = 1_048_576

const certificate = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

const failed = (reason: "ca_unreadable" | "ca_invalid", rule?: string) =>
  Effect.fail(new HttpFailed(rule === undefined ? { reason } : { reason, rule }))

/** The certificates of a PEM file. */
export const authoritiesOf = (path: string): Effect.Effect<ReadonlyArray<string>, HttpFailed> =>
  Effect.flatMap(
    Effect.promise(() => readTrusted(path, "shared", maxCaBytes)),
    (reading) => {
      if (reading.kind === "refused") return failed("ca_unreadable", reading.fault)
      const found = reading.text.match(certificate) ?? []
      return found.length > 0 && found.every(isCertificate) ? Effect.succeed(found) : failed("ca_invalid")
    }
  )

/** Where distributions keep the bundle of what they trust, for a Node that cannot say. */
const bundles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem"
]

/** Newer Nodes only. */
const known = (tls as { readonly getCACertificates?: (type: "system") => Array<string> }).getCACertificates

const fromBundle = async (): Promise<ReadonlyArray<string> | undefined> => {
  for (const path of bundles) {
    const reading = await readTrusted(path, "shared", 4 * maxCaBytes)
    const found = reading.kind === "text" ? reading.text.match(certificate) : null
    if (found !== null && found.length > 0) return found
  }
  return undefined
}

const fromSystem = (): ReadonlyArray<string> | undefined => {
  const found = known?.("system") ?? []
  // The same one lies in several places, and each costs time at each connection.
  return found.length > 0 ? [...new Set(found)] : undefined
}

let system: Promise<ReadonlyArray<string> | undefined> | undefined

/**
 * What the system trusts, asked once. `undefined`: nobody knows, and Node's own list counts. Reading the bundle takes
 * no time of the thread, asking Node 25 ms; elsewhere than on Linux the system's trust is in no file.
 */
export const systemAuthorities: Effect.Effect<ReadonlyArray<string> | undefined> = Effect.promise(() => {
  system ??=
    process.platform === "linux"
      ? fromBundle().then((found) => found ?? fromSystem())
      : Promise.resolve(fromSystem()).then((found) => found ?? fromBundle())
  return system
})
