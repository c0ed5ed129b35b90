/** Holds a trace to the rules. */
import type { Rules } from "./Rules.ts"
import { type Call, parseTrace } from "./Strace.ts"

export interface Verdict {
  readonly calls: number
  /** Of the calls after the start: how many opens. */
  readonly opens: number
  readonly after: number
  readonly problems: ReadonlyArray<string>
}

/** The sidecar's own log line that its start is over. */
const isStarted = ({ args, name }: Call): boolean =>
  name === "write" && (args[0] ?? "").startsWith("2<") && (args[1] ?? "").includes('\\"code\\":\\"started\\"')

const shown = ({ args, line, name }: Call): string => `line ${line}: ${name}(${args.join(", ").slice(0, 160)})`

export const judge = (text: string, { after, start }: Rules): Verdict => {
  const { calls, unparsed } = parseTrace(text)
  const problems = unparsed.map((line) => `not understood: ${line.slice(0, 200)}`)
  const begin = calls.findIndex(isStarted)
  if (begin < 0) problems.push("the sidecar never started")
  const first = calls[0]
  if (first?.name !== "execve") problems.push("does not begin with the program's own start")
  let opens = 0
  for (const [index, call] of calls.entries()) {
    if (index === 0) continue
    const started = index > begin
    if (started && call.name.startsWith("open")) opens += 1
    const rule = (started ? after : start).get(call.name)
    const problem = rule === undefined ? "is not allowed" : rule(call)
    if (problem !== undefined) problems.push(`${shown(call)}: ${problem}`)
  }
  return { calls: calls.length, opens, after: calls.length - begin - 1, problems }
}
