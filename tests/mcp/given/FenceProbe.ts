/** The sidecar's probe, with all that the server loads loaded before it: does any of it start the thread pool early? */
export { layer } from "@memory-bridge/mcp-server/Server"
export { servicesFor } from "@memory-bridge/mcp-server/Platform"
export { runServer } from "@memory-bridge/mcp-server/Process"
export * from "../../sidecar/support/FenceProbe.ts"
