/** A proposed policy in sentences: what it does, and what it does not do although one might think so. */
import { inspectedTools } from "../guard/Inspection.ts"
import { commandNames } from "../guard/Terminal.ts"
import type { ProposalData } from "./ProposalData.ts"

const tool: Readonly<Record<string, string>> = {
  read_file: "Reading files (read_file)",
  write_file: "Writing whole files (write_file)",
  patch: "Changing parts of files (patch)",
  terminal: `The terminal commands ${commandNames.join(", ")}`
}

const outcome = { allow: "without asking", approve: "after a person was asked", block: "never" } as const

const strength = { allow: 0, approve: 1, block: 2 } as const

/** One rule for a tool that several rules name: the strongest. */
const byTool = ({ rules }: ProposalData): ReadonlyMap<string, keyof typeof outcome> => {
  const actions = new Map<string, keyof typeof outcome>()
  for (const { action, tool: name } of rules) {
    const before = actions.get(name)
    if (before === undefined || strength[action] > strength[before]) actions.set(name, action)
  }
  return actions
}

export const inWords = (data: ProposalData): ReadonlyArray<string> => {
  const actions = byTool(data)
  return [
    ...[...actions].map(([name, action]) => {
      const known = inspectedTools.includes(name)
      const spoken = known ? tool[name] : `The tool ${name}, judged by its name alone`
      return `${spoken ?? name}: ${outcome[action]}${known && action !== "block" ? ", outside protected paths" : ""}.`
    }),
    ...data.protected_paths.map(
      ({ action, path }) => `Every use of ${path}, of what it holds and of what holds it: ${outcome[action]}.`
    ),
    `Every tool not named here: ${outcome[data.default_action]}.`
  ]
}

export const notDone = (data: ProposalData): ReadonlyArray<string> => {
  const actions = byTool(data)
  const action = (name: string) => actions.get(name) ?? data.default_action
  const isOpen = (name: string) => action(name) !== "block"
  const opened = [...actions].filter(([name, given]) => given !== "block" && !inspectedTools.includes(name))
  return [
    "It is a check before the call, not a sandbox: what runs outside the agent's tools is not seen.",
    ...(isOpen("write_file") || isOpen("patch")
      ? ["Editing is not limited to a folder, and whoever may overwrite a file may empty it."]
      : []),
    ...(isOpen("terminal")
      ? ["Terminal commands have one rule: reading, copying, moving and deleting go together."]
      : []),
    ...(opened.length > 0
      ? [`Protected paths do not hold for ${opened.map(([name]) => name).join(", ")}: the guard sees a name only.`]
      : []),
    ...([...actions.values(), data.default_action].includes("approve") ||
    data.protected_paths.some((rule) => rule.action === "approve")
      ? [
          "Asking is up to the host: its automatic approval modes answer without a person. Use block for what must not be."
        ]
      : [])
  ]
}
