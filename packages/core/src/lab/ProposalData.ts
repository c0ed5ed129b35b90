/**
 * A proposed policy as the settings have it, and as text: JSON for programs, a YAML fragment for the operator to paste.
 *
 * The fields come in one order, so equal proposals are equal bytes. YAML takes a JSON string as a string, so nothing in
 * a `why` can become structure.
 */
import type { Action } from "../guard/Decision.ts"

export interface ProposedRule {
  readonly tool: string
  readonly action: Action
  readonly why: string
}

export interface ProposedPath {
  readonly path: string
  readonly action: Exclude<Action, "allow">
  readonly why: string
}

export interface ProposalData {
  readonly default_action: Action
  readonly rules: ReadonlyArray<ProposedRule>
  readonly protected_paths: ReadonlyArray<ProposedPath>
}

const ordered = ({ default_action, protected_paths, rules }: ProposalData): ProposalData => ({
  default_action,
  rules: rules.map(({ action, tool, why }) => ({ tool, action, why })),
  protected_paths: protected_paths.map(({ action, path, why }) => ({ path, action, why }))
})

export const toJson = (data: ProposalData): string => `${JSON.stringify(ordered(data), undefined, 2)}\n`

const listed = (key: string, items: ReadonlyArray<ReadonlyArray<readonly [string, string]>>): ReadonlyArray<string> =>
  items.length === 0
    ? [`${key}: []`]
    : [
        `${key}:`,
        ...items.flatMap((fields) =>
          fields.map(([name, value], index) => `  ${index === 0 ? "-" : " "} ${name}: ${JSON.stringify(value)}`)
        )
      ]

/** Where the host's config.yaml has it, merged by hand into what stands there. */
export const toYaml = (data: ProposalData): string => {
  const policy = [
    `default_action: ${data.default_action}`,
    ...listed(
      "rules",
      data.rules.map(({ action, tool, why }) => [
        ["tool", tool],
        ["action", action],
        ["why", why]
      ])
    ),
    ...listed(
      "protected_paths",
      data.protected_paths.map(({ action, path, why }) => [
        ["path", path],
        ["action", action],
        ["why", why]
      ])
    )
  ]
  const keys = ["plugins", "entries", "hermes-guardian", "settings", "policy"]
  return [
    ...keys.map((key, depth) => `${"  ".repeat(depth)}${key}:`),
    ...policy.map((line) => "  ".repeat(keys.length) + line),
    ""
  ].join("\n")
}
