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

// Parses the output of writeTimeZone() with other programs. `ZONE_YEARS=all npm run drills zone-readers` checks windows of all
// lengths from 1900 to 2105, which takes hours.

const zones = Intl.supportedValuesOf("timeZone");

interface Window {
  readonly from: number;
  readonly to: number;
  /** Days between checked instants where nothing changes. */
  readonly coarse: number;
}

/** Today; when many zones abolished summer time; before 1970; with local mean time; far in the future. */
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

/** Time zones that abolished summer time, changed their offset, have irregular or negative summer time, or skipped a day. */
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
  /** Bugs of the parser itself: instants it gets wrong whatever the component contains. */
  readonly isOwnFault: (moment: {
    readonly isRepeated: boolean;
    readonly isBlurred: boolean;
    readonly offBySeconds: number;
  }) => boolean;
}

const icalJs: Reading = {
  read: readWithIcalJs,
  // It takes the first pass of a repeated hour for the second one, which is why we write these times in UTC; and it ignores the
  // seconds of an offset, which zones had before standard time, so that it also finds their end in another minute.
  isOwnFault: ({ isRepeated, isBlurred, offBySeconds }) =>
    isRepeated || isBlurred || offBySeconds < 60,
};

const dateutil: Reading = { read: readWithDateutil, isOwnFault: () => false };

type Case = readonly [zone: string, window: Window];

/** Cached, because each parser is tested with them. */
const known = new Map<readonly Case[], readonly Sample[]>();

/** Wrong results of a parser. */
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

/** Any time zone in any years, with a fixed seed. */
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
