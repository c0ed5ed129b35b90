/**
 * Which fences keep this process from writing, and do they hold? (design.md section 5, last point)
 *
 * The bridge only reads, so the process gives up what it does not need before it reads anything: Node's permission
 * model comes from the command line, Landlock from a call to the kernel. A fence that does not hold stops nothing,
 * since the bridge is read-only without it, but it is named in the log and in `status`.
 *
 * The sidecar of hy_memory goes without one of them: it scans notes in a worker, so that a hand-over never waits for a
 * scan. Node's model does not bind a worker; Landlock does, since the worker's thread starts behind it.
 */
import * as Effect from "effect/Effect"

export interface Fence {
  readonly name: "node_fs_write" | "node_child_process" | "node_worker" | "landlock"
  readonly holds: boolean
  /** Short code: the Landlock version in force, or why the fence does not hold. */
  readonly detail?: string
}

const permissionScopes = [
  ["node_fs_write", "fs.write"],
  ["node_child_process", "child"],
  ["node_worker", "worker"]
] as const

/** What Node's permission model refuses to this process. Without `--permission` there is no model to ask. */
const permissionFences = (): ReadonlyArray<Fence> => {
  const permission = process.permission as { readonly has: (scope: string) => boolean } | undefined
  return permissionScopes.map(([name, scope]) => {
    if (permission === undefined) return { name, holds: false, detail: "permission_model_off" }
    return permission.has(scope) ? { name, holds: false, detail: "granted" } : { name, holds: true }
  })
}

/**
 * Raises what can be raised from inside, then looks at what stands.
 *
 * Landlock binds the calling thread and the threads it starts later. Node's file operations run on a thread pool that
 * starts with the first asynchronous one: so this comes before anything asynchronous, and the bundle is CommonJS,
 * because loading an ES module entry starts the pool on Node 20 and asynchronous writes then escape.
 */
export const raiseFences = (landlock: () => Fence, without: ReadonlyArray<Fence["name"]> = []): ReadonlyArray<Fence> =>
  [...permissionFences(), raised(landlock)].filter(({ name }) => !without.includes(name))

const raised = (landlock: () => Fence): Fence => {
  try {
    return landlock()
  } catch {
    return { name: "landlock", holds: false, detail: "call_failed" }
  }
}

const shown = ({ detail, name }: Fence): string => (detail === undefined ? name : `${name} (${detail})`)

/** One line for the start, and one for each fence that does not hold. */
export const reportFences = (fences: ReadonlyArray<Fence>): Effect.Effect<void> =>
  Effect.andThen(
    Effect.annotateLogs(Effect.logInfo("started"), {
      node: process.versions.node,
      fences: fences
        .filter((fence) => fence.holds)
        .map(shown)
        .join(" ")
    }),
    Effect.forEach(
      fences.filter((fence) => !fence.holds),
      (fence) => Effect.annotateLogs(Effect.logWarning("fence_missing"), { fence: fence.name, reason: fence.detail }),
      { discard: true }
    )
  )
