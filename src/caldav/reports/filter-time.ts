import { fail, ok, type Result } from "../../domain/result.ts";
import { splitText } from "../../ics/lines/tokens.ts";
import { textOf } from "../../ics/read/reading.ts";
import type { TimeRange } from "../../ics/time-range.ts";
import { readStamp } from "../../ics/time-values.ts";
import { zonesOfFile } from "../../ics/zones/file-zones.ts";
import type { XmlElement } from "../xml/element.ts";

/** A time range whose both ends are known. */
export interface ClosedRange extends TimeRange {
  readonly start: Temporal.Instant;
  readonly end: Temporal.Instant;
}

/**
 * Reads the attributes `start` and `end` of a time-range, expand or limit element: UTC times, at least one of them.
 * Fails with a sentence. Source: RFC 4791 9.9.
 */
export function readTimeRange({ name, attributes }: XmlElement): Result<TimeRange, string> {
  const [from, to] = [attributes.get("start"), attributes.get("end")];
  const start = from === undefined ? null : readStamp(from.trim());
  const end = to === undefined ? null : readStamp(to.trim());
  if (from !== undefined && !start) return fail(`the start "${from}" of a ${name} is no UTC time`);
  if (to !== undefined && !end) return fail(`the end "${to}" of a ${name} is no UTC time`);
  if (!start && !end) return fail(`a ${name} has neither a start nor an end`);
  if (start && end && Temporal.Instant.compare(start, end) >= 0) {
    return fail(`the end of a ${name} is not after its start`);
  }
  return ok({ start, end });
}

/** The same where both ends are needed. Source: RFC 4791 7.10, 9.6.5. */
export function readClosedRange(element: XmlElement): Result<ClosedRange, string> {
  const range = readTimeRange(element);
  if (!range.ok) return range;
  const { start, end } = range.value;
  return start && end ? ok({ start, end }) : fail(`a ${element.name} has a start and an end`);
}

/**
 * The zone of a text with exactly one VTIMEZONE, as a query or a calendar names it for dates and floating times.
 * `zone` stands for one that is a program's own invention. Fails with a sentence for other texts.
 * Source: RFC 4791 9.8, 5.2.2.
 */
export function readZone(text: string, zone: string): Result<string, string> {
  const calendar = splitText(text.trim());
  if (!calendar.ok) return fail(calendar.failure[0]?.message ?? "it is no calendar");
  const blocks = calendar.value.components.filter(({ name }) => name === "VTIMEZONE");
  const [block] = blocks;
  if (!block || blocks.length > 1) return fail("a time zone is a VCALENDAR with one VTIMEZONE");
  const tzid = textOf(block, "TZID")?.trim() ?? "";
  const found = zonesOfFile(calendar.value, zone)(tzid);
  return ok(typeof found === "string" ? found : zone);
}
