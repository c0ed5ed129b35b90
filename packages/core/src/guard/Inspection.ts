/**
 * What would a tool call touch? (seed 004 "Supported argument inspection")
 *
 * Four tools are inspected, by exact argument names and types; anything more, less or other in their arguments is
 * refused, because what is not understood may be what matters. Every other tool is judged by its name alone.
 */
import { lastName, pathDefect } from "./LiteralPath.ts"
import { type Command, isCommandRefused, parse } from "./Terminal.ts"

/**
 * - `read`, `enter` (a working directory), `create` (a directory)
 * - `write` changes the content of a file; `receive` does so, or takes the file in under its old name
 * - `remove` takes away one entry, `take` an entry with all below it
 */
export type Use = "read" | "enter" | "create" | "write" | "receive" | "remove" | "take"

export interface Operand {
  /** As the call has it; without defect. */
  readonly path: string
  readonly use: Use
  /** With `receive`: the name of what comes in, should the path be a directory. */
  readonly incoming: string
}

export interface Unsupported {
  readonly kind: "unsupported"
  readonly reason: "arguments_unsupported" | "command_unsupported"
  /** Short code for the operator: the argument and what is wrong with it, never its value. */
  readonly detail: string
}

export type Inspection =
  | { readonly kind: "by_name" }
  | { readonly kind: "paths"; readonly operands: ReadonlyArray<Operand> }
  | Unsupported

const byName: Inspection = { kind: "by_name" }

const unsupported = (detail: string, reason: Unsupported["reason"] = "arguments_unsupported"): Unsupported => ({
  kind: "unsupported",
  reason,
  detail
})

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === "string"
const isInteger: Check = (value) => Number.isSafeInteger(value)
const isFlag: Check = (value) => typeof value === "boolean"
const isSeconds: Check = (value) => typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 180

interface Argument {
  readonly required: boolean
  readonly check: Check
}

const required = (check: Check): Argument => ({ required: true, check })
const optional = (check: Check): Argument => ({ required: false, check })

type Args = Readonly<Record<string, unknown>>

interface Inspector {
  readonly args: ReadonlyMap<string, Argument>
  /** Sees only arguments that passed their checks. */
  readonly operands: (args: Args) => ReadonlyArray<Operand> | Unsupported
}

const onPath = (use: Use, args: Readonly<Record<string, Argument>>): Inspector => ({
  args: new Map([["path", required(isText)], ...Object.entries(args)]),
  operands: (given) => withoutDefect([operand(given["path"], use)], "path")
})

const operand = (path: unknown, use: Use, incoming = ""): Operand => ({ path: path as string, use, incoming })

const withoutDefect = (operands: ReadonlyArray<Operand>, name: string): ReadonlyArray<Operand> | Unsupported => {
  for (const { path } of operands) {
    const defect = pathDefect(path)
    if (defect !== undefined) return unsupported(`${name} ${defect}`)
  }
  return operands
}

const operandsOf = ({ name, operands, options }: Command): ReadonlyArray<Operand> | Unsupported => {
  switch (name) {
    case "pwd":
      return []
    case "cat":
      return operands.map((path) => operand(path, "read"))
    case "touch":
      return operands.map((path) => operand(path, "write"))
    case "mkdir":
      return operands.map((path) => operand(path, "create"))
    case "rm":
      return operands.map((path) => operand(path, options.some((option) => option.includes("r")) ? "take" : "remove"))
    case "cp":
    case "mv": {
      const [from = "/", to = "/"] = operands
      const incoming = lastName(from)
      return incoming === "" || incoming === ".."
        ? unsupported("source without a name", "command_unsupported")
        : [operand(from, name === "cp" ? "read" : "take"), operand(to, "receive", incoming)]
    }
  }
}

const terminalOperands = (args: Args): ReadonlyArray<Operand> | Unsupported => {
  const workdir = args["workdir"] === undefined ? [] : withoutDefect([operand(args["workdir"], "enter")], "workdir")
  if ("kind" in workdir) return workdir
  const command = parse(args["command"] as string)
  if (isCommandRefused(command)) return unsupported(`${command.defect} at ${command.at}`, "command_unsupported")
  const operands = operandsOf(command)
  return "kind" in operands ? operands : [...workdir, ...operands]
}

const inspectors: ReadonlyMap<string, Inspector> = new Map([
  ["read_file", onPath("read", { offset: optional(isInteger), limit: optional(isInteger) })],
  ["write_file", onPath("write", { content: required(isText) })],
  [
    "patch",
    onPath("write", {
      old_string: required(isText),
      new_string: required(isText),
      replace_all: optional(isFlag),
      mode: optional((value) => value === "replace")
    })
  ],
  [
    "terminal",
    {
      args: new Map([
        ["command", required(isText)],
        ["workdir", optional(isText)],
        ["background", optional((value) => value === false)],
        ["timeout", optional(isSeconds)]
      ]),
      operands: terminalOperands
    }
  ]
])

/** The tools that are more than a name to the guard. */
export const inspectedTools: ReadonlyArray<string> = [...inspectors.keys()]

const isArgs = (value: unknown): value is Args => typeof value === "object" && value !== null && !Array.isArray(value)

/** The name goes into no message when it is the model's own invention. */
const argumentDefect = (args: Args, known: Inspector["args"]): string | undefined => {
  for (const name of Object.keys(args)) {
    if (!known.has(name)) return "unknown argument"
  }
  for (const [name, { check, required }] of known) {
    if (!Object.hasOwn(args, name)) {
      if (required) return `${name} missing`
    } else if (!check(args[name])) {
      return `${name} invalid`
    }
  }
  return undefined
}

export const inspect = (tool: string, args: unknown): Inspection => {
  const inspector = inspectors.get(tool)
  if (inspector === undefined) return byName
  if (!isArgs(args)) return unsupported("arguments are no object")
  const defect = argumentDefect(args, inspector.args)
  if (defect !== undefined) return unsupported(defect)
  const operands = inspector.operands(args)
  return "kind" in operands ? operands : { kind: "paths", operands }
}
