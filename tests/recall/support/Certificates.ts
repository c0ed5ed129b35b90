/** Certificates of an authority of the test's own, made by the machine's openssl. */
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export const hasOpenssl = spawnSync("openssl", ["version"]).status === 0

const openssl = (folder: string, ...args: ReadonlyArray<string>): void => {
  const { status, stderr } = spawnSync("openssl", args, { cwd: folder, encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
}

const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

/** `ca.pem` and its key in a new folder. */
export const authority = (folder: string, name: string): string => {
  mkdirSync(folder, { recursive: true })
  const basic = ["-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign"]
  openssl(folder, "req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", `/CN=${name}`, ...basic)
  return join(folder, "ca.pem")
}

/** `key.pem` and `cert.pem` in a new folder, signed by an authority. Dates as `YYYYMMDDHHMMSSZ`. */
export const certificate = (
  folder: string,
  from: string,
  subject: string,
  [start, end]: readonly [string, string] = ["20200101000000Z", "20991231000000Z"]
): string => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "extensions"), `subjectAltName=${subject}\nextendedKeyUsage=serverAuth\n`)
  writeFileSync(join(folder, "index"), "")
  writeFileSync(
    join(folder, "ca.conf"),
    `[ca]\ndefault_ca=x\n[x]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n`
  )
  openssl(folder, "req", ...key, "-keyout", "key.pem", "-out", "request", "-subj", "/CN=peer")
  const signing = ["-cert", join(from, "ca.pem"), "-keyfile", join(from, "ca.key"), "-extfile", "extensions"]
  const valid = ["-startdate", start, "-enddate", end]
  const files = ["-in", "request", "-out", "cert.pem", ...signing, ...valid]
  openssl(folder, "ca", "-batch", "-config", "ca.conf", "-create_serial", "-notext", ...files)
  return folder
}
