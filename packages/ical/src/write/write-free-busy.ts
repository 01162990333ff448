import {
  encodeUrl,
  escapeText,
  foldLines,
  writableUid,
  writeStamp,
} from "../lines/content-line.ts";

/** A period, end exclusive. */
export interface Period {
  readonly start: Temporal.Instant;
  readonly end: Temporal.Instant;
}

/** Content of a free-busy response. */
export interface FreeBusyCard {
  readonly uid: string;
  /** DTSTAMP. */
  readonly stampAt: Temporal.Instant;
  /** The requested range. */
  readonly start: Temporal.Instant;
  readonly end: Temporal.Instant;
  /** Busy periods in any order; they may overlap. */
  readonly periods: readonly Period[];
  /** Tentative periods, likewise. */
  readonly tentative: readonly Period[];
  /** Address of the person, such as `mailto:a@b.example`; null for none. */
  readonly organizer: string | null;
}

/**
 * One VFREEBUSY with folded lines and CRLF. Periods of a type are sorted, merged and clipped to the range; empty ones are
 * omitted. Source: RFC 5545 3.6.4, 3.8.2.6; RFC 4791 7.10.
 */
export function writeFreeBusy(card: FreeBusyCard): string {
  const { uid, stampAt, start, end, organizer } = card;
  return foldLines([
    "BEGIN:VFREEBUSY",
    `UID:${escapeText(writableUid(uid))}`,
    `DTSTAMP:${writeStamp(stampAt)}`,
    `DTSTART:${writeStamp(start)}`,
    `DTEND:${writeStamp(end)}`,
    ...(organizer === null ? [] : [`ORGANIZER:${encodeUrl(organizer)}`]),
    ...mergedPeriods(card.periods, card).map(lineOf("BUSY")),
    ...mergedPeriods(card.tentative, card).map(lineOf("BUSY-TENTATIVE")),
    "END:VFREEBUSY",
  ]);
}

const lineOf =
  (type: string) =>
  ({ start, end }: Period): string =>
    `FREEBUSY;FBTYPE=${type}:${writeStamp(start)}/${writeStamp(end)}`;

function mergedPeriods(periods: readonly Period[], { start, end }: Period): readonly Period[] {
  const within = periods
    .map((period) => ({ start: latest(period.start, start), end: earliest(period.end, end) }))
    .filter((period) => isBefore(period.start, period.end))
    .toSorted((a, b) => Temporal.Instant.compare(a.start, b.start));
  const merged: Period[] = [];
  for (const period of within) {
    const last = merged.at(-1);
    if (!last || isBefore(last.end, period.start)) merged.push(period);
    else merged[merged.length - 1] = { start: last.start, end: latest(last.end, period.end) };
  }
  return merged;
}

const isBefore = (a: Temporal.Instant, b: Temporal.Instant): boolean =>
  Temporal.Instant.compare(a, b) < 0;

const latest = (a: Temporal.Instant, b: Temporal.Instant): Temporal.Instant =>
  isBefore(a, b) ? b : a;

const earliest = (a: Temporal.Instant, b: Temporal.Instant): Temporal.Instant =>
  isBefore(a, b) ? a : b;
