import { unreachable } from "../../domain/result.ts";
import { say } from "../../texts/say.ts";
import type { Cell, CellType, Column, MirrorAge, ReportDocument } from "../report.ts";

/** Formats cells for people; `local` formats an instant in the viewer's time zone. */
export function cellText(local: (instant: string) => string) {
  return (cell: Cell, { type, words }: Pick<Column, "type" | "words">): string => {
    if (cell === null) return "";
    switch (type) {
      case "text":
        return words?.[cell] ?? String(cell);
      case "date":
      case "count":
      case "days":
        return String(cell);
      case "minutes":
        return hoursText(Number(cell));
      case "seconds":
        return ageText(Number(cell));
      case "bytes":
        return sizeText(Number(cell));
      case "percent":
        return `${cell} %`;
      case "instant":
        return instantPattern.test(String(cell)) ? local(String(cell)) : String(cell);
      case "flag":
        return cell === 1 ? "✓" : "";
      default:
        return unreachable(type);
    }
  };
}

/** True if the column is right-aligned, as numbers are. */
export const isNumeric = (type: CellType): boolean =>
  type !== "text" && type !== "date" && type !== "instant" && type !== "flag";

/** Hours and minutes as `12:05`, with a minus if negative. */
export function hoursText(minutes: number): string {
  const whole = Math.abs(minutes);
  const sign = minutes < 0 ? "-" : "";
  return `${sign}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** The two largest units of a duration. */
export function ageText(seconds: number): string {
  const [days, hours, minutes] = [86_400, 3_600, 60].map((unit) => Math.floor(seconds / unit));
  if (days) return say("reports.daysHours", { days, hours: (hours ?? 0) % 24 });
  if (hours) return say("reports.hoursMinutes", { hours, minutes: (minutes ?? 0) % 60 });
  return minutes
    ? say("reports.minutesSeconds", { minutes, seconds: seconds % 60 })
    : say("reports.seconds", { seconds });
}

const instantPattern = /^\d{4}-\d{2}-\d{2}T.*Z$/;

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${["B", "kB", "MB", "GB", "TB"][power] ?? "B"}`;
}

/** One sentence about the freshness of the mirror. */
export function freshnessText(age: MirrorAge): string {
  const { sources, neverRead, failing, newestSeconds, oldestSeconds } = age;
  if (newestSeconds === null || oldestSeconds === null) return say("reports.mirrorUnread");
  const gaps = [
    ...(neverRead > 0 ? [say("reports.mirrorNever", { count: neverRead })] : []),
    ...(failing > 0 ? [say("reports.mirrorFailing", { count: failing })] : []),
  ];
  const [newest, oldest] = [ageText(newestSeconds), ageText(oldestSeconds)];
  return say("reports.mirror", {
    sources,
    ages: newest === oldest ? newest : say("reports.mirrorAges", { newest, oldest }),
    gaps: gaps.length > 0 ? `; ${gaps.join(", ")}` : "",
  });
}

/** Which time, viewer and time zone a report is for. */
export function subtitle({ madeAt, asOf, zone, filters }: ReportDocument): string {
  const local = localTimes(zone);
  const made = local(madeAt.toString());
  const moment = asOf ? say("reports.asOfMade", { asOf: local(asOf.toString()), made }) : made;
  return [`${moment} (${zone})`, ...filters].join(" · ");
}

/**
 * Formats UTC instants (`…Z`) as `YYYY-MM-DD HH:MM` in a time zone. Reports have tens of thousands of them, so the offset is
 * looked up once per period between two clock changes.
 */
export function localTimes(zone: string): (instant: string) => string {
  const spans: Span[] = [];
  const spanOf = (time: number): Span => {
    const known = spans.find(({ from, to }) => from <= time && time < to);
    if (known) return known;
    const span = spanAt(time, zone);
    spans.push(span);
    return span;
  };
  return (instant) => {
    const time = Date.parse(instant);
    const local = Temporal.Instant.fromEpochMilliseconds(time + spanOf(time).offset).toString();
    return `${local.slice(0, 10)} ${local.slice(11, 16)}`;
  };
}

/** Period, in milliseconds since 1970, with a constant offset from UTC, in milliseconds. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

function spanAt(time: number, zone: string): Span {
  const local = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(zone);
  // The search for the previous change excludes its starting point, so it starts a millisecond later.
  const began = local.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
  return {
    from: began?.epochMilliseconds ?? -Infinity,
    to: local.getTimeZoneTransition("next")?.epochMilliseconds ?? Infinity,
    offset: local.offsetNanoseconds / 1e6,
  };
}
