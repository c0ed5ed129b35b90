/** Something that is run once without a fault and then once with each fault at each use of each function. */
import { type Fault, type Plan, real, underPlan } from "./Injection.ts"
import { type Kind, kindsFor } from "./Plans.ts"

export interface Program {
  readonly title: string
  /** In force in every run. */
  readonly plan: Plan
  /** Puts everything back to how it was at first; no fault strikes here. */
  readonly reset?: () => void | Promise<void>
  readonly run: () => unknown
  /** Whether it reads again what changed once, and may then answer with what is there. */
  readonly readsAgain?: true
  readonly baselineDefect: (baseline: unknown) => string | undefined
  /** What is wrong with the outcome under a fault. */
  readonly defect: (
    baseline: unknown,
    outcome: unknown,
    promise: Kind["promise"]
  ) => string | undefined | Promise<string | undefined>
}

export interface Findings {
  runs: number
  /** Runs by function. */
  readonly functions: Map<string, number>
  readonly defects: Array<string>
}

const descriptors = (): number => real.readdirSync("/proc/self/fd").length

/** What is made of a call is made of what stands in for it in every run. */
const over = (fault: Fault, always: Fault | undefined): Fault =>
  always !== undefined && "instead" in always && "instead" in fault
    ? { instead: (args, perform) => fault.instead(args, (...given) => always.instead(given, perform)) }
    : fault

/** `oneIn`: of all combinations, only each so many-th. */
export const strike = async (program: Program, oneIn: number, findings: Findings): Promise<void> => {
  const { plan, title } = program
  // The first run may load and bind what later ones find.
  await program.reset?.()
  await program.run()
  await program.reset?.()
  const { result: baseline, uses } = await underPlan(plan, () => program.run())
  const wrong = program.baselineDefect(baseline)
  if (wrong !== undefined) findings.defects.push(`${title}: ${wrong}`)
  let turn = findings.runs

  const once = async (name: string, use: number, kind: Kind): Promise<void> => {
    await program.reset?.()
    const before = descriptors()
    const strikes = (at: number) => (kind.when === "once" ? at === use : at >= use)
    const said = `${title}: ${name} ${use} ${kind.title} ${kind.when}`
    findings.runs += 1
    findings.functions.set(name, (findings.functions.get(name) ?? 0) + 1)
    try {
      const { result } = await underPlan(
        (other, at) => (other === name && strikes(at) ? over(kind.fault, plan(other, at)) : plan(other, at)),
        () => program.run()
      )
      if (descriptors() !== before) findings.defects.push(`${said}: ${descriptors() - before} descriptors left open`)
      const steady = program.readsAgain === true && kind.when === "once" && kind.promise === "changed"
      const defect = await program.defect(baseline, result, steady ? "less" : kind.promise)
      if (defect !== undefined) findings.defects.push(`${said}: ${defect}`)
    } catch (error) {
      findings.defects.push(`${said}: threw ${String(error)}`)
    }
  }

  for (const [name, count] of uses) {
    for (let use = 0; use < count; use++) {
      for (const kind of kindsFor(name)) {
        turn += 1
        if (turn % oneIn === 0) await once(name, use, kind)
      }
    }
  }
}
