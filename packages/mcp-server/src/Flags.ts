/**
 * Node's flags for the two processes of the server. (design.md section 5)
 *
 * Both may read and load the native library, and neither may write or start a worker. The one that speaks with the
 * client may start a process, the one that reads notes; that one may start none. The model has had two names; a Node
 * that knows the later one is asked for it.
 */
const common: ReadonlyArray<string> = [
  "--no-warnings",
  "--max-semi-space-size=2",
  "--heap-growing-percent=20",
  process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission",
  "--allow-fs-read=*",
  "--allow-addons"
]

export const serverFlags: ReadonlyArray<string> = [...common, "--allow-child-process"]

export const readerFlags: ReadonlyArray<string> = common
