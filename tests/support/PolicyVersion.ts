/**
 * The version in which the policies of version 1's own suite are written. (design.md section 7 "each key defaults to
 * version 1's behaviour, `ranking` excepted")
 *
 * Version 2 ranked by path is version 1 under another name, so the suites named in `vitest.config.ts` run once in each.
 * This is the only place that asks which of the two it is.
 */
const second = process.env["MEMORY_BRIDGE_TEST_POLICY"] === "version 2 by path"

/** The keys that say so, unless a test's own changes name a version. */
export const versionBeside = (changes: object = {}): object =>
  "version" in changes ? {} : second ? { version: 2, ranking: "path" } : { version: 1 }

/** Runs of a property: all of them in version 1, and in the other a quarter of the same ones. */
export const runsInVersion = (runs: number): number => (second ? Math.ceil(runs / 4) : runs)

export const inVersion1 = !second
