/**
 * Is a string an absolute literal path, and one that the guard may reason about? (seed 004 "Supported argument
 * inspection", cases/guard.md section 8)
 *
 * Judged on the string alone, before the file system is asked. What a shell, a file tool or the kernel might read
 * otherwise than as these very names is refused. `..` stays: what it means is for the walk to say.
 */

/** Linux takes no path of 4096 bytes or more, and a string never has fewer bytes than UTF-16 units. */
export const maxPathLength = 4095

export type PathDefect =
  | "relative"
  | "too_long"
  | "control_character"
  | "empty_segment"
  | "dot_segment"
  | "tilde"
  | "special_file_system"

/** Roots are held to more: they are spelled in one way, and no character suggests a pattern or a variable. */
export type RootDefect = PathDefect | "parent_segment" | "trailing_slash" | "pattern_character"

const control = /[\p{Cc}\u2028\u2029]/u
const patternLike = /[*?$]/

/**
 * Where names lead to processes, devices and inode numbers instead of files. The guard's own `/proc/self` is not the
 * tool's. `.vol`, `.nofollow` and `.resolve` are the like of macOS. Folded, for volumes that are blind to case.
 */
const specialTops: ReadonlySet<string> = new Set(["proc", "dev", "sys", ".vol", ".nofollow", ".resolve"])

/** Whether an absolute path lies in a file system that is no tree of files, as far as its first name tells. */
export const isSpecial = (path: string): boolean => {
  const end = path.indexOf("/", 1)
  return specialTops.has((end < 0 ? path.slice(1) : path.slice(1, end)).toLowerCase())
}

export const pathDefect = (path: string): PathDefect | undefined => {
  if (!path.startsWith("/")) return "relative"
  if (path.length > maxPathLength) return "too_long"
  if (control.test(path) || !path.isWellFormed()) return "control_character"
  if (path.includes("//")) return "empty_segment"
  if (path.includes("/./") || path.endsWith("/.")) return "dot_segment"
  if (path.includes("/~")) return "tilde"
  return isSpecial(path) ? "special_file_system" : undefined
}

export const rootDefect = (path: string): RootDefect | undefined => {
  const defect = pathDefect(path)
  if (defect !== undefined) return defect
  if (path.includes("/../") || path.endsWith("/..")) return "parent_segment"
  if (path.length > 1 && path.endsWith("/")) return "trailing_slash"
  return patternLike.test(path) ? "pattern_character" : undefined
}

export const joined = (directory: string, name: string): string =>
  directory === "/" ? `/${name}` : `${directory}/${name}`

/** `/` is its own parent. */
export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/"

/** The last name, slashes at the end apart; "" for `/`. */
export const lastName = (path: string): string => {
  const trimmed = path.replace(/\/+$/, "")
  return trimmed.slice(trimmed.lastIndexOf("/") + 1)
}

/** What the string says without asking the file system: `..` taken off together with the name before it. */
export const lexical = (path: string): string => {
  const names: Array<string> = []
  for (const name of path.split("/")) {
    if (name === "..") names.pop()
    else if (name !== "" && name !== ".") names.push(name)
  }
  return `/${names.join("/")}`
}

const slash = 0x2f

/**
 * Whether `path` is `root` or lies below it. Both canonical. The separator and the character before it are looked at
 * first, because they seldom fit, and comparing paths is what a decision spends its time on.
 */
export const covers = (root: string, path: string): boolean => {
  const end = root.length
  if (path.length <= end) return path === root
  if (end === 1) return path.startsWith(root)
  return (
    path.charCodeAt(end) === slash && path.charCodeAt(end - 1) === root.charCodeAt(end - 1) && path.startsWith(root)
  )
}
