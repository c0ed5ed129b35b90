/** Whether a rule for a root finds a path, by strings alone: no tree of names, no code of the guard. */

const isBelow = (path: string, root: string): boolean => path.startsWith(root === "/" ? "/" : `${root}/`)

/** `stands`: as a working directory, which an ancestor of the root may be. */
export const touches = (path: string, root: string, stands: boolean): boolean =>
  path === root || isBelow(path, root) || (isBelow(root, path) && !stands)
