import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasDateutil } from "../../../../test/clients/programs.ts";
import {
  type Reader,
  readWithDateutil,
  readWithIcalJs,
  type Sample,
  sampleOf,
} from "./zone-readers.ts";

// What writeTimeZone() writes, read by programs of others. `ZONE_YEARS=all npm run drills zone-readers`
// looks at windows of all lengths from 1900 to 2105, which takes hours.

const zones = Intl.supportedValuesOf("timeZone");

interface Window {
  readonly from: number;
  readonly to: number;
  /** Days between the moments that are looked at where nothing changes. */
  readonly coarse: number;
}

/** Today's; of the time when summer time was given up in many zones; before 1970; of local mean time; far ahead. */
const fewWindows: readonly Window[] = [
  { from: 2026, to: 2028, coarse: 30 },
  { from: 2014, to: 2026, coarse: 60 },
  { from: 1965, to: 1966, coarse: 30 },
  { from: 1900, to: 1901, coarse: 30 },
  { from: 2099, to: 2100, coarse: 30 },
];

const lengths = [1, 2, 3, 5, 13, 28, 60];
const allWindows: readonly Window[] = Array.from({ length: 206 }, (_, at) => 1900 + at).flatMap(
  (from) => lengths.map((years) => ({ from, to: from + years - 1, coarse: 90 })),
);

const windows = process.env["ZONE_YEARS"] === "all" ? allWindows : fewWindows;

/** Zones that gave their summer time up, changed their offset, have irregular or negative summer time, or leapt a day. */
const eventful = [
  "Africa/Cairo",
  "Africa/Casablanca",
  "Africa/Juba",
  "Africa/Monrovia",
  "Africa/Sao_Tome",
  "Africa/Windhoek",
  "America/Asuncion",
  "America/Caracas",
  "America/Chihuahua",
  "America/Dawson",
  "America/Edmonton",
  "America/Mexico_City",
  "America/New_York",
  "America/Scoresbysund",
  "America/Vancouver",
  "America/Whitehorse",
  "Antarctica/Troll",
  "Asia/Baku",
  "Asia/Damascus",
  "Asia/Gaza",
  "Asia/Pyongyang",
  "Asia/Tehran",
  "Asia/Tokyo",
  "Australia/Lord_Howe",
  "Europe/Amsterdam",
  "Europe/Dublin",
  "Europe/London",
  "Europe/Moscow",
  "Pacific/Apia",
  "Pacific/Kwajalein",
];

interface Reading {
  readonly read: Reader;
  /** Faults of the reader itself: moments that it gets wrong whatever stands in the component. */
  readonly isOwnFault: (moment: {
    readonly isRepeated: boolean;
    readonly isBlurred: boolean;
    readonly offBySeconds: number;
  }) => boolean;
}

const icalJs: Reading = {
  read: readWithIcalJs,
  // It takes the first pass of a repeated hour for the second one, for which we write these times in UTC; and it leaves
  // the seconds of an offset out, which zones had before standard time, so that it also finds their end in another minute.
  isOwnFault: ({ isRepeated, isBlurred, offBySeconds }) =>
    isRepeated || isBlurred || offBySeconds < 60,
};

const dateutil: Reading = { read: readWithDateutil, isOwnFault: () => false };

type Case = readonly [zone: string, window: Window];

/** The last ones are kept, as each reader is asked about them. */
const known = new Map<readonly Case[], readonly Sample[]>();

/** What a reader gets wrong. */
async function faultsOf(
  { read, isOwnFault }: Reading,
  cases: readonly Case[],
): Promise<readonly string[]> {
  const samples = known.get(cases) ?? cases.map(([zone, window]) => sampleOf(zone, window));
  known.clear();
  known.set(cases, samples);
  const found = await read(samples);
  return samples.flatMap(({ zone, fromYear, toYear, moments }, at) =>
    moments.flatMap(({ clock, offset, ...moment }, index) => {
      const read = found[at]?.[index] ?? Number.NaN;
      const offBySeconds = Math.abs(read - offset);
      const isRight = read === offset || isOwnFault({ ...moment, offBySeconds });
      return isRight ? [] : [`${zone} ${fromYear}-${toYear}: ${clock} has ${offset}, not ${read}`];
    }),
  );
}

/** Any zone in any years, always the same ones. */
const anyCases: readonly Case[] = fc.sample(
  fc
    .tuple(fc.constantFrom(...zones), fc.integer({ min: 1880, max: 2110 }), fc.nat({ max: 40 }))
    .map(([zone, from, length]): Case => [zone, { from, to: from + length, coarse: 180 }]),
  { numRuns: 250, seed: 11 },
);

const questions: readonly (readonly [name: string, cases: readonly Case[]])[] = [
  ...windows.map((window) => {
    const name = `is right for every zone when years are ${window.from} to ${window.to}`;
    return [name, zones.map((zone): Case => [zone, window])] as const;
  }),
  [
    "is right when zones have many rules, one after another",
    eventful.map((zone): Case => [zone, { from: 1880, to: 2100, coarse: 365 }]),
  ],
  ["is right when years begin and end anywhere", anyCases],
];
const hasPython = await hasDateutil();

describe.each(questions)("writeTimeZone() %s", (_name, cases) => {
  it("as ical.js reads it", async () => {
    expect(await faultsOf(icalJs, cases)).toEqual([]);
  });

  it.skipIf(!hasPython)("as python-dateutil reads it", async () => {
    expect(await faultsOf(dateutil, cases)).toEqual([]);
  });
});
