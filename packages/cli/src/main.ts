/** `memory-bridge`: what is plugged into what. (style.md, "wire layers in one place") */
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import * as NodeStdio from "@effect/platform-node-shared/NodeStdio"
import * as NodeTerminal from "@effect/platform-node-shared/NodeTerminal"
import { Notes } from "@memory-bridge/core/notes/Notes"
import { PolicyStore } from "@memory-bridge/core/policy/PolicyStore"
import { Command } from "effect/cli"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Connect from "./commands/Connect.ts"
import * as Demo from "./commands/Demo.ts"
import * as Disconnect from "./commands/Disconnect.ts"
import * as Doctor from "./commands/Doctor.ts"
import * as Explain from "./commands/Explain.ts"
import * as ExplainCall from "./commands/ExplainCall.ts"
import * as Guardian from "./commands/Guardian.ts"
import * as Init from "./commands/Init.ts"
import * as Mcp from "./commands/Mcp.ts"
import * as PolicyCheck from "./commands/PolicyCheck.ts"
import * as Read from "./commands/Read.ts"
import * as Recall from "./commands/Recall.ts"
import { root, run } from "./commands/Root.ts"
import * as Search from "./commands/Search.ts"
import * as Try from "./commands/Try.ts"
import { teardown, watchSignals } from "./Exit.ts"
import { layerFor } from "./Platform.ts"
import { reportEnd } from "./Report.ts"
import { Screen } from "./screen/Screen.ts"

const node = NodeChildProcessSpawner.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeStdio.layer, NodeTerminal.layer))
)

const core = Layer.mergeAll(Notes.layer, PolicyStore.layer).pipe(Layer.provideMerge(layerFor(process.platform)))

const program = root.pipe(
  Command.withSubcommands([
    Search.command,
    Read.command,
    Try.command,
    Init.command,
    PolicyCheck.command,
    Explain.command,
    ExplainCall.command,
    Doctor.command,
    Connect.command,
    Disconnect.command,
    Demo.command,
    Guardian.command,
    Recall.command,
    Mcp.command
  ]),
  Command.provide(core),
  run,
  reportEnd,
  Effect.provide(Screen.layer.pipe(Layer.provideMerge(node)))
)

watchSignals()
NodeRuntime.runMain(program, { disableErrorReporting: true, teardown })
