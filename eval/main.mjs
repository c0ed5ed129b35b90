#!/usr/bin/env node
/**
 * How well search answers: judged queries over the notes in this folder, ours beside others. `npm run eval`
 *
 * Needs Node 24, Linux and nothing else. Peers are asked where they are installed: see Peers.ts.
 */
import { report } from "./Report.ts"

if (!(await report((text) => process.stdout.write(`${text}\n`)))) process.exitCode = 1
