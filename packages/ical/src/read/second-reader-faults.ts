import { type ContentLine, param } from "../lines/content-line.ts";
import {
  type FileZone,
  readClock,
  readTime,
  settleClock,
  type UnknownZone,
  type ZoneOf,
} from "../time-values.ts";
import { usualZone } from "../zones/zones.ts";

/**
 * Known bugs of node-ical 0.27.2, each with a name. Where possible a line is passed in a form that it reads correctly;
 * remaining differences for one of these reasons are not disagreements. All others are.
 */

/** A day, or an instant in milliseconds since 1970. */
export type PlainReading =
  | { readonly kind: "date"; readonly on: string }
  | { readonly kind: "time"; readonly at: number };

/** A DATE or DATE-TIME line with its time zone. */
export interface TimeLine {
  readonly line: ContentLine;
  /** null for dates, and for times in UTC. */
  readonly zone: FileZone | UnknownZone | null;
}

/** A form of a line that is passed in other words. */
interface Rewording {
  readonly name: string;
  readonly reason: string;
  readonly isFor: (time: TimeLine) => boolean;
  /** The line as it is passed. */
  readonly reword: (time: TimeLine) => string;
}

/** One time of an item that was read in two ways. */
export interface TimeDifference {
  readonly line: ContentLine;
  readonly ours: PlainReading;
  readonly theirs: PlainReading;
  /** The line of DTSTART and its value here; null without one. */
  readonly start: { readonly line: ContentLine; readonly at: PlainReading } | null;
  readonly zoneOf: ZoneOf;
}

interface Excuse {
  readonly name: string;
  readonly reason: string;
  readonly isFor: (difference: TimeDifference) => boolean;
}

const digitsOf = ({ value }: ContentLine): string => value.trim().replace(/Z$/, "");

/** The first one that applies to a line counts. */
export const rewordings: readonly Rewording[] = [
  {
    name: "a date with a zone",
    reason: "a zone says nothing of a date, but its name may hold what breaks the line",
    isFor: ({ line }) => line.params.has("TZID") && /^\s*\d{8}\s*$/.test(line.value),
    reword: ({ line }) => `${line.name};VALUE=DATE:${line.value.trim()}`,
  },
  {
    name: "a time in UTC with a zone",
    reason: "the zone says nothing of it, but its name may hold what breaks the line",
    isFor: ({ line, zone }) => zone === null && line.params.has("TZID"),
    reword: ({ line }) => `${line.name}:${line.value.trim()}`,
  },
  {
    name: "a zone of the file's own rules",
    reason:
      "it takes the first zone with such offsets on two days of the year, the process's zone for names it does not know, and what it knows by an abbreviation whatever the file says: only the wall clock is compared",
    isFor: ({ zone }) => typeof zone === "object" && zone !== null,
    reword: ({ line }) => `${line.name}:${digitsOf(line)}Z`,
  },
  {
    name: "a floating time",
    reason: "it takes the first zone that the file defines, else the process's, for the account's",
    isFor: ({ line, zone }) => zone !== null && !line.params.has("TZID"),
    reword: inNamedZone,
  },
  {
    name: "a zone under a longer name",
    reason:
      "it does not know names behind a vendor's prefix, those that only X-LIC-LOCATION explains, nor those with a colon and no quotation marks",
    isFor: ({ line }) => !isPlainName(line),
    reword: inNamedZone,
  },
];

function inNamedZone({ line, zone }: TimeLine): string {
  return `${line.name};TZID=${typeof zone === "string" ? zone : ""}:${digitsOf(line)}`;
}

/** A name known to IANA and Windows. */
function isPlainName(line: ContentLine): boolean {
  const tzid = param(line, "TZID");
  if (tzid === undefined) return true;
  if (tzid.startsWith("/") || tzid !== tzid.trim()) return false;
  return (!tzid.includes(":") || line.raw.includes(`"${tzid}"`)) && usualZone(tzid) !== null;
}

/** Differences that are not caused by the file. */
export const excuses: readonly Excuse[] = [
  {
    name: "a repeated hour",
    reason: "it takes the second pass, where RFC 5545 3.3.5 means the first",
    isFor: ({ line, theirs, zoneOf }) => {
      const clock = readClock(line, zoneOf);
      const second = clock && settleClock(clock, "second");
      return theirs.kind === "time" && second?.epochMilliseconds === theirs.at;
    },
  },
  {
    name: "an end behind a skipped hour",
    reason: "it leaves the end of an event that starts in a skipped hour before its start",
    isFor: ({ line, theirs, start, ...difference }) => {
      if (start?.at.kind !== "time" || theirs.kind !== "time" || line === start.line) return false;
      return theirs.at <= start.at.at && isAsWritten({ line, theirs, ...difference });
    },
  },
  {
    name: "a leap second",
    reason: "it takes second 60 for the next minute, where RFC 5545 3.3.12 means second 59",
    isFor: ({ line, ours, theirs }) =>
      /60Z?\s*$/.test(line.value) &&
      ours.kind === "time" &&
      theirs.kind === "time" &&
      theirs.at - ours.at === 1000,
  },
  {
    name: "whole days by Outlook's mark",
    reason: "it does not know X-MICROSOFT-CDO-ALLDAYEVENT",
    isFor: ({ ours, ...difference }) => ours.kind === "date" && isAsWritten(difference),
  },
  {
    name: "a day that ends as it starts",
    reason: "it leaves an event of a date with an equal end without any length",
    isFor: ({ line, ours, theirs, start }) =>
      line !== start?.line &&
      ours.kind === "date" &&
      theirs.kind === "date" &&
      start?.at.kind === "date" &&
      theirs.on === start.at.on,
  },
  {
    name: "a year before 100",
    reason: "JavaScript's dates take 0 to 99 for years of the twentieth century",
    isFor: ({ line }) => /^\s*00\d{6}/.test(line.value),
  },
];

/** True if the other result is the instant that the line itself states. */
function isAsWritten({
  line,
  theirs,
  zoneOf,
}: Pick<TimeDifference, "line" | "theirs" | "zoneOf">): boolean {
  const time = readTime(line, zoneOf);
  if (!time.ok || time.value.kind === "date" || theirs.kind === "date") return false;
  return time.value.at.epochMilliseconds === theirs.at;
}
