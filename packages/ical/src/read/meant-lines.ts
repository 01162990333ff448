import { type ContentLine, param } from "../lines/content-line.ts";
import { type Component, firstLine } from "../lines/tokens.ts";

/** An item without redundant lines: rules and dates with which it occurs once. */
export function withMeantLines(component: Component): Component {
  const said = component.lines;
  const start = firstLine(component, "DTSTART");
  const isIdle = (line: ContentLine) => isSingle(line, start);
  const lines = said.some(isIdle) ? said.filter((line) => !isIdle(line)) : said;
  const repeats = lines.some(
    ({ name }) => name === "RRULE" || name === "RDATE" || name === "RECURRENCE-ID",
  );
  const meant = repeats ? lines : lines.filter((line) => !isIdleException(line, start));
  return meant.length === component.lines.length ? component : { ...component, lines: meant };
}

/** True if a rule or further date adds no occurrence. */
function isSingle({ name, value, ...line }: ContentLine, start: ContentLine | undefined): boolean {
  if (name === "RRULE") return isOnce(value, start?.value.trim() ?? "");
  if (name !== "RDATE" || !start || param({ name, value, ...line }, "VALUE") === "PERIOD")
    return false;
  const isSameZone = line.params.get("TZID")?.[0] === start.params.get("TZID")?.[0];
  return isSameZone && value.split(",").every((each) => each.trim() === start.value.trim());
}

/** Minimum hours between two occurrences. */
const steps: ReadonlyMap<string, number> = new Map([
  ["DAILY", 24],
  ["WEEKLY", 7 * 24],
  ["MONTHLY", 28 * 24],
  ["YEARLY", 365 * 24],
]);
/** Maximum hours that a local clock differs from UTC. */
const farthest = 14;

/** By COUNT, or by an UNTIL before the second occurrence. Source: RFC 5545 3.3.10. */
function isOnce(rule: string, start: string): boolean {
  const parts = new Map(
    rule
      .toUpperCase()
      .split(";")
      .map((part) => {
        const [name = "", value = ""] = part.split("=");
        return [name.trim(), value.trim()];
      }),
  );
  if (/^0*1$/.test(parts.get("COUNT") ?? "")) return true;
  const until = parts.get("UNTIL") ?? "";
  const [from, to] = [clockOf(start), clockOf(until)];
  const step = stepOf(parts);
  if (step === null || from === null || to === null) return false;
  // A date includes the whole day. A local time compared with UTC may be off by its offset.
  const isWholeDay = until.length === 8 && start.length > 8;
  const slack = isWholeDay || until.length === start.length ? 0 : farthest;
  const lasts = (to - from) / 3_600_000 + (isWholeDay ? 23.9 : 0);
  return lasts >= -slack && lasts + slack < step;
}

/** Minimum hours between two occurrences; null if FREQ and INTERVAL alone do not determine it. */
function stepOf(parts: ReadonlyMap<string, string>): number | null {
  const by = [...parts.keys()].filter((name) => name.startsWith("BY"));
  const isOneDay = parts.get("FREQ") === "WEEKLY" && /^[A-Z]{2}$/.test(parts.get("BYDAY") ?? "");
  if (by.length > (isOneDay ? 1 : 0)) return null;
  const step = steps.get(parts.get("FREQ") ?? "");
  const interval = Number(parts.get("INTERVAL") ?? 1);
  return step === undefined || !(interval >= 1) ? null : step * interval;
}

/** A date or local time in milliseconds, ignoring its time zone; null for anything else. */
function clockOf(value: string): number | null {
  const [, year, month, day, hour = 0, minute = 0] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\dZ?)?$/i.exec(value) ?? [];
  if (year === undefined) return null;
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute));
}

/** An excluded date of a single item, unless it is the item's own. */
const isIdleException = ({ name, value }: ContentLine, start: ContentLine | undefined): boolean =>
  (name === "EXDATE" || name === "EXRULE") &&
  !value.split(",").some((each) => each.trim().slice(0, 8) === start?.value.trim().slice(0, 8));
