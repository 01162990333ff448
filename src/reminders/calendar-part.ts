import type { EventItem } from "../domain/item.ts";
import { publishedSummary } from "../ics/text/decoration.ts";
import { plainDescription } from "../ics/text/text.ts";
import { calendarEnd, productId } from "../ics/write/write-calendar.ts";
import { writeEvent } from "../ics/write/write-event.ts";
import { isUtc, writeTimeZone } from "../ics/zones/zones.ts";
import type { ViewItem } from "../store/view/view.ts";

/**
 * The event as a calendar of its own, METHOD:PUBLISH, with the UID that feeds show. It has no alarm, as the mail around
 * it is one. Times stand in `zone`, the account's. Throws UnwritableEventError.
 * Source: RFC 5546 3.2.1.
 */
export function writeCalendarPart(
  { shown, item }: { readonly shown: ViewItem; readonly item: EventItem },
  { zone, link }: { readonly zone: string; readonly link: string | null },
): string {
  const event = writeEvent({
    uid: shown.uid,
    sequence: shown.sequence,
    stampAt: shown.modifiedAt,
    createdAt: item.createdAt,
    summary: publishedSummary(item),
    description: plainDescription(item.description),
    html: null,
    when: item.when,
    zone,
    categories: item.milestone ? ["Milestone"] : [],
    reminder: null,
    transparent: item.when.kind === "dates",
    classification: item.private ? "PRIVATE" : null,
    status: null,
    url: link,
  });
  return `${header}${timeZonePart(item, zone)}${event}${calendarEnd}`;
}

/** Without a name or a time to look again: programs would take it for a calendar to keep, and not for one event. */
const header = ["BEGIN:VCALENDAR", "VERSION:2.0", productId, "CALSCALE:GREGORIAN", "METHOD:PUBLISH"]
  .map((line) => `${line}\r\n`)
  .join("");

function timeZonePart({ when }: EventItem, zone: string): string {
  if (when.kind === "dates" || isUtc(zone)) return "";
  const fromYear = when.start.withTimeZone(zone).year;
  // An event without an end is shown with a length, which may reach into the next year.
  return writeTimeZone({ zone, fromYear, toYear: (when.end ?? when.start).year + 1 });
}
