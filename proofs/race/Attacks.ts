/**
 * What is exchanged with what: each component on the way to a note, and of the way to the policy, with everything that
 * must never be followed, entered, believed or waited for. (seed 000 "Filesystem safety", design.md section 5)
 *
 * A directory that is renamed into the root by somebody whom the trust rule trusts is inside from then on, so the other
 * directories here are such as the rule refuses: open to others, somebody else's, behind a mount point.
 */
import { execFileSync } from "node:child_process"
import { chownSync, linkSync, symlinkSync } from "node:fs"
import { noteId, type Place, policyText, safeText } from "./Place.ts"

export interface Attack {
  readonly what: string
  /** Why this machine cannot do it. */
  readonly lacks?: string | undefined
  /** Builds what is put in; answers with the two entries that are exchanged. */
  readonly entries: (place: Place) => readonly [inside: string, other: string]
  /** Both entries hold the permitted note. (`openat2` still refuses one that is moved in the middle of an open.) */
  readonly alwaysServed?: true
}

export interface Machine {
  readonly root: boolean
  readonly mounts: boolean
}

type Make = (place: Place) => string

const link =
  (target: (place: Place) => string): Make =>
  (place) => {
    const path = place.at("other")
    symlinkSync(target(place), path)
    return path
  }

const fifo: Make = ({ at }) => {
  execFileSync("mkfifo", ["-m", "600", at("other")])
  return at("other")
}

/** An outside directory that holds outside notes at every depth that is asked for. */
const outside = (place: Place): string => {
  for (const path of ["note.md", "folder/note.md", noteId]) place.file(`outside/${path}`)
  return place.at("outside")
}

const openToOthers: Make = (place) => {
  for (const path of ["note.md", "folder/note.md", noteId]) place.file(`other/${path}`)
  return place.directory("other", 0o777)
}

/** Lets the caller see the whole outside, if it is believed. */
const permissive = (place: Place): string => policyText(outside(place))

const top = ({ root }: Place) => `${root}/top`
const folder = ({ root }: Place) => `${root}/top/folder`
const note = ({ root }: Place) => `${root}/${noteId}`
const root = (place: Place) => place.root
const policyDirectory = ({ home }: Place) => `${home}/plugin-data/memory-bridge`
const policyFile = (place: Place) => place.policyFile
const home = (place: Place) => place.home

const exchanged = (what: string, inside: (place: Place) => string, other: Make): Attack => ({
  what,
  entries: (place) => [inside(place), other(place)]
})

export const attacksOn = (machine: Machine): ReadonlyArray<Attack> => {
  const needsRoot = machine.root ? undefined : "root"
  const needsMounts = machine.mounts ? undefined : "the right to mount"
  return [
    exchanged(
      "note, link to an outside note",
      note,
      link((place) => place.file("outside/note.md"))
    ),
    exchanged(
      "note, link to a denied note",
      note,
      link((place) => place.file("memory/private/note.md"))
    ),
    exchanged(
      "note, link through /proc/self",
      note,
      link((place) => `/proc/self/root${place.file("outside/note.md")}`)
    ),
    exchanged("note, second name of an outside note", note, (place) => {
      linkSync(place.file("outside/note.md"), place.at("other"))
      return place.at("other")
    }),
    exchanged("note, outside note open to others", note, (place) => place.file("other", undefined, 0o666)),
    exchanged("note, FIFO", note, fifo),
    exchanged("note, directory open to others", note, openToOthers),
    exchanged("parent, link to the outside", folder, link(outside)),
    exchanged("parent, link to a denied directory", folder, (place) => {
      place.file("memory/private/note.md")
      return link(() => "../private")(place)
    }),
    exchanged("parent, directory open to others", folder, openToOthers),
    exchanged("parent, directory of second names", folder, (place) => {
      linkSync(place.file("outside/note.md"), `${place.directory("other")}/note.md`)
      return place.at("other")
    }),
    {
      what: "parent, directory with a denied one inside",
      alwaysServed: true,
      entries: (place) => {
        place.file("other/note.md", safeText)
        place.file("other/private/note.md")
        return [folder(place), place.at("other")]
      }
    },
    {
      ...exchanged("parent, somebody else's directory", folder, (place) => {
        place.file("other/note.md")
        chownSync(place.at("other"), 4242, 4242)
        return place.at("other")
      }),
      lacks: needsRoot
    },
    {
      ...exchanged("parent, directory with a mounted note", folder, (place) => {
        const point = place.file("other/note.md", "")
        place.bind(place.file("outside/note.md"), point)
        return place.at("other")
      }),
      lacks: needsMounts
    },
    exchanged("parent, FIFO", folder, fifo),
    exchanged("grandparent, link to the outside", top, link(outside)),
    exchanged("grandparent, directory open to others", top, openToOthers),
    {
      ...exchanged("grandparent, directory with a mounted one", top, (place) => {
        const point = place.directory("other/folder")
        place.bind(outside(place), point)
        return place.at("other")
      }),
      lacks: needsMounts
    },
    exchanged("root, link to the outside", root, link(outside)),
    exchanged("root, directory open to others", root, openToOthers),
    exchanged("root, FIFO", root, fifo),
    exchanged(
      "policy, link to a permissive one",
      policyFile,
      link((place) => place.file("else.json", permissive(place)))
    ),
    exchanged("policy, permissive one open to others", policyFile, (place) =>
      place.file("other", permissive(place), 0o666)
    ),
    exchanged("policy, FIFO", policyFile, fifo),
    exchanged("policy, directory", policyFile, ({ directory }) => directory("other")),
    exchanged("policy's directory, link to another", policyDirectory, (place) => {
      place.file("else/policy.json", permissive(place))
      return link(({ at }) => at("else"))(place)
    }),
    exchanged("home, link to another", home, (place) => {
      place.file("else/plugin-data/memory-bridge/policy.json", permissive(place))
      return link(({ at }) => at("else"))(place)
    })
  ]
}
