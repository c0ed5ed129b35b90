/**
 * The contract's worlds on a disk: a drawing becomes a temporary tree, with real mounts, access control lists and special
 * files where this machine lets the tests make them, and is gone when its scope closes. How lists are set differs from
 * system to system; here is Linux's way, macOS's stands in `DarwinWorld`.
 */
import type { AclEntry } from "@memory-bridge/core/tree/Acl"
import type { Tree } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { asThing, type Drawing, kindOf, type Thing } from "./Drawing.ts"
import type { Lacks, MakeWorld } from "./World.ts"

const root = process.geteuid?.() === 0

const canMount = (): boolean => {
  if (!root || process.platform !== "linux") return false
  const probe = fs.mkdtempSync(path.join(os.tmpdir(), "memory-bridge-probe-"))
  const mounted = spawnSync("mount", ["-t", "tmpfs", "tmpfs", probe]).status === 0
  if (mounted) spawnSync("umount", [probe])
  fs.rmdirSync(probe)
  return mounted
}

export const hasSetfacl = spawnSync("setfacl", ["--version"]).status === 0

/** What the machine lacks, whatever its lists are made of. */
export const diskLacks: Lacks = {
  ...(canMount() ? {} : { mounts: "this user may not mount here" }),
  ...(root ? {} : { privilege: "needs root" })
}

export const linuxLacks: Lacks = {
  ...diskLacks,
  ...(hasSetfacl ? {} : { acls: "setfacl is not installed" })
}

/** An entry as `setfacl` writes it. */
const written = ({ subject, write }: AclEntry): string => {
  const permissions = write ? "rw" : "r"
  switch (subject.kind) {
    case "owner":
      return `u::${permissions}`
    case "user":
      return `u:${subject.id}:${permissions}`
    case "owning_group":
      return `g::${permissions}`
    case "group":
      return `g:${subject.id}:${permissions}`
    case "everyone":
      return `o::${permissions}`
  }
}

export type SetAcl = (target: string, entries: ReadonlyArray<AclEntry>) => void

interface Building {
  readonly setAcl: SetAcl
  readonly mount: (target: string, ...how: ReadonlyArray<string>) => void
  readonly listen: (target: string) => void
  readonly extraLink: (target: string) => void
}

const setfacl: SetAcl = (target, entries) => {
  execFileSync("setfacl", ["--set", [...entries.map(written), "m::rw"].join(","), target])
}

const build = (on: Building, target: string, node: Thing): void => {
  const { as } = node
  const bindMounted = as.mount !== undefined && as.device === undefined
  switch (kindOf(node)) {
    case "directory": {
      fs.mkdirSync(target)
      if (as.device !== undefined) on.mount(target, "-t", "tmpfs", "-o", "mode=755", "tmpfs")
      // The one file system of every kernel that keeps no access control lists.
      if (as.acl?.kind === "refused") on.mount(target, "-t", "ramfs", "ramfs")
      if (bindMounted) on.mount(target, "--bind", target)
      for (const [name, child] of Object.entries(node.below)) build(on, path.join(target, name), asThing(child))
      for (let count = 0; count < (as.undecodable ?? 0); count++) {
        fs.writeFileSync(Buffer.concat([Buffer.from(`${target}/`), Buffer.of(0xff, 0x30 + count)]), "")
      }
      break
    }
    case "file":
      fs.writeFileSync(target, node.content)
      if (bindMounted) on.mount(target, "--bind", target)
      for (let links = 1; links < (as.links ?? 1); links++) on.extraLink(target)
      break
    case "link":
      return fs.symlinkSync(String(node.content), target)
    case "fifo":
      execFileSync("mkfifo", [target])
      break
    case "socket":
      return on.listen(target)
    case "device":
      // 1:3 is /dev/null; 240:99 is for local use and has no driver.
      execFileSync("mknod", as.fails?.open === "special" ? [target, "c", "240", "99"] : [target, "c", "1", "3"])
      break
  }
  if (as.acl?.kind === "entries") on.setAcl(target, as.acl.entries)
  if (as.mode !== undefined) fs.chmodSync(target, as.mode)
  if (as.owner !== undefined && root) fs.chownSync(target, as.owner, as.owner)
}

const raise = (drawing: Drawing, setAcl: SetAcl) => {
  const base = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "memory-bridge-contract-"))
  const top = path.join(base, "drawn")
  const mounts: Array<string> = []
  const servers: Array<net.Server> = []
  let links = 0
  const undo = (): void => {
    for (const server of servers) server.close()
    for (const target of mounts.toReversed()) execFileSync("umount", ["-l", target])
    fs.rmSync(base, { recursive: true })
  }
  const on: Building = {
    setAcl,
    mount: (target, ...how) => {
      execFileSync("mount", [...how, target])
      mounts.push(target)
    },
    listen: (target) => {
      servers.push(net.createServer().listen(target).unref())
    },
    extraLink: (target) => {
      links += 1
      fs.linkSync(target, path.join(base, `link-${links}`))
    }
  }
  try {
    build(on, top, asThing(drawing))
  } catch (error) {
    undo()
    throw error
  }
  return { top, on, undo }
}

/** Of this process, on Linux and macOS. */
const openHere = "/dev/fd"

export const diskWorld =
  (layer: Layer.Layer<Tree>, setAcl: SetAcl): MakeWorld =>
  (drawing) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => raise(drawing, setAcl)),
        ({ undo }) => Effect.sync(undo)
      ),
      ({ on, top }) => ({
        layer,
        at: top.split("/").slice(1),
        user: process.geteuid!(),
        held: () => fs.readdirSync(openHere).length,
        write: (name, content) => fs.writeFileSync(path.join(top, name), content),
        put: (name, drawn) => build(on, path.join(top, name), asThing(drawn)),
        remove: (name) => fs.unlinkSync(path.join(top, name))
      })
    )

export const linuxWorld = (layer: Layer.Layer<Tree>): MakeWorld => diskWorld(layer, setfacl)
