/**
 * The MCP server, and the reader below it: one file, started twice. (issue 7 item 5, issue 8 item 4)
 *
 * Its one argument is the home whose policy decides. `memory-bridge mcp` starts it with the flags of Node's permission
 * model, and so does it start the reader.
 *
 * Built as one CommonJS file; see Fences.ts of the sidecar for why it must not become an ES module.
 */
import { run } from "./Process.ts"

const [, script = "", home = "", mark] = process.argv

void run(script, home, mark)
