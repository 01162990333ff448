import { fileURLToPath } from "node:url";
import { writeTimeZone } from "@dayferry/ical";
import ICAL from "ical.js";
import { python, runProgram } from "../../../../test/clients/programs.ts";

/** A component for some years of a time zone, and instants in these years. */
export interface Sample {
  readonly zone: string;
  readonly fromYear: number;
  readonly toYear: number;
  readonly block: string;
  readonly moments: readonly Moment[];
}

/** An unambiguous local time of a time zone, and its true offset in seconds. */
interface Moment {
  readonly clock: string;
  readonly offset: number;
  /** True if clocks show it twice; the first pass is meant. */
  readonly isRepeated: boolean;
  /** True if within a minute an offset with seconds ends, or a repeated hour begins or ends. */
  readonly isBlurred: boolean;
}

/** The offsets a parser finds in each sample, in seconds, one per instant. */
export type Reader = (samples: readonly Sample[]) => Promise<readonly (readonly number[])[]>;

/** Hours around a clock change; the seconds before it are checked as well. */
const around = [-25, -13, -6, -3, -2, -1, 0, 1, 2, 3, 6, 13, 25];
const hourMs = 3_600_000;

/** Instants in a window of years: every few hours around each change, and every `coarse` days in between. */
export function sampleOf(
  zone: string,
  years: { readonly from: number; readonly to: number; readonly coarse: number },
): Sample {
  const { from: fromYear, to: toYear, coarse } = years;
  const start = new Temporal.PlainDateTime(fromYear, 1, 1).toZonedDateTime(zone);
  const end = new Temporal.PlainDateTime(toYear + 1, 1, 1).toZonedDateTime(zone);
  const [first, last] = [start.epochMilliseconds, end.epochMilliseconds - 1000];
  const instants = new Set([first, last]);
  for (let at = first; at < last; at += coarse * 24 * hourMs) instants.add(at);
  for (const change of changesBetween(start, end)) {
    for (const hours of around) instants.add(change + hours * hourMs);
    instants.add(change - 1000);
  }
  const moments = [...instants]
    .filter((at) => at >= first && at <= last)
    .toSorted((a, b) => a - b)
    .flatMap((at) => momentAt(at, zone));
  return { zone, fromYear, toYear, block: writeTimeZone({ zone, fromYear, toYear }), moments };
}

/**
 * Found from offsets alone, a week apart and then closer, independent of what the component was written from. Changes that
 * cancel out within a week are found through the runtime.
 */
function changesBetween(
  start: Temporal.ZonedDateTime,
  end: Temporal.ZonedDateTime,
): readonly number[] {
  const offsetAt = (ms: number): number =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(start.timeZoneId)
      .offsetNanoseconds;
  const changes = new Set<number>();
  for (let at = start.epochMilliseconds; at < end.epochMilliseconds; at += 7 * 24 * hourMs) {
    let [low, high] = [at, at + 7 * 24 * hourMs];
    const before = offsetAt(low);
    if (offsetAt(high) === before) continue;
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2000) * 1000;
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    changes.add(high);
  }
  for (let at = start; ; ) {
    const next = at.getTimeZoneTransition("next");
    if (!next || Temporal.ZonedDateTime.compare(next, end) >= 0) return [...changes];
    changes.add(next.epochMilliseconds);
    at = next;
  }
}

/** Empty for the second pass of a repeated hour, which no local time can express: such times are written in UTC. */
function momentAt(ms: number, zone: string): readonly Moment[] {
  const time = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  const clock = time.toPlainDateTime();
  if (clock.toZonedDateTime(zone).epochMilliseconds !== ms) return [];
  const offset = time.offsetNanoseconds / 1e9;
  const near = [-1, 1].flatMap((minutes) => offsetsOf(clock.add({ minutes }), zone));
  return [
    {
      clock: clock.toString({ smallestUnit: "second" }),
      offset,
      isRepeated: offsetsOf(clock, zone).some((other) => other !== offset),
      isBlurred: [offset, ...near].some(hasSeconds) && near.some((other) => other !== offset),
    },
  ];
}

const hasSeconds = (offset: number): boolean => offset % 60 !== 0;

/** The possible offsets of a local time, in seconds. */
const offsetsOf = (clock: Temporal.PlainDateTime, zone: string): readonly number[] =>
  (["earlier", "later"] as const).map(
    (disambiguation) => clock.toZonedDateTime(zone, { disambiguation }).offsetNanoseconds / 1e9,
  );

/** Thunderbird's parser. */
export const readWithIcalJs: Reader = async (samples) =>
  samples.map(({ block, moments }) => {
    const zone = new ICAL.Timezone(new ICAL.Component(ICAL.parse(block)));
    return moments.map(({ clock }) => zone.utcOffset(ICAL.Time.fromDateTimeString(clock)));
  });

/** python-dateutil, which most calendar programs in Python use. */
export const readWithDateutil: Reader = async (samples) => {
  const script = fileURLToPath(new URL("zone_readings.py", import.meta.url));
  const asked = samples.map(({ block, moments }) => {
    return `${JSON.stringify({ block, times: moments.map(({ clock }) => clock) })}\n`;
  });
  const ran = await runProgram([python, script], { input: asked.join(""), withinMs: 1_800_000 });
  if (ran.code !== 0) throw new Error(`python-dateutil could not read a zone: ${ran.output}`);
  return ran.stdout
    .trimEnd()
    .split("\n")
    .map((line): readonly number[] => JSON.parse(line));
};
