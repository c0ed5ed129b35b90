/**
 * What an operator should know of a policy that serves as it says: how many, one example, and what to do. For `doctor` and
 * `policy check`. (issue 8: names, twins, linked notes, members' notes)
 */
import type { Policy } from "@memory-bridge/core/policy/Policy"
import { type Root, rootsOf } from "@memory-bridge/core/policy/Roots"
import { spelledOut } from "./doctor/Spelling.ts"
import type { Notice, Noticed, Survey } from "./doctor/Survey.ts"
import { quote, show } from "./Quote.ts"
import { cureBelow, oneGroup, parentOf } from "./RootCure.ts"
import { below } from "./Steps.ts"

export interface Told {
  readonly notice: Notice
  readonly text: string
  readonly cure: string
}

/** The root of an id of a survey, and the absolute path; a directory's slash is dropped. */
export const placeOfExample = (policy: Policy, example: string): { readonly root: Root; readonly path: string } => {
  const root = rootsOf(policy).find(({ prefix }) => example.startsWith(prefix)) ?? policy
  const inRoot = example.slice(root.prefix.length).replace(/\/$/, "")
  return { root, path: inRoot === "" ? root.root : below(root.root, inRoot) }
}

/** A shell word with every byte that is not ASCII as an escape: a terminal may compose what is pasted into it. */
const byBytes = (path: string): string =>
  /^[\x20-\x7e]*$/.test(path)
    ? quote(path)
    : `$'${Array.from(new TextEncoder().encode(path), (byte) =>
        byte < 0x20 || byte > 0x7e
          ? `\\x${byte.toString(16).padStart(2, "0")}`
          : (byte === 0x27 || byte === 0x5c ? "\\" : "") + String.fromCharCode(byte)
      ).join("")}'`

/** With its last name in NFC. */
const composed = (path: string): string => {
  const end = path.lastIndexOf("/") + 1
  return path.slice(0, end) + path.slice(end).normalize("NFC")
}

const counted = (count: number, one: string, several: string): string =>
  count === 1 ? `1 ${one}` : `${count} ${several}`

const words: Readonly<Record<Notice, (policy: Policy, noticed: Noticed) => Omit<Told, "notice">>> = {
  not_composed: (policy, { count, examples: [example = ""] }) => {
    const { path } = placeOfExample(policy, example)
    return {
      text: `${counted(count, "served name is", "served names are")} not in NFC, so a host that normalises text cannot read back the id: ${show(spelledOut(example))}`,
      cure: `mv -n ${byBytes(path)} ${byBytes(composed(path))}`
    }
  },
  twins: (_, { count, examples }) => ({
    text: `${count} served names differ from another of their directory in case or Unicode form alone: ${examples.map((example) => show(spelledOut(example))).join(" and ")}`,
    cure: "rename one of the two, if one is meant"
  }),
  linked: (policy, { count, examples: [example = ""] }) => {
    const { path, root } = placeOfExample(policy, example)
    return {
      text: `${counted(count, "served note has", "served notes have")} more than one name (trust.hard_links), and each permitted name is served: ${show(example)}`,
      cure: `find ${quote(root.root)} -samefile ${quote(path)}`
    }
  },
  no_setgid: (policy, { count, examples: [example = ""] }) => {
    const { path, root } = placeOfExample(policy, example)
    const directory = quote(parentOf(path))
    return {
      text: `${counted(count, "entry of another user is", "entries of other users are")} not served, and the directory lacks the setgid bit that gives its group to what members make in it: ${show(example)}`,
      cure: `chgrp ${oneGroup(root)} ${directory} && chmod g+s ${directory}`
    }
  }
}

export const noticesOf = (policy: Policy, { noticed }: Survey): ReadonlyArray<Told> =>
  noticed.map((each) => ({ notice: each.notice, ...words[each.notice](policy, each) }))

/** The cures of what is skipped, where it may be otherwise than the policy means it. */
export const skippedCures = (
  policy: Policy,
  { skipped }: Survey
): ReadonlyArray<readonly [reason: string, cure: string]> =>
  skipped
    .filter(({ reason }) => reason === "hard_link" || reason === "foreign_owner")
    .map(({ example, reason }) => {
      const { path, root } = placeOfExample(policy, example)
      const part = example.endsWith("/") ? "directory" : "note"
      return [reason, cureBelow(root, reason, { part, path }).cure]
    })
