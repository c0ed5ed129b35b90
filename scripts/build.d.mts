/** Types of build.mjs for the tests that build. */

/** Bundles `entry` into one CommonJS `file`; answers with the folders of the packages that went in. */
export const bundle: (entry: string, file: string) => Promise<ReadonlyArray<string>>

/** Builds everything under `out`, by default `dist`; answers with the folders that were made. */
export const build: (out?: string) => Promise<ReadonlyArray<string>>
