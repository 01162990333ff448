/** Everything that a report's page looks like; the colours of charts are classes, so that they follow light and dark. */
export const pageStyle = `
:root { color-scheme: light dark; --ink: #1c2430; --paper: #fff; --faint: #667085; --line: #d5dae1; --stripe: #f5f7fa;
  --a: #2563a8; --b: #c2691a; --c: #2f7d4f; --d: #8a4fa3; --grid: #e4e8ee; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --paper: #14181f; --faint: #98a2b3; --line: #364152;
  --stripe: #1b212b; --a: #6ea8e6; --b: #f0a85a; --c: #74c493; --d: #c79be0; --grid: #2a3341; } }
body { margin: 2rem auto; padding: 0 1rem; max-width: 76rem; font: 15px/1.45 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); }
h1 { margin: 0 0 .3rem; font-size: 1.6rem; }
p { margin: .2rem 0; }
.when, footer, caption { color: var(--faint); }
footer { margin-top: 1.5rem; font-size: .9rem; }
figure { margin: 1.5rem 0; overflow-x: auto; }
figcaption { color: var(--faint); font-size: .9rem; }
svg { max-width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--ink); }
svg .faint { fill: var(--faint); }
svg .grid { stroke: var(--grid); fill: none; }
svg .a { fill: var(--a); }
svg .b { fill: var(--b); }
svg .track { fill: none; stroke-width: 2; }
svg .t0 { stroke: var(--a); }
svg .t1 { stroke: var(--b); }
svg .t2 { stroke: var(--c); }
svg .t3 { stroke: var(--d); }
svg .dashed { stroke-dasharray: 6 3; }
svg .on { fill: var(--paper); }
table { border-collapse: collapse; width: 100%; margin-top: 1rem; }
caption { text-align: left; padding-bottom: .3rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem; border-bottom: 1px solid var(--line);
  overflow-wrap: break-word; }
th { position: sticky; top: 0; background: var(--paper); white-space: nowrap; }
tbody tr:nth-child(even) { background: var(--stripe); }
.n { text-align: right; }
.n, .d { font-variant-numeric: tabular-nums; white-space: nowrap; }
@media screen and (max-width: 50rem) { body { margin: 1rem auto; } th { position: static; } svg { max-width: none; }
  .rows { overflow-x: auto; } td { min-width: 4.5rem; } }
@media print { :root { color-scheme: light; --ink: #000; --paper: #fff; --faint: #555; --line: #bbb; --stripe: #fff;
  --a: #2563a8; --b: #c2691a; --c: #2f7d4f; --d: #8a4fa3; --grid: #ddd; }
  body { margin: 0; max-width: none; font-size: 10pt; } th { position: static; } tr, svg { break-inside: avoid; } }
`;
