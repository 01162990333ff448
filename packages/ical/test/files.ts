import {
  type IcsProblem,
  type IncomingCalendar,
  type IncomingItem,
  readCalendar,
} from "@dayferry/ical";

export const zone = "Europe/Berlin";

export const octets = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A file with these lines and CRLF. */
export const file = (...lines: readonly string[]): Uint8Array =>
  octets(lines.map((line) => `${line}\r\n`).join(""));

/** A calendar around these lines; the first is line 3. */
export const calendar = (...lines: readonly string[]): Uint8Array =>
  file("BEGIN:VCALENDAR", "VERSION:2.0", ...lines, "END:VCALENDAR");

/** A calendar with one event with these properties; the first is line 5. */
export const eventFile = (...lines: readonly string[]): Uint8Array =>
  calendar("BEGIN:VEVENT", "UID:u1", ...lines, "END:VEVENT");

export const todoFile = (...lines: readonly string[]): Uint8Array =>
  calendar("BEGIN:VTODO", "UID:u1", ...lines, "END:VTODO");

export function readFine(bytes: Uint8Array): IncomingCalendar {
  const read = readCalendar(bytes, { zone });
  if (!read.ok) throw new Error(`refused: ${JSON.stringify(read.failure)}`);
  return read.value;
}

/** The one item of a file. */
export function readOne(bytes: Uint8Array): IncomingItem {
  const [item, ...others] = readFine(bytes).items;
  if (!item || others.length > 0) throw new Error("the file does not hold one item");
  return item;
}

export function refusalOf(bytes: Uint8Array): readonly IcsProblem[] {
  const read = readCalendar(bytes, { zone });
  return read.ok ? [] : read.failure;
}

/** Line, UID and code of each problem of the one item of a file. */
export const problemsOf = (
  bytes: Uint8Array,
): readonly (readonly [number | null, string | null, string])[] =>
  readOne(bytes).problems.map(({ line, uid, code }) => [line, uid, code]);
