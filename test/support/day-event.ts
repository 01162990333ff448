/** A calendar file with one whole day of this title, whose UID is made of that. */
export const dayEvent = (title: string): string =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Tests//EN",
    "BEGIN:VEVENT",
    `UID:${title.replaceAll(" ", "-")}@example.com`,
    "DTSTAMP:20260101T000000Z",
    `SUMMARY:${title}`,
    "DTSTART;VALUE=DATE:20261224",
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
