import ical, {
  ICalAlarm,
  ICalAlarmType,
  ICalEvent,
  ICalEventClass,
  type ICalEventData,
  ICalEventTransparency,
} from "ical-generator";
import { baseMark } from "../base-mark.ts";
import {
  encodeUrl,
  escapeText,
  foldLines,
  writableCategories,
  writableUid,
} from "../lines/content-line.ts";
import { cleanText } from "../text.ts";
import { defaultLength, isReadTwice, type When } from "../when.ts";
import { isUtc } from "../zones/zones.ts";

/** Properties that events and to-dos share. */
export interface ItemCard {
  readonly uid: string;
  /** Written twice, because programs that edit increase SEQUENCE but keep the base mark. */
  readonly sequence: number;
  /** DTSTAMP and LAST-MODIFIED. */
  readonly stampAt: Temporal.Instant;
  readonly createdAt: Temporal.Instant | null;
  readonly summary: string;
  /** Plain text; "" for none. */
  readonly description: string;
  readonly categories: readonly string[];
  readonly classification: "PUBLIC" | "PRIVATE" | null;
  readonly url: string | null;
  /** Further plain-text properties by name; empty ones are omitted. */
  readonly texts?: ReadonlyMap<string, string>;
}

/** Their lines, not folded. */
export const textLinesOf = ({ texts = new Map<string, string>() }: ItemCard): readonly string[] =>
  [...texts].flatMap(([name, text]) => {
    const clean = cleanText(text);
    return clean === "" ? [] : [`${name}:${escapeText(clean)}`];
  });

/** Content of a published event. */
export interface EventCard extends ItemCard {
  /** The description as HTML for programs that show it; null for none. */
  readonly html: string | null;
  readonly when: When;
  /** The account's IANA time zone, in which times are written. */
  readonly zone: string;
  /** Time before the start; null for no alarm. */
  readonly reminder: Temporal.Duration | null;
  readonly transparent: boolean;
  readonly status: string | null;
}

/** Thrown for a card that cannot be an event; callers must not create one. */
export class UnwritableEventError extends Error {
  override readonly name = "UnwritableEventError";
  readonly uid: string;
  constructor(uid: string, reason: string) {
    super(`event ${JSON.stringify(uid)} cannot be written: ${reason}`);
    this.uid = uid;
  }
}

/**
 * One VEVENT with folded lines and CRLF; equal cards give equal text. Times are in `zone`. If one falls into a repeated hour,
 * both are in UTC: a local time cannot express the second pass, and some programs read the first as the second. DTEND is always
 * present: exclusive for dates, `defaultLength` after the start for times without an end. Throws `UnwritableEventError` if the
 * UID is empty or the end is before the start. Source: RFC 5545 3.6.1, 3.6.6.
 */
export function writeEvent(card: EventCard): string {
  const uid = writableUid(card.uid);
  if (uid === "") throw new UnwritableEventError(card.uid, "its UID is empty");
  const event = new ICalEvent(eventData(card, uid), ical());
  const lines = event.toString().split("\r\n");
  const alarm = card.reminder ? alarmText(event, card.reminder) : "";
  // Alarms come after all properties, and the library only accepts its own three values for STATUS.
  const end = lines.lastIndexOf("END:VEVENT");
  const mark = `${baseMark}:${card.sequence}`;
  const own = [...lines.slice(0, end), ...textLinesOf(card), mark];
  const inner = [...own, ...statusLines(card.status), ...alarm.split("\r\n")];
  return foldLines([...inner.filter((line) => line !== ""), "END:VEVENT"]);
}

function eventData(card: EventCard, uid: string): ICalEventData {
  const description = cleanText(card.description);
  const html = card.html === null ? "" : cleanText(card.html);
  return {
    // The library does not escape it.
    id: escapeText(uid),
    sequence: card.sequence,
    stamp: card.stampAt,
    lastModified: card.stampAt,
    created: card.createdAt,
    ...times(card),
    summary: cleanText(card.summary),
    description:
      description === "" ? null : { plain: description, ...(html === "" ? {} : { html }) },
    categories: writableCategories(card.categories).map((name) => ({ name })),
    transparency: card.transparent
      ? ICalEventTransparency.TRANSPARENT
      : ICalEventTransparency.OPAQUE,
    class: card.classification === null ? null : ICalEventClass[card.classification],
    url: card.url === null ? null : encodeUrl(card.url),
  };
}

type Times = Pick<ICalEventData, "allDay" | "start" | "end" | "timezone"> & {
  readonly start: NonNullable<ICalEventData["start"]>;
};

function times({ uid, when, zone }: EventCard): Times {
  if (when.kind === "dates") {
    if (Temporal.PlainDate.compare(when.end, when.start) <= 0) {
      throw new UnwritableEventError(
        uid,
        `it ends on ${when.end.toString()} and starts on ${when.start.toString()}`,
      );
    }
    return { allDay: true, start: when.start, end: when.end };
  }
  const start = when.start.withTimeZone(zone);
  const end = (when.end ?? when.start.add(defaultLength)).withTimeZone(zone);
  if (Temporal.ZonedDateTime.compare(end, start) < 0) {
    throw new UnwritableEventError(
      uid,
      `it ends at ${end.toString()} and starts at ${start.toString()}`,
    );
  }
  if (isUtc(zone) || isReadTwice(start) || isReadTwice(end)) {
    return { start: start.toInstant(), end: end.toInstant() };
  }
  return { start, end, timezone: zone };
}

function alarmText(event: ICalEvent, reminder: Temporal.Duration): string {
  const day = new Temporal.PlainDate(2026, 1, 1);
  const trigger = Math.max(0, Math.trunc(reminder.total({ unit: "seconds", relativeTo: day })));
  const description = event.summary().trim() || "Reminder";
  return new ICalAlarm({ type: ICalAlarmType.display, trigger, description }, event).toString();
}

function statusLines(status: string | null): readonly string[] {
  const word = status?.trim().toUpperCase() ?? "";
  return /^[A-Z-]+$/.test(word) ? [`STATUS:${word}`] : [];
}
