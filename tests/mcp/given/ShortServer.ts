/** The server with a deadline for tests: `short-server.cjs HOME MILLISECONDS`. Nothing of it ships. */
import { runReader, runServer } from "@memory-bridge/mcp-server/Process"
import { makeReaders, readerMark } from "@memory-bridge/mcp-server/reader/Child"
import { limits } from "@memory-bridge/mcp-server/Turns"

const [, script = "", home = "", last] = process.argv

void (last === readerMark
  ? runReader()
  : runServer(home, makeReaders(script), { ...limits, deadlineMillis: Number(last) }))
