import { type ContentLine, param } from "../lines/content-line.ts";
import { type Component, firstLine } from "../lines/tokens.ts";

/** Properties of which an empty value says nothing; an empty text says that there is none. */
const neverEmpty: ReadonlySet<string> = new Set([
  "CLASS",
  "COMPLETED",
  "CREATED",
  "DTEND",
  "DTSTAMP",
  "DUE",
  "DURATION",
  "EXDATE",
  "EXRULE",
  "LAST-MODIFIED",
  "PERCENT-COMPLETE",
  "RDATE",
  "RECURRENCE-ID",
  "RELATED-TO",
  "RRULE",
  "SEQUENCE",
  "STATUS",
]);

/** An item without the lines that say nothing: empty ones, and rules and dates by which it takes place once. */
export function withMeantLines(component: Component): Component {
  const isEmpty = ({ name, value }: ContentLine) => neverEmpty.has(name) && value.trim() === "";
  const said = component.lines.some(isEmpty)
    ? component.lines.filter((line) => !isEmpty(line))
    : component.lines;
  const start = firstLine(component, "DTSTART");
  const isIdle = (line: ContentLine) => isSingle(line, start);
  const lines = said.some(isIdle) ? said.filter((line) => !isIdle(line)) : said;
  const repeats = lines.some(
    ({ name }) => name === "RRULE" || name === "RDATE" || name === "RECURRENCE-ID",
  );
  const meant = repeats ? lines : lines.filter((line) => !isIdleException(line, start));
  return meant.length === component.lines.length ? component : { ...component, lines: meant };
}

/** Whether a rule or a further date gives no other occurrence than the start. */
function isSingle({ name, value, ...line }: ContentLine, start: ContentLine | undefined): boolean {
  if (name === "RRULE") return isOnce(value, start?.value.trim() ?? "");
  if (name !== "RDATE" || !start || param({ name, value, ...line }, "VALUE") === "PERIOD")
    return false;
  const isSameZone = line.params.get("TZID")?.[0] === start.params.get("TZID")?.[0];
  return isSameZone && value.split(",").every((each) => each.trim() === start.value.trim());
}

/** By COUNT, or by an UNTIL on the day of the start where both are written in one form. Source: RFC 5545 3.3.10. */
function isOnce(rule: string, start: string): boolean {
  const parts = rule.toUpperCase().split(";");
  if (parts.some((part) => /^COUNT=0*1$/.test(part.trim()))) return true;
  const until = /^UNTIL=(\d{8})(T\d{6}Z)?$/.exec(
    parts.find((part) => part.startsWith("UNTIL=")) ?? "",
  );
  const isDaily = parts.some((part) => /^FREQ=(?:DAILY|WEEKLY|MONTHLY|YEARLY)$/.test(part));
  const isOneForm = until?.[2] === undefined ? start.length === 8 : start.endsWith("Z");
  return (
    isDaily && isOneForm && !rule.toUpperCase().includes("BY") && until?.[1] === start.slice(0, 8)
  );
}

/** A date that is left out of a single item, unless it is the item's own. */
const isIdleException = ({ name, value }: ContentLine, start: ContentLine | undefined): boolean =>
  (name === "EXDATE" || name === "EXRULE") &&
  !value.split(",").some((each) => each.trim().slice(0, 8) === start?.value.trim().slice(0, 8));
