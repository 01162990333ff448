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

/** What a calendar in a mail does: shows an event, invites to it, or takes that back. */
export type CalendarMethod = "PUBLISH" | "REQUEST" | "CANCEL";

interface CalendarPart {
  readonly method: CalendarMethod;
  /** The account's time zone, of the times. */
  readonly zone: string;
  readonly link: string | null;
  /** The sender of the mail, who is the ORGANIZER. */
  readonly from: Mailbox;
  /** Who is invited; null for PUBLISH. */
  readonly to: Mailbox | null;
  /** True for the event's own alarm. */
  readonly hasAlarm: boolean;
}

/**
 * The event as a calendar with the UID used in feeds. An alarm reminds beside the service and the mails. An invitation wants
 * no answer. Throws UnwritableEventError. Source: RFC 5546 3.2.1, 3.2.2, 3.2.5.
 */
export function writeCalendarPart(
  shown: Pick<ViewItem, "uid" | "sequence" | "modifiedAt">,
  item: EventItem,
  { method, zone, link, from, to, hasAlarm }: CalendarPart,
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
    reminder: hasAlarm ? item.reminder : null,
    transparent: item.when.kind === "dates",
    classification: item.private ? "PRIVATE" : null,
    status: method === "PUBLISH" ? null : method === "CANCEL" ? "CANCELLED" : "CONFIRMED",
    url: link,
  });
  // Properties precede an alarm.
  const end = event.search(/^(?:BEGIN:VALARM|END:VEVENT)\r\n/m);
  const people = foldLines([
    personLine("ORGANIZER", from),
    ...(to ? [personLine("ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=FALSE", to)] : []),
  ]);
  const head = [...header, `METHOD:${method}`].map((line) => `${line}\r\n`).join("");
  return `${head}${timeZonePart(item, zone)}${event.slice(0, end)}${people}${event.slice(end)}${calendarEnd}`;
}

/** Source: RFC 5545 3.8.4.1, 3.8.4.3, RFC 6068 section 2. */
function personLine(property: string, { name, address }: Mailbox): string {
  const cn = parameterValue(name);
  const uri = encodeURIComponent(address.toWellFormed())
    .replaceAll("%40", "@")
    .replaceAll("%2B", "+");
  return `${property}${cn === "" ? "" : `;CN=${cn}`}:mailto:${uri}`;
}

/** Source: RFC 5545 3.2, RFC 6868 section 3. */
function parameterValue(text: string): string {
  const escaped = oneLine(text).replaceAll("^", "^^").replaceAll('"', "^'");
  return /[:;,]/.test(escaped) ? `"${escaped}"` : escaped;
}

/** Without a name or refresh interval, which would make programs offer it as a calendar to subscribe to. */
const header = ["BEGIN:VCALENDAR", "VERSION:2.0", productId, "CALSCALE:GREGORIAN"];

function timeZonePart({ when }: EventItem, zone: string): string {
  if (when.kind === "dates" || isUtc(zone)) return "";
  const fromYear = when.start.withTimeZone(zone).year;
  // An event without an end is shown with a default duration, which may reach into the next year.
  return writeTimeZone({ zone, fromYear, toYear: (when.end ?? when.start).year + 1 });
}
