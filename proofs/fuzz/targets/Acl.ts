/**
 * ACL attribute bytes: any bytes have an answer, the one that a slow reading of the rule has; and of those that a real
 * file takes, what the decoder reads is what `getfacl` prints.
 */
import type { AclEntry, AclReading } from "@memory-bridge/core/tree/Acl"
import { decodePosixAcl } from "@memory-bridge/platform-linux/PosixAcl"
import { askPython } from "../Python.ts"
import { bytesOf, type Difference, same, type Target } from "../Target.ts"

const tags = { 1: "owner", 2: "user", 4: "owning_group", 8: "group", 16: "mask", 32: "everyone" } as const

interface Raw {
  readonly kind: (typeof tags)[keyof typeof tags] | undefined
  readonly permissions: number
  readonly id: number
}

const slow = (bytes: Buffer): AclReading => {
  const malformed: AclReading = { kind: "refused", reason: "acl_malformed" }
  if (bytes.length % 8 !== 4 || bytes.readUInt32LE(0) !== 2) return malformed
  const all: Array<Raw> = []
  for (let at = 4; at < bytes.length; at += 8) {
    const kind = tags[bytes.readUInt16LE(at) as keyof typeof tags] as Raw["kind"]
    all.push({ kind, permissions: bytes.readUInt16LE(at + 2), id: bytes.readUInt32LE(at + 4) })
  }
  const count = (...kinds: ReadonlyArray<Raw["kind"]>) => all.filter(({ kind }) => kinds.includes(kind)).length
  const named = count("user", "group")
  const wellFormed =
    all.every(({ kind, permissions }) => kind !== undefined && permissions < 8) &&
    [count("owner"), count("owning_group"), count("everyone")].every((one) => one === 1) &&
    (named === 0 ? count("mask") <= 1 : count("mask") === 1)
  if (!wellFormed) return malformed
  if (all.some(({ id, kind }) => (kind === "user" || kind === "group") && id === 0xffff_ffff)) {
    return { kind: "refused", reason: "acl_unmapped_id" }
  }
  const entries = all.flatMap(({ id, kind, permissions }): ReadonlyArray<AclEntry> => {
    if (kind === "mask" || kind === undefined) return []
    const write = Math.floor(permissions / 2) % 2 === 1
    return [{ subject: kind === "user" || kind === "group" ? { kind, id } : { kind }, write }]
  })
  return { kind: "entries", entries }
}

const encoded = (...entries: ReadonlyArray<readonly [tag: number, permissions: number, id?: number]>): string => {
  const bytes = Buffer.alloc(4 + 8 * entries.length)
  bytes.writeUInt32LE(2, 0)
  for (const [index, [tag, permissions, id = 0xffff_ffff]] of entries.entries()) {
    bytes.writeUInt16LE(tag, 4 + 8 * index)
    bytes.writeUInt16LE(permissions, 6 + 8 * index)
    bytes.writeUInt32LE(id, 8 + 8 * index)
  }
  return bytes.toString("latin1")
}

const [owner, group, mask, other] = [
  [1, 7],
  [4, 5],
  [16, 7],
  [32, 4]
] as const

/** As getfacl prints an entry, without what it may not. */
const printed = ({ subject, write }: AclEntry): string => {
  const names = { owner: "user:", user: "user:", owning_group: "group:", group: "group:", everyone: "other:" }
  return `${names[subject.kind]}${"id" in subject ? subject.id : ""}:${write ? "w" : "-"}`
}

const fromGetfacl = (lines: string): ReadonlyArray<string> =>
  lines
    .split(",")
    .filter((line) => line !== "" && !line.startsWith("mask"))
    .map((line) => line.replace(/:.(.).$/, ":$1"))

const difference = (input: string, answer: string): Difference | undefined => {
  const [kept, lines = ""] = answer.split("|")
  // Refused by the kernel, or turned into plain mode bits: nothing to read.
  if (kept === "refused" || kept === "none") return undefined
  const reading = decodePosixAcl(Buffer.from(kept ?? "", "hex"))
  const ours = reading.kind === "entries" ? reading.entries.map(printed).toSorted().join(" ") : JSON.stringify(reading)
  const theirs = fromGetfacl(lines).toSorted().join(" ")
  return ours === theirs ? undefined : { input, detail: `here ${ours}, there ${theirs}` }
}

export const acl: Target = {
  name: "acl",
  input: "bytes",
  json: false,
  words: [
    "\x02\x00\x00\x00",
    "\xff\xff\xff\xff",
    "\xfe\xff\xff\xff",
    "\xe8\x03\x00\x00",
    ...[1, 2, 4, 8, 16, 32, 64].flatMap((tag) => [0, 2, 5, 7, 8].map((bits) => encoded([tag, bits]).slice(4))),
    ...[2, 8].flatMap((tag) => [0, 4, 6].map((bits) => encoded([tag, bits, 1_000]).slice(4)))
  ],
  seeds: [
    encoded(owner, group, other),
    encoded(owner, [2, 6, 1_000], group, mask, other),
    encoded(owner, [2, 6, 0], [2, 4, 1_000], [2, 4, 1_000], group, [8, 7, 50], [8, 0, 51], mask, other),
    encoded(owner, group, mask, other),
    encoded(other, mask, group, owner)
  ],
  // Well-formed, in the order that the kernel wants, so that most reach a file.
  make: (random) => {
    const some = (tag: number) =>
      random.list(3, () => [tag, random.int(8), random.pick([0, 1, 1_000, 65_534, 70_000])] as const)
    const bits = () => random.int(8)
    return encoded([1, bits()], ...some(2), [4, bits()], ...some(8), [16, bits()], [32, bits()])
  },
  check: (input) => {
    const bytes = bytesOf(input)
    const reading = decodePosixAcl(bytes)
    same("agrees with the slow rule", reading, slow(bytes))
    const around = Buffer.concat([Buffer.alloc(3, 1), bytes, Buffer.alloc(8, 7)])
    same("reads nothing beyond its bytes", decodePosixAcl(around.subarray(3, 3 + bytes.length)), reading)
  },
  compare: (inputs) => {
    const answers = askPython(
      "acl_reader.py",
      inputs.map((input) => bytesOf(input).toString("hex"))
    )
    return inputs.flatMap((input, index) => difference(input, answers[index] ?? "") ?? [])
  }
}
