// What reading a calendar file costs beside ICAL.parse of it, the other reader's look at it included.
//   node bench/import.ts [pairs=7]
// Files of 1,000 and 10,000 events of one kind each: times in a zone, in UTC, whole days, a start and a length, and times
// that are scattered over 30 years, so that few of them are of one form. Each pair times ICAL.parse and the reader one
// after the other, by what the thread takes of the processor; judged is the median ratio of the pairs. Ends with 1 when a file of 10,000 events takes more than
// 2.5 times as long as ICAL.parse, or more than 12 times as long as one of 1,000.

import { readCalendar } from "@dayferry/ical";
import ICAL from "ical.js";
import { numbersOf } from "./options.ts";

const { pairs } = numbersOf({ pairs: 7 });
const zone = "Europe/Berlin";
const digits = (value: number, length: number): string => String(value).padStart(length, "0");

interface Kind {
  readonly name: string;
  readonly times: (at: number) => readonly string[];
}

const day = (at: number): string => `2026${digits(1 + (at % 12), 2)}${digits(1 + (at % 28), 2)}`;
const clock = (at: number, later = 0): string =>
  `T${digits(8 + later + (at % 10), 2)}${digits((at * 5) % 60, 2)}00`;
const scattered = (at: number): string => {
  const on = new Temporal.PlainDate(2000, 1, 1).add({ days: (at * 7919) % 11_000 });
  return on.toString().replaceAll("-", "");
};
const kinds: readonly Kind[] = [
  {
    name: "in a zone",
    times: (at) => [
      `DTSTART;TZID=${zone}:${day(at)}${clock(at)}`,
      `DTEND;TZID=${zone}:${day(at)}${clock(at, 1)}`,
    ],
  },
  {
    name: "in UTC",
    times: (at) => [`DTSTART:${day(at)}${clock(at)}Z`, `DTEND:${day(at)}${clock(at, 1)}Z`],
  },
  { name: "whole days", times: (at) => [`DTSTART;VALUE=DATE:${day(at)}`] },
  {
    name: "with a length",
    times: (at) => [`DTSTART;TZID=${zone}:${day(at)}${clock(at)}`, "DURATION:PT45M"],
  },
  {
    name: "scattered",
    times: (at) => [
      `DTSTART;TZID=${zone}:${scattered(at)}${clock(at)}`,
      `DTEND;TZID=${zone}:${scattered(at)}${clock(at, 1)}`,
    ],
  },
];

const rows = kinds.map((kind) => {
  const [small, large] = [measure(kind, 1000), measure(kind, 10_000)];
  return {
    kind: kind.name,
    "ICAL.parse": `${large.parse.toFixed(0)} ms`,
    reader: `${large.reader.toFixed(0)} ms`,
    ratio: Number(large.ratio.toFixed(2)),
    "10k / 1k": Number((large.reader / small.reader).toFixed(1)),
  };
});
console.table(rows);
process.exitCode = rows.some((row) => row.ratio > 2.5 || row["10k / 1k"] > 12) ? 1 : 0;

function measure(kind: Kind, events: number) {
  const text = fileOf(kind, events);
  const bytes = Buffer.from(text);
  const found = readCalendar(bytes, { zone });
  const good = found.ok && found.value.items.every(({ problems }) => problems.length === 0);
  if (!good) throw new Error(`a file ${kind.name} is not read`);
  const times = Array.from({ length: pairs }, () => {
    const parse = timed(() => ICAL.parse(text));
    const reader = timed(() => readCalendar(bytes, { zone }));
    return { parse, reader, ratio: reader / parse };
  });
  const middle = (name: "parse" | "reader" | "ratio"): number =>
    times.map((each) => each[name]).toSorted((a, b) => a - b)[Math.floor(pairs / 2)] ?? 0;
  return { parse: middle("parse"), reader: middle("reader"), ratio: middle("ratio") };
}

/** Milliseconds of the processor for this thread, which a busy machine leaves as they are. */
function timed(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

function fileOf({ times }: Kind, events: number): string {
  const lines = Array.from({ length: events }, (_, at) => [
    "BEGIN:VEVENT",
    `UID:event-${at}@example.com`,
    "DTSTAMP:20260101T000000Z",
    ...times(at),
    `SUMMARY:Meeting number ${at} about the budget\\, and more`,
    `DESCRIPTION:What the meeting ${at} is about\\, at such a length that it has `,
    " to be folded somewhere on its way.",
    "LOCATION:Room 5",
    "STATUS:CONFIRMED",
    "SEQUENCE:0",
    "END:VEVENT",
  ]).flat();
  const frame = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Example//Example//EN"];
  return [...frame, ...lines, "END:VCALENDAR", ""].join("\r\n");
}
