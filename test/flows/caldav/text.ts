/** A new entry as a program writes it. */
export function newText(entry: {
  readonly component: "VEVENT" | "VTODO";
  readonly uid: string;
  readonly title: string;
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly more?: readonly string[];
}): string {
  const { component, uid, title, day, more = [] } = entry;
  const name = component === "VEVENT" ? "DTSTART" : "DUE";
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Someone else//EN",
    `BEGIN:${component}`,
    `UID:${uid}`,
    "DTSTAMP:20261120T120000Z",
    `${name};VALUE=DATE:${day.replaceAll("-", "")}`,
    `SUMMARY:${title.replace(/([\\,;])/g, "\\$1")}`,
    "X-OF-THE-PROGRAM:stays",
    ...more,
    `END:${component}`,
    "END:VCALENDAR",
    "",
  ].join("\r\n");
}
