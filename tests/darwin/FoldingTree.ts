/**
 * A tree on a volume that is blind to case and to the Unicode form: whatever name is asked for, the entry that a listing
 * shows under a like name opens. Like means here what APFS and HFS+ can at most take for like, so more than either does.
 */
import { type DirectoryHandle, isFault, Tree, type Walk } from "@memory-bridge/core/tree/Tree"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const alike = (name: string): string => name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC")

const every = 100_000

const folding = (walk: Walk): Walk => {
  const stored = (parent: DirectoryHandle, name: string): string => {
    const listing = walk.list(parent, every)
    if (listing === "too_many" || isFault(listing)) return name
    return listing.entries.find((entry) => alike(entry.name) === alike(name))?.name ?? name
  }
  return {
    ...walk,
    directory: (parent, name, rule) => walk.directory(parent, stored(parent, name), rule),
    file: (parent, name, rule) => walk.file(parent, stored(parent, name), rule)
  }
}

export const foldingTree = (tree: Layer.Layer<Tree>): Layer.Layer<Tree> =>
  Layer.effect(
    Tree,
    Effect.map(Tree, ({ walk }) => Tree.of({ walk: Effect.map(walk, folding) }))
  ).pipe(Layer.provide(tree))
