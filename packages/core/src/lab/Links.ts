/**
 * Can a root be reached by a name that does not lie in it, on this file system? (Difference.ts, "Links")
 *
 * Answers for the roots that the difference lists as `linked`. In doubt yes: what the system would not say, and every
 * other place where the same part of a file system is shown, counts. A link elsewhere that leads to the root counts
 * for nothing, because a path through it ends at the root's own name.
 */
import { covers } from "../guard/LiteralPath.ts"
import { coveringMount, type Mount, type MountTable, placeOf } from "../guard/Mounts.ts"
import { snapshot, type View } from "../guard/PathFacts.ts"
import { isRefused, walk } from "../guard/Walk.ts"

/** Whether a mount shows something that lies in the root, or in which the root lies. */
const shows = (mount: Mount, device: string, within: string): boolean =>
  mount.device === device && (covers(mount.root, within) || covers(within, mount.root))

const isMountedTwice = (table: MountTable, root: string): boolean => {
  const own = coveringMount(table, root)
  if (own === undefined) return false
  const within = placeOf(table, root).slice(own.device.length) || "/"
  return table.rows.some((mount) => mount !== own && (shows(mount, own.device, within) || covers(root, mount.point)))
}

/** Looks once at each name, however many roots are asked about. */
export const hasOtherName = (view: View): ((root: string) => boolean) => {
  const once = snapshot(view)
  return (root) => {
    const walked = walk(once, root)
    const mounts = once.mounts()
    if (isRefused(walked) || typeof mounts === "string") return true
    const isHardLinked = walked.end?.kind === "file" && walked.end.links > 1
    return walked.target !== root || isHardLinked || isMountedTwice(mounts, root)
  }
}
