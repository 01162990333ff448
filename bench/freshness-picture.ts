// Draws how stale a mirror is over the number of sources that share the quota: round robin, the daemon's scheduler in its first
// hour and after three days, and an oracle in a simulator; and what `bench/freshness.ts` has measured of the whole daemon.
//   node bench/freshness-picture.ts PATH_OF_POLLSIM FILE > docs/freshness.svg
// FILE: what `bench/freshness.ts` has written with `json=FILE`, several seeds of a size or one. The simulator has the hours of a
// measurement with `learned=on from=72 warm=1 hours=10`: three days of learning, an hour, and then ten that count. Both are geometric
// means over the seeds, of which the simulator has three. The first hour begins at four times of day within those hours, after the
// first sync; its mean is that of all its changes, by expectation.
import { readFileSync } from "node:fs";
import { changesFrom, loadPollsim, type Pollsim, simulated, worldOf } from "./freshness/pollsim.ts";

interface Point {
  readonly sources: number;
  readonly seconds: number;
}

interface Line {
  readonly label: string;
  readonly mark: string;
  readonly points: readonly Point[];
}

const hour = 3600;
const [from, warm, hours] = [0, 73 * hour, 10 * hour];
const starts = [73, 76, 79, 82].map((at) => at * hour);
const seeds = [11, 12, 13];
/** Of each source; they change in turn. */
const itemsOfSource = 10;
const sizes = [20, 40, 73, 120, 200, 400, 1000, 2000];
/** As the daemon has them unless told otherwise. */
const maxAge = 825;
const budget = 2.25;

/** The plot within the picture, in its units. */
const [left, right, top, bottom] = [70, 600, 60, 400];
const axes = { sources: [15, 2500], seconds: [0.2, 1000] } as const;

const [path = "", file = ""] = process.argv.slice(2);
console.log(picture(await simulatedLines(), measured(file)));

async function simulatedLines(): Promise<readonly Line[]> {
  const pollsim = await loadPollsim(path);
  const points = sizes.map((sources) => {
    const runs = seeds.map((seed) => {
      const horizon = from + warm + hours;
      const world = worldOf(pollsim, { n: sources, scenario: "work", seed, horizon });
      return simulated(pollsim, { world, from, warm, budget, maxAge });
    });
    const mean = (of: (run: (typeof runs)[number]) => number): Point => ({
      sources,
      seconds: geometricMean(runs.map(of)),
    });
    return {
      firstHour: { sources, seconds: firstHour(pollsim, sources) },
      roundRobin: mean((run) => run.roundRobin),
      ours: mean((run) => run.ours),
      oracle: mean((run) => run.oracle),
    };
  });
  return [
    { label: "round robin", mark: "robin", points: points.map((at) => at.roundRobin) },
    { label: "first hour", mark: "first", points: points.map((at) => at.firstHour) },
    { label: "Dayferry", mark: "ours", points: points.map((at) => at.ours) },
    { label: "oracle", mark: "oracle", points: points.map((at) => at.oracle) },
  ];
}

/** Mean seconds of the changes of first hours, by expectation. */
function firstHour(pollsim: Pollsim, sources: number): number {
  const items = Array.from({ length: sources }, () => itemsOfSource);
  const runs = starts.flatMap((from) =>
    seeds.map((seed) => {
      const warm = sources / budget;
      const horizon = from + warm + hour;
      const world = worldOf(pollsim, { n: sources, scenario: "work", seed, horizon });
      const { oursExpected } = simulated(pollsim, { world, items, from, warm, budget, maxAge });
      const changes = changesFrom(world, from + warm).reduce((sum, { length }) => sum + length, 0);
      return { oursExpected, changes };
    }),
  );
  const sum = (of: (run: (typeof runs)[number]) => number) =>
    runs.reduce((total, run) => total + of(run), 0);
  return sum((run) => run.oursExpected) / sum((run) => run.changes);
}

/** The daemon's measured points, with and without the list of all tasks. */
function measured(file: string): readonly Line[] {
  const rows = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Record<string, unknown> => JSON.parse(line));
  const points = (alltodo: string) => {
    const own = rows.filter((row) => row["alltodo"] === alltodo);
    const bySources = Map.groupBy(own, (row) => Number(row["sources"]));
    return [...bySources].map(([sources, runs]) => ({
      sources,
      seconds: geometricMean(runs.map((row) => Number(row["mirror s"]))),
    }));
  };
  return [
    { label: "measured", mark: "measured", points: points("off") },
    { label: "measured, with the list of all tasks", mark: "pages", points: points("on") },
  ];
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

