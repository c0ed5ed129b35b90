/** What `init` asks, shows and says. */
import { quote, show } from "../operator/Quote.ts"
import type { Survey } from "../operator/doctor/Survey.ts"
import { surveyText } from "./ExplainText.ts"
import type { Look } from "./Results.ts"
import { wrap } from "./Wrap.ts"

export const askRoot = "Folder of notes: "
export const askAllow = "Patterns to allow [**/*.md]: "
export const askDeny = "Patterns to deny [none]: "
export const askWrite = "Write it? [y/N] "

export const existsText = (path: string): string =>
  [
    "memory-bridge: There is a policy already, and it is never written over.",
    `  component  ${show(path)}`,
    `  cure       edit it, then check it: memory-bridge policy check ${quote(path)}`,
    ""
  ].join("\n")

/** The file as it would be, and what an agent would see through it. */
export const aboutToWrite = (path: string, text: string, survey: Survey, look: Look): string =>
  [
    ...wrap(`Policy for ${show(path)}:`, look.width).map(look.paint.strong),
    text.trimEnd(),
    ...wrap("With it, an agent of this profile would see:", look.width).map(look.paint.strong),
    ...surveyText(survey, look),
    ""
  ].join("\n")

export const writtenText = (path: string, home: string, look: Look): string =>
  [
    ...wrap(`Written to ${show(path)}, for your eyes alone (0600).`, look.width).map(look.paint.good),
    "It is read on every call. To see how all stands:",
    `  memory-bridge doctor --profile ${quote(home)}`,
    ""
  ].join("\n")
