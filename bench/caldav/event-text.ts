/** Events are four hours apart and start over after 4,000 of them, so that a month holds about 4 in 100. */
export function startOf(nth: number): Temporal.Instant {
  return firstAt.add({ hours: (nth % 4000) * 4 });
}

export const length = Temporal.Duration.from({ hours: 1 });

export const nameOf = (nth: number): string => `event-${nth}.ics`;

/** An event of the large calendar, whose UIDs are its own, as some servers want each UID once per user. */
export const largeText = (nth: number): string => eventText(nth, 0, "large");

/** A calendar object as a program puts it; another `version` says something else. */
export function eventText(nth: number, version = 0, uid = "event"): string {
  const start = startOf(nth);
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Bench//EN",
    "BEGIN:VEVENT",
    `UID:${uid}-${nth}`,
    "DTSTAMP:20261101T080000Z",
    `DTSTART:${stamp(start)}`,
    `DTEND:${stamp(start.add(length))}`,
    `SUMMARY:${titleOf(nth)}${version === 0 ? "" : `\\, version ${version}`}`,
    `DESCRIPTION:${descriptionOf(nth)}`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ];
  return lines.join("\r\n");
}

export const titleOf = (nth: number): string => `Meeting ${nth}`;

export const descriptionOf = (nth: number): string =>
  `What meeting ${nth} is about in a sentence of a usual length.`;

/** A month that holds as many events as any other. */
export const month = {
  start: Temporal.Instant.from("2027-03-01T00:00:00Z"),
  end: Temporal.Instant.from("2027-04-01T00:00:00Z"),
} as const;

/** How many of so many events take place in a span; none of them reaches over its ends. */
export function countIn({ start, end }: typeof month, size: number): number {
  return Array.from({ length: size }, (_, nth) => startOf(nth)).filter(
    (at) => Temporal.Instant.compare(at, start) >= 0 && Temporal.Instant.compare(at, end) < 0,
  ).length;
}

/** As iCalendar writes UTC. */
export function stamp(at: Temporal.Instant): string {
  return at.toString({ smallestUnit: "second" }).replace(/[-:]/g, "");
}

const firstAt = Temporal.Instant.from("2027-01-04T06:00:00Z");
