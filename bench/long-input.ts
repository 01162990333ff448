// How the time grows that a long input takes: for each of the inputs that the readers' tests must come to an end with
// (test/support/long-inputs.ts) the processor's time at the half and at the whole of it, and the exponent of the growth between
// them: 1 is linear, 2 quadratic.
//   npx node bench/long-input.ts [PART OF A NAME]
// Ends with 1 where something that takes long grows much faster than its input.

import { readCalendar, readCalendarObject } from "@dayferry/ical";
import { octets, zone } from "../packages/ical/test/files.ts";
import { isHtml } from "../src/domain/is-html.ts";
import { htmlToText } from "../src/domain/text.ts";
import { overlayOctets } from "../src/ics/overlay/overlay.ts";
import { safeHtml } from "../src/ics/text/safe-html.ts";
import { event, stamp } from "../test/ics/overlay/overlays.ts";
import {
  type LongInput,
  longFiles,
  longHtml,
  longOctets,
  longTimes,
  longZones,
} from "../test/support/long-inputs.ts";

/** What takes less at the whole of its size may grow as it likes: it is bounded by that size. */
const shortMs = 20;
/** n·log n of these sizes is 1.1; the rest is what caches and the collector make of it. */
const mostExponent = 1.5;
const fewestRuns = 3;
const mostRuns = 2000;
const enoughMs = 250;

interface Reader {
  readonly name: string;
  readonly inputs: readonly LongInput[];
  /** What is to be timed. */
  readonly reading: (text: string) => () => unknown;
}

const readers: readonly Reader[] = [
  {
    name: "a file",
    inputs: [...longFiles, ...longZones, ...longTimes],
    reading: (text) => {
      const bytes = octets(text);
      return () => readCalendar(bytes, { zone });
    },
  },
  {
    name: "an object",
    inputs: longFiles,
    reading: (text) => {
      const bytes = octets(text);
      return () => readCalendarObject(bytes, { zone });
    },
  },
  {
    name: "HTML as text",
    inputs: longHtml,
    reading: (html) => () => [htmlToText(html), isHtml(html)],
  },
  {
    name: "HTML made safe",
    inputs: longHtml.map(within(48_000)),
    reading: (html) => () => safeHtml(html),
  },
  {
    name: "octets overlaid",
    inputs: longOctets,
    reading: (text) => () =>
      overlayOctets({
        octets: text,
        component: "VEVENT",
        said: event({ summary: "x" }),
        now: event({ summary: "y", reminder: Temporal.Duration.from("PT5M") }),
        stamp,
        zone,
        zones: "",
      }),
  },
];

const [wanted = ""] = process.argv.slice(2);
let isBroken = false;
console.log("| reader | input | size | half | whole | exponent |\n|---|---|---|---|---|---|");
for (const { name, inputs, reading } of readers) {
  for (const each of inputs.filter((one) => `${name}: ${one.name}`.includes(wanted))) {
    const half = timeOf(reading(each.make(each.most / 2)));
    const whole = timeOf(reading(each.make(each.most)));
    const exponent = Math.log2(whole / half);
    const isSteep = whole > shortMs && exponent > mostExponent;
    isBroken ||= isSteep;
    const figures = [half, whole].map((ms) => `${ms.toFixed(1)} ms`).join(" | ");
    const told = whole < 0.1 ? "at once" : `${exponent.toFixed(2)}${isSteep ? " STEEP" : ""}`;
    console.log(`| ${name} | ${each.name} | ${each.most} | ${figures} | ${told} |`);
  }
}
if (isBroken) process.exitCode = 1;

/** Of several runs each, by the processor's time of this thread, in milliseconds; the system tells it in steps of 4. */
function timeOf(read: () => unknown): number {
  const before = process.threadCpuUsage();
  for (let runs = 1; ; runs++) {
    read();
    const { user, system } = process.threadCpuUsage(before);
    const ms = (user + system) / 1000;
    if (runs >= fewestRuns && (ms > enoughMs || runs > mostRuns)) return ms / runs;
  }
}

/** The same input, no longer than so many characters: beyond these nothing is made of it. */
function within(most: number): (input: LongInput) => LongInput {
  return (input) => {
    const { length } = input.make(input.most);
    return { ...input, most: Math.floor((input.most * Math.min(length, most)) / length) };
  };
}
