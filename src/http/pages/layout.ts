import { html, type Markup } from "./markup-template.ts";

/** What a page says; its links are relative to the address at which it stands. */
export interface Page {
  readonly title: string;
  readonly body: Markup;
}

/**
 * A whole page; styles come from one file, so that no inline code is needed. `root` leads from its address to that of the
 * start page, as in `../`.
 */
export function layout({ title, body }: Page, root: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="${root}style.css">
</head>
<body>
${body}
</body>
</html>
`.text;
}

export const style = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem; }
header { display: flex; gap: 1rem; align-items: baseline; justify-content: space-between; flex-wrap: wrap; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid #8884; vertical-align: top; }
td.address, p.address, dd.address { overflow-wrap: anywhere; font-family: ui-monospace, monospace; font-size: .85rem; }
td.number { text-align: right; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.5rem; margin: 0; }
dt { opacity: .7; } dd { margin: 0; }
.state { white-space: nowrap; }
.problem { color: #b3261e; } .quiet { opacity: .7; }
ul.cards { list-style: none; margin: 0; padding: 0; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); }
ul.cards > li { border: 1px solid #8884; border-radius: .4rem; padding: .75rem 1rem; min-width: 0; overflow-wrap: anywhere; }
ul.cards p { margin: 0 0 .4rem; } ul.cards .title { font-weight: 600; }
form.row { display: flex; gap: .6rem; flex-wrap: wrap; align-items: center; margin: .5rem 0 0; }
.wide { overflow-x: auto; }
ul.changes { margin: .2rem 0; padding-left: 1.1rem; overflow-wrap: anywhere; }
form.login { max-width: 24rem; display: grid; gap: .75rem; margin-top: 2rem; }
main.card { max-width: 32rem; margin: 0 auto; }
main.wide-card { max-width: 48rem; }
main.card form, main.card dl { margin: 1.5rem 0; }
.card .title { font-size: 1.25rem; font-weight: 600; margin: 1rem 0 0; overflow-wrap: anywhere; }
.card .title + .quiet { margin: 0; }
.card button { width: 100%; padding: .9rem; }
input, button { font: inherit; padding: .5rem .7rem; }
@media (prefers-color-scheme: dark) { .problem { color: #f2b8b5; } }
`;
