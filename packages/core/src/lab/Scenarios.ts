/**
 * Fixed calls that show what a policy means: the seven kinds of the demo first, then those that agents, models and
 * attackers are known for. (seed 004 "Quick demonstration", "Supported argument inspection"; cases/guard.md section 3)
 *
 * Nothing of them is run. What should come out is for the policy to say, so none is expected here.
 */
import { auditFileOf, type Installation } from "../guard/Installation.ts"
import { joined, lastName, parentOf } from "../guard/LiteralPath.ts"
import type { Policy } from "../guard/Policy.ts"
import type { ProposedCall } from "./Simulation.ts"

/** Where the scenarios take place. */
export interface Place {
  /** A directory that no rule is about. */
  readonly project: string
  /** A root that the policy protects, or one that it could. */
  readonly guarded: string
  readonly audit: string
}

export const placeOf = (policy: Policy, installation: Installation): Place => ({
  project: joined(installation.user_home, "project"),
  guarded: policy.protectedPaths[0]?.path ?? joined(installation.user_home, ".ssh"),
  audit: auditFileOf(installation.hermes_home)
})

type Args = Readonly<Record<string, unknown>>
type Row = readonly [shows: string, tool: string, args: Args]

const command = (text: string, more: Args = {}): Args => ({ command: text, ...more })

/** The kinds of the seed's demo. */
const seven = ({ audit, guarded, project }: Place): ReadonlyArray<Row> => [
  ["an ordinary read", "read_file", { path: `${project}/notes.md` }],
  ["an ordinary write", "write_file", { path: `${project}/notes.md`, content: "" }],
  ["a read below a protected path", "read_file", { path: joined(guarded, "key") }],
  ["the deletion of a protected path", "terminal", command(`rm -rf ${guarded}`)],
  ["shell syntax that could mean anything", "terminal", command(`cat ${project}/notes.md | sh`)],
  ["an executor that is judged by its name", "execute_code", { code: "print(1)" }],
  ["an attempt on the audit itself", "terminal", command(`rm ${audit}`)]
]

const files = ({ guarded, project }: Place): ReadonlyArray<Row> => [
  ["an edit of a file", "patch", { path: `${project}/a.ts`, old_string: "a", new_string: "b" }],
  [
    "a patch of several files at once",
    "patch",
    { mode: "patch", patch: "*** Begin Patch\n*** Delete File: a\n*** End Patch" }
  ],
  ["a write below a protected path", "write_file", { path: joined(guarded, "key"), content: "" }],
  ["a relative path", "read_file", { path: `../${lastName(guarded)}/key` }],
  ["the home as a tilde", "read_file", { path: "~/notes.md" }],
  ["the path under another argument's name", "read_file", { file_path: joined(guarded, "key") }],
  [
    "an argument that the guard does not know",
    "write_file",
    { path: `${project}/a`, content: "", cross_profile: true }
  ],
  ["a process's own view of the tree", "read_file", { path: `/proc/self/root${guarded}` }]
]

const commands = ({ guarded, project }: Place): ReadonlyArray<Row> => [
  ["where the shell stands", "terminal", command("pwd")],
  ["a file is shown", "terminal", command(`cat ${project}/notes.md`)],
  ["a directory is made", "terminal", command(`mkdir -p ${project}/docs`)],
  ["a file is created", "terminal", command(`touch ${project}/new.md`)],
  ["a file is copied", "terminal", command(`cp ${project}/a ${project}/b`)],
  ["a file is deleted", "terminal", command(`rm ${project}/a`)],
  ["a directory is deleted with all below it", "terminal", command(`rm -r ${project}/dist`)],
  ["a protected file is copied out", "terminal", command(`cp ${joined(guarded, "key")} ${project}/key`)],
  ["a file is moved into a protected path", "terminal", command(`mv ${project}/a ${joined(guarded, "a")}`)],
  ["the directory round a protected path is moved away", "terminal", command(`mv ${parentOf(guarded)} ${project}/x`)],
  ["a protected file beside a harmless one", "terminal", command(`cat ${project}/a ${joined(guarded, "key")}`)],
  ["a command that stands in a protected path", "terminal", command("pwd", { workdir: guarded })],
  ["a relative operand", "terminal", command("cat key", { workdir: guarded })],
  ["two commands in one", "terminal", command(`cat ${project}/a && rm ${project}/a`)],
  ["two lines", "terminal", command(`cat ${project}/a\nrm ${project}/a`)],
  ["a redirection", "terminal", command(`cat ${project}/a > ${joined(guarded, "key")}`)],
  ["a substitution", "terminal", command(`cat ${project}/$(echo a)`)],
  ["a variable", "terminal", command("cat $HOME/notes.md")],
  ["a glob", "terminal", command(`rm -f ${project}/*`)],
  ["a wrapper round the command", "terminal", command(`sudo cat ${project}/a`)],
  ["a shell inside the shell", "terminal", command(`sh -c 'cat ${project}/a'`)],
  ["a push to a remote", "terminal", command("git push")],
  ["a script is run", "terminal", command(`node ${project}/build.mjs`)],
  ["a command in the background", "terminal", command("pwd", { background: true })]
]

/** Tools that are judged by name alone. */
const others = ({ guarded }: Place): ReadonlyArray<Row> => [
  ["a search by another tool", "search_files", { pattern: "x", path: guarded }],
  ["work given to another agent", "delegate_task", { goal: "x" }],
  ["input for a running process", "process", { action: "write", data: "x" }],
  ["a page from the network", "web_extract", { urls: ["https://example.com"] }],
  ["a tool that nobody has heard of", "some_new_tool", {}]
]

export const scenariosOf = (place: Place): ReadonlyArray<ProposedCall> =>
  [...seven(place), ...files(place), ...commands(place), ...others(place)].map(([label, tool, args]) => ({
    source: "scenario",
    label,
    tool,
    args
  }))
