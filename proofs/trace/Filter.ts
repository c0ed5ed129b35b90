/** Starts a program where the kernel refuses some calls, through `refuse.py`. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const filter = fileURLToPath(new URL("refuse.py", import.meta.url))

export type Refusable = "openat2" | "io_uring_setup"

export const without = (
  errno: "ENOSYS" | "EPERM",
  calls: ReadonlyArray<Refusable>,
  command: ReadonlyArray<string>
): ReadonlyArray<string> => {
  // A wrapper that chooses among several Pythons would start under the filter too.
  const python = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim()
  return [python, "-I", filter, errno, calls.join(), ...command]
}
