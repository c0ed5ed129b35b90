/**
 * Memory of what was asked for lately, bounded by the number of entries. (design.md section 8; recall-contract.md
 * "hy-memory-seen.json")
 *
 * A map keeps its keys in the order in which they were set, so one that is deleted and set again is the newest.
 */

/** Leaves the `most` newest entries of a map. */
export const keepNewest = <Key>(map: Map<Key, unknown>, most: number): void => {
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
