/** Groups values under a key, in their order. `Map.groupBy` does the same, from Node 21 on. */
export const groupBy = <A, K>(values: Iterable<A>, keyOf: (value: A) => K): ReadonlyMap<K, ReadonlyArray<A>> => {
  const groups = new Map<K, Array<A>>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}
