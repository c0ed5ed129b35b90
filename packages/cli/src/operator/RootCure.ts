/**
 * What the settings of a root change about the cure of what lies below it. (design.md section 7; issue 8)
 *
 * A key of version 2 is named with what follows from it, since it lets more people say what an agent reads. As everywhere,
 * nothing is given away by a command alone: who decides is told what to make sure of first.
 */
import type { Root } from "@memory-bridge/core/policy/Roots"
import { servedBy } from "@memory-bridge/core/tree/ServedName"
import { command, type Component, type Cure, cureFor } from "./Cure.ts"
import { quote } from "./Quote.ts"

/** The directory that it lies in. */
export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/"

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** A group that the root accepts; it has one. */
export const oneGroup = ({ trust }: Root): number => Math.min(...trust.groups)

/** For what a member wrote in a folder that does not give its group to what is made in it. */
const ofMember = (root: Root) =>
  command(
    (path) =>
      `if a member wrote it: sudo chgrp ${oneGroup(root)} ${path}; if its writer has left, take it over: ` +
      `sudo chown "$(id -un)" ${path}; what members make in a folder is the group's after chmod g+s on the folder`
  )

const hardLink = (root: Root, component: Component, plain: Cure): Cure => {
  if (!root.trust.hardLinks) {
    // A comment, so that the whole can be pasted.
    const key =
      "or, in a policy of version 2, trust.hard_links: true; each of its names that is permitted is then served, " +
      "and a deny of one does not reach the others"
    return { ...plain, cure: `${plain.cure}  # ${key}` }
  }
  const path = quote(component.path)
  return {
    meaning: "has a second name (a hard link), and does not belong to an accepted group that may read it",
    cure: `if the whole group may read it: chgrp ${oneGroup(root)} ${path} && chmod g+r ${path}; else ${plain.cure}`
  }
}

const oddName = (root: Root, { path }: Component, plain: Cure): Cure => {
  if (root.names === "unicode") {
    return {
      meaning:
        "has a hidden name, one with a character that cannot be seen, is not assigned or separates paths elsewhere, " +
        "or one with a dot or space at its end",
      cure: plain.cure
    }
  }
  return servedBy.unicode(nameOf(path))
    ? { ...plain, cure: `${plain.cure}, or set names to "unicode" (policy version 2), which serves such names` }
    : plain
}

/** As `cureFor`, for what lies below a root. */
export const cureBelow = (root: Root, rule: string, component: Component): Cure => {
  const plain = cureFor(rule, component)
  switch (rule) {
    case "hard_link":
      return hardLink(root, component, plain)
    case "odd_name":
      return oddName(root, component, plain)
    case "foreign_owner":
      return root.trust.groups.size === 0
        ? plain
        : {
            meaning: "belongs to another user and to no group that trust.groups accepts",
            cure: ofMember(root)(component)
          }
    default:
      return plain
  }
}