function picture(lines: readonly Line[], dots: readonly Line[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 460" role="img" aria-labelledby="title about">
<title id="title">How stale a mirror is, over the number of sources</title>
<desc id="about">Mean seconds from a change to the mirror at 2.5 requests per second, on two logarithmic axes: round robin, Dayferry's scheduler in its first hour and after three days, and an oracle in a simulator; and the whole daemon as measured.</desc>
<style>
svg { --text: #24292f; --faint: #8c959f; --robin: #b35900; --ours: #0969da; --oracle: #57606a; }
@media (prefers-color-scheme: dark) {
  svg { --text: #e6edf3; --faint: #6e7681; --robin: #f0883e; --ours: #58a6ff; --oracle: #9da7b3; }
}
text { font: 13px system-ui, sans-serif; fill: var(--text); }
.title { font-size: 16px; font-weight: 600; }
.grid { stroke: var(--faint); stroke-width: 0.5; opacity: 0.6; }
polyline { fill: none; stroke-width: 2; }
.robin { stroke: var(--robin); stroke-dasharray: 8 4; }
.ours { stroke: var(--ours); }
.first { stroke: var(--ours); stroke-dasharray: 6 3; }
.oracle { stroke: var(--oracle); stroke-dasharray: 2 3; }
.measured { fill: var(--ours); }
.pages { fill: none; stroke: var(--ours); stroke-width: 2; }
</style>
<text class="title" x="20" y="24">From a change to the mirror, in seconds, at 2.5 requests per second</text>
<text x="20" y="43">lines: simulated; dots: the whole daemon, measured; editing sessions on a working day</text>
${grid()}
${lines.map(drawLine).join("\n")}
${dots.map(drawDots).join("\n")}
${legend(dots)}
</svg>`;
}

function grid(): string {
  const sources = [20, 50, 100, 200, 500, 1000, 2000].map((at) => {
    const x = across(at);
    return `<line class="grid" x1="${x}" x2="${x}" y1="${top}" y2="${bottom}"/><text x="${x}" y="${bottom + 18}" text-anchor="middle">${at}</text>`;
  });
  const seconds = [0.3, 1, 3, 10, 30, 100, 300, 1000].map((at) => {
    const y = down(at);
    return `<line class="grid" x1="${left}" x2="${right}" y1="${y}" y2="${y}"/><text x="${left - 8}" y="${y + 4}" text-anchor="end">${at} s</text>`;
  });
  const name = `<text x="${(left + right) / 2}" y="${bottom + 38}" text-anchor="middle">sources that are polled</text>`;
  return [...sources, ...seconds, name].join("\n");
}

function drawLine({ label, mark, points }: Line): string {
  const places = points.map(({ sources, seconds }) => `${across(sources)},${down(seconds)}`);
  const end = down(points.at(-1)?.seconds ?? 1);
  return `<polyline class="${mark}" points="${places.join(" ")}"/><text x="${right + 8}" y="${end + 4}">${label}</text>`;
}

function drawDots({ mark, points }: Line): string {
  return points
    .map(({ sources, seconds }) => dot({ mark, x: across(sources), y: down(seconds) }))
    .join("\n");
}

function legend(dots: readonly Line[]): string {
  const shown = dots.filter(({ points }) => points.length > 0);
  return shown
    .map(({ label, mark }, nth) => {
      const y = top + 16 + 20 * nth;
      return `${dot({ mark, x: left + 14, y: y - 4 })}<text x="${left + 26}" y="${y}">${label}</text>`;
    })
    .join("\n");
}

interface Dot {
  readonly mark: string;
  readonly x: number;
  readonly y: number;
}

function dot({ mark, x, y }: Dot): string {
  return `<circle class="${mark}" cx="${x}" cy="${y}" r="5"/>`;
}

function across(sources: number): number {
  const [least, most] = axes.sources;
  return place(left + (right - left) * share(sources, [least, most]));
}

function down(seconds: number): number {
  return place(bottom - (bottom - top) * share(seconds, axes.seconds));
}

/** Where a value lies between two others, on a logarithmic scale. */
function share(value: number, [least, most]: readonly [number, number]): number {
  return Math.log(value / least) / Math.log(most / least);
}

function place(at: number): number {
  return Math.round(at * 10) / 10;
}
