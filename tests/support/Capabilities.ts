/** What this machine lets a test do. A test that cannot run names the missing capability in its title. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const runs = (program: string, ...args: ReadonlyArray<string>): boolean => spawnSync(program, args).status === 0

export const isLinux = process.platform === "linux"
export const isRoot = process.geteuid?.() === 0

export const hasSetfacl = runs("setfacl", "--version")

/** Whether file systems can be mounted, as root on a machine of one's own can. */
export const canMount = ((): boolean => {
  if (!isLinux || !isRoot) return false
  const point = mkdtempSync(join(tmpdir(), "mount-probe-"))
  const mounted = runs("mount", "-t", "tmpfs", "none", point)
  if (mounted) runs("umount", point)
  rmdirSync(point)
  return mounted
})()

export const without = (capability: boolean, name: string): string => (capability ? "" : ` (skipped: needs ${name})`)
