/**
 * What strace wrote (`-f -y -o FILE`), line by line, strictly: a line of no known form is an error and nothing is
 * guessed. A call that was interrupted by another thread's is put together again.
 */

export interface Call {
  readonly process: number
  readonly name: string
  /** Between the outer brackets, as written. */
  readonly args: ReadonlyArray<string>
  /** As written: a number, a number with what it stands for, or `?` where the process ended in the middle. */
  readonly result: string
  /** In which it stands in the file, from 1. */
  readonly line: number
}

export interface Trace {
  readonly calls: ReadonlyArray<Call>
  /** Lines of no known form. */
  readonly unparsed: ReadonlyArray<string>
}

const withProcess = /^(\d+) +(\S.*)$/
const ended = /^\+\+\+ (?:exited with \d+|killed by SIG\w+(?: \(core dumped\))?) \+\+\+$/
const signalled = /^--- SIG\w+ \{.*\} ---$/
const unfinished = /^([a-z]\w*)\((.*) <unfinished \.\.\.>$/
const resumed = /^<\.\.\. ([a-z]\w*) resumed>(.*)$/
const whole = /^([a-z]\w*)\((.*)\) += (.+)$/
const result = /^(?:\?|-?\d+(?:<.*>)?|0x[0-9a-f]+)(?: E[A-Z0-9]+ \(.*\))?(?: \(.*\))?$/

/** Splits at the commas that stand in no bracket and in no string. `undefined` where something is left open. */
export const splitArguments = (text: string): ReadonlyArray<string> | undefined => {
  if (text === "") return []
  const parts: Array<string> = []
  let start = 0
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (quoted) {
      if (character === "\\") at += 1
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if ("([{".includes(character)) depth += 1
    else if (")]}".includes(character)) depth -= 1
    else if (character === "," && depth === 0) {
      parts.push(text.slice(start, at).trim())
      start = at + 1
    }
    if (depth < 0) return undefined
  }
  parts.push(text.slice(start).trim())
  return depth === 0 && !quoted ? parts : undefined
}

export const parseTrace = (text: string): Trace => {
  const calls: Array<Call> = []
  const unparsed: Array<string> = []
  const begun = new Map<number, { readonly name: string; readonly args: string }>()

  const finish = (process: number, text: string, line: number): boolean => {
    const [, name, inside, outcome] = whole.exec(text) ?? []
    if (name === undefined || inside === undefined || outcome === undefined || !result.test(outcome)) return false
    const args = splitArguments(inside.replace(/ <unfinished \.\.\.>$/, ""))
    if (args === undefined) return false
    calls.push({ process, name, args, result: outcome, line })
    return true
  }

  const take = (process: number, rest: string, line: number): boolean => {
    if (ended.test(rest)) {
      // What the process never came back from was begun all the same.
      const left = begun.get(process)
      begun.delete(process)
      return left === undefined || finish(process, `${left.name}(${left.args}) = ?`, line)
    }
    if (signalled.test(rest)) return true
    const [, first, args] = unfinished.exec(rest) ?? []
    if (first !== undefined && args !== undefined) {
      if (begun.has(process)) return false
      begun.set(process, { name: first, args })
      return true
    }
    const [, again, more] = resumed.exec(rest) ?? []
    if (again === undefined || more === undefined) return finish(process, rest, line)
    const before = begun.get(process)
    begun.delete(process)
    return before?.name === again && finish(process, `${again}(${before.args}${more}`, line)
  }

  for (const [index, written] of text.split("\n").entries()) {
    if (written === "") continue
    const [, process, rest] = withProcess.exec(written) ?? []
    if (process === undefined || rest === undefined || !take(Number(process), rest, index + 1)) unparsed.push(written)
  }
  for (const [process, { args, name }] of begun) unparsed.push(`${process} ${name}(${args} is never finished`)
  return { calls, unparsed }
}

/** The path or kind that `-y` shows for a descriptor, `3</etc>` or `AT_FDCWD</>`. */
export const describedAs = (argument: string): { readonly number: string; readonly shown: string } => {
  const [, number = argument, shown = ""] = /^(AT_FDCWD|\d+)<(.*)>$/s.exec(argument) ?? []
  return { number, shown }
}

/** A string argument; `undefined` where it is none or was cut. Escapes are kept: no rule speaks of such a name. */
export const stringOf = (argument: string | undefined): string | undefined => /^"(.*)"$/s.exec(argument ?? "")?.[1]
