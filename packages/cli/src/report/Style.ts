/**
 * How the page looks: on a phone, on a desk and on paper, by day and by night. (issue 5 item 6)
 *
 * No verdict is told by colour alone, and every pair of colours has a contrast of 4.5 to 1 or more. Paper is always
 * light, has no navigation, and shows what is folded away on a screen.
 */

const light = `
  --page: #fbfaf6; --sheet: #ffffff; --ink: #1d1c1a; --quiet: #5a564e; --line: #ddd8cc; --accent: #27506e;
  --allow: #14603a; --allow-tint: #e6f3ea; --approve: #704600; --approve-tint: #faefd6;
  --block: #96211c; --block-tint: #fae8e5;`

const dark = `
  --page: #171613; --sheet: #201f1b; --ink: #edeae2; --quiet: #b0aa9d; --line: #3d3a33; --accent: #9cc7e6;
  --allow: #8ed6a9; --allow-tint: #17301f; --approve: #eec276; --approve-tint: #35280d;
  --block: #f4a59c; --block-tint: #3c1a17;`

export const style = `
:root { color-scheme: light dark; ${light} }
@media screen and (prefers-color-scheme: dark) { :root { ${dark} } }
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere;
}
.sheet { max-width: 58rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 2.5rem) 4rem; }
h1, h2, h3, .lead { font-family: "Iowan Old Style", "Palatino Linotype", Palatino, Charter, Georgia, serif; text-wrap: balance; }
h1 { font-size: clamp(1.9rem, 1.4rem + 2.4vw, 2.75rem); line-height: 1.12; font-weight: 600; margin: 0 0 .9rem; letter-spacing: -.012em; }
h2 { font-size: 1.5rem; line-height: 1.25; font-weight: 600; margin: 0 0 .75rem; }
h3 { font-size: 1.08rem; line-height: 1.35; font-weight: 600; margin: 0; }
p { margin: 0 0 1rem; max-width: 42rem; }
.quiet, caption { color: var(--quiet); }
.eyebrow { margin: 0 0 .75rem; font-size: .8125rem; letter-spacing: .07em; text-transform: uppercase; color: var(--quiet); }
.lead { font-size: clamp(1.125rem, 1rem + .6vw, 1.3rem); line-height: 1.45; margin-bottom: 1.75rem; }
code, .mono { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875em; unicode-bidi: isolate; }
a { color: var(--accent); text-underline-offset: .2em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; border-radius: 2px; }
.skip { position: absolute; left: 1rem; top: -6rem; padding: .5rem 1rem; background: var(--ink); color: var(--page); z-index: 1; }
.skip:focus { top: 1rem; }
header { padding: clamp(2rem, 6vw, 4rem) 0 0; }
nav { border-block: 1px solid var(--line); padding: .65rem 0; margin: 2rem 0 0; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: 0; padding: 0; font-size: .9375rem; }
nav a { display: inline-block; padding: .25rem 0; }
section { padding-top: clamp(2.25rem, 5vw, 3.25rem); scroll-margin-top: 1rem; }
.tally { display: grid; grid-template-columns: repeat(4, 1fr); gap: 1px; margin: 0 0 1.5rem; background: var(--line); border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
.tally > div { background: var(--sheet); padding: .85rem 1rem; display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.tally dt { font-size: .875rem; line-height: 1.35; color: var(--quiet); }
.tally dd { margin: 0; font-size: 1.75rem; line-height: 1.2; font-variant-numeric: tabular-nums; font-weight: 600; }
.tally .bad dd { color: var(--block); }
.facts { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: .3rem 1rem; margin: 0; font-size: .9375rem; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; }
.facts dd p { margin: 0; }
.cards { list-style: none; margin: 1.25rem 0 0; padding: 0; display: grid; gap: .9rem; }
.card { background: var(--sheet); border: 1px solid var(--line); border-left: 4px solid var(--line); border-radius: 6px; padding: 1rem 1.15rem 1.1rem; }
.card.weaker { border-left-color: var(--block); }
.card.stricter { border-left-color: var(--allow); }
.card-head { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: baseline; justify-content: space-between; margin-bottom: .75rem; }
.turn { white-space: nowrap; margin: 0; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.facts + p, .facts + table { margin-top: 1.5rem; }
.verdict { display: inline-block; padding: .02rem .5rem .08rem; border: 1px solid currentColor; border-radius: 3px; font-size: .8125rem; font-weight: 600; line-height: 1.45; white-space: nowrap; }
.allow { color: var(--allow); background: var(--allow-tint); }
.approve { color: var(--approve); background: var(--approve-tint); }
.block { color: var(--block); background: var(--block-tint); }
.places { margin: 0; padding: 0; list-style: none; }
.example { display: block; padding: .5rem .65rem; background: var(--page); border: 1px solid var(--line); border-radius: 4px; line-height: 1.5; }
.command { white-space: pre-wrap; margin: 0 0 1rem; }
table { width: 100%; border-collapse: collapse; margin: 0 0 1.75rem; font-size: .9375rem; table-layout: fixed; }
caption { text-align: left; font-size: .875rem; padding: 0 0 .5rem; max-width: 42rem; }
th, td { text-align: left; vertical-align: top; padding: .55rem .75rem .55rem 0; border-bottom: 1px solid var(--line); }
thead th { font-size: .8125rem; font-weight: 600; color: var(--quiet); border-bottom-width: 2px; }
tbody th { font-weight: 400; }
tbody tr.changed th { font-weight: 600; }
.by { display: block; margin-top: .15rem; font-size: .8125rem; line-height: 1.4; color: var(--quiet); }
.verdict-column { width: 27%; }
.narrow { width: 8.5rem; }
.number { font-variant-numeric: tabular-nums; }
details { margin: 0 0 1.25rem; }
summary { cursor: pointer; padding: .4rem 0; color: var(--accent); font-weight: 600; }
details > table, details > ul { margin-top: .75rem; }
footer { margin-top: 3.5rem; border-top: 1px solid var(--line); padding-top: 1rem; font-size: .875rem; color: var(--quiet); }
@media (max-width: 40rem) {
  .tally { grid-template-columns: repeat(2, 1fr); }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd { margin-bottom: .6rem; }
  .facts dd:last-child { margin-bottom: 0; }
  .card { padding: .9rem .95rem; }
  table { font-size: .875rem; }
  th, td { padding-right: .5rem; }
  .narrow { width: 6rem; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media (forced-colors: active) { .verdict, .card { border-color: CanvasText; } }
@media print {
  @page { margin: 16mm 15mm; }
  :root { color-scheme: light; --page: #ffffff; }
  :root { font-size: 10pt; }
  .sheet { max-width: none; padding: 0; }
  header { padding-top: 0; }
  nav, .skip { display: none; }
  section { padding-top: 1.6rem; }
  h2, h3, .card-head, caption, summary { break-after: avoid; }
  .card, tr, .tally, .example { break-inside: avoid; }
  thead { display: table-header-group; }
  summary { color: var(--ink); list-style: none; }
  details::details-content { content-visibility: visible; block-size: auto; }
  a { color: inherit; text-decoration: none; }
}
`
