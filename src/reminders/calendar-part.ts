import {
  calendarEnd,
  foldLines,
  isUtc,
  oneLine,
  productId,
  writeEvent,
  writeTimeZone,
} from "@dayferry/ical";
import type { EventItem } from "../domain/item.ts";
import { plainDescription } from "../domain/text.ts";
import { publishedSummary } from "../ics/text/decoration.ts";
import type { Mailbox } from "../mail/mail.ts";
import type { ViewItem } from "../store/view/view.ts";

/**
 * The event as a calendar with METHOD:PUBLISH, the UID used in feeds, and the sender of the mail as ORGANIZER. It has no alarm
 * because the mail itself is one. Times are in `zone`, the account's time zone. Throws UnwritableEventError. Source: RFC 5546
 * 3.2.1.
 */
export function writeCalendarPart(
  shown: ViewItem,
  item: EventItem,
  {
    zone,
    link,
    from,
  }: { readonly zone: string; readonly link: string | null; readonly from: Mailbox },
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
  // Without an alarm, properties continue up to END:VEVENT.
  const properties = event.slice(0, event.lastIndexOf(eventEnd));
  const organizer = foldLines([organizerLine(from)]);
  return `${header}${timeZonePart(item, zone)}${properties}${organizer}${eventEnd}${calendarEnd}`;
}

const eventEnd = "END:VEVENT\r\n";

/** Source: RFC 5545 3.8.4.3, RFC 6068 section 2. */
function organizerLine({ name, address }: Mailbox): string {
  const cn = parameterValue(name);
  const uri = encodeURIComponent(address.toWellFormed())
    .replaceAll("%40", "@")
    .replaceAll("%2B", "+");
  return `ORGANIZER${cn === "" ? "" : `;CN=${cn}`}:mailto:${uri}`;
}

/** Source: RFC 5545 3.2, RFC 6868 section 3. */
function parameterValue(text: string): string {
  const escaped = oneLine(text).replaceAll("^", "^^").replaceAll('"', "^'");
  return /[:;,]/.test(escaped) ? `"${escaped}"` : escaped;
}

/** Without a name or refresh interval, which would make programs offer it as a calendar to subscribe to. */
const header = ["BEGIN:VCALENDAR", "VERSION:2.0", productId, "CALSCALE:GREGORIAN", "METHOD:PUBLISH"]
  .map((line) => `${line}\r\n`)
  .join("");

function timeZonePart({ when }: EventItem, zone: string): string {
  if (when.kind === "dates" || isUtc(zone)) return "";
  const fromYear = when.start.withTimeZone(zone).year;
  // An event without an end is shown with a default duration, which may reach into the next year.
  return writeTimeZone({ zone, fromYear, toYear: (when.end ?? when.start).year + 1 });
}
