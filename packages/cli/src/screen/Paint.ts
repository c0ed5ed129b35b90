/** The few styles in use. Without colour every style is the text itself, so that no reader depends on them. */
export interface Paint {
  readonly strong: (text: string) => string
  readonly dim: (text: string) => string
  readonly match: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
}

const style =
  (on: number, off: number) =>
  (text: string): string =>
    `\u001b[${on}m${text}\u001b[${off}m`

const same = (text: string): string => text

export const plain: Paint = { strong: same, dim: same, match: same, good: same, bad: same }

export const coloured: Paint = {
  strong: style(1, 22),
  dim: style(2, 22),
  match: style(33, 39),
  good: style(32, 39),
  bad: style(31, 39)
}
