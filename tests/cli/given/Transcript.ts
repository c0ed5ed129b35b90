/** Commands and what they wrote, as one would see it in a terminal. */
import { fromSource, type Program, run } from "./Cli.ts"
import { masked } from "./Folder.ts"

/** Runs each in the folder, whose path is masked; what goes to standard error is marked, and the exit code is last. */
export const transcript = (
  made: string,
  commands: ReadonlyArray<ReadonlyArray<string>>,
  program: Program = fromSource,
  env: Readonly<Record<string, string>> = {}
): string =>
  commands
    .map((args) => {
      const { code, stderr, stdout } = run(program, args, { cwd: made, env })
      const shown = args.map((arg) => (/[\s"]/.test(arg) ? JSON.stringify(arg) : arg)).join(" ")
      return masked(`$ memory-bridge ${shown}\n${stdout}${stderr.replace(/^(?=.)/gm, "2> ")}(${code})\n`, made)
    })
    .join("\n")
