import {
  type IncomingItem,
  type IncomingTime,
  inEnglish,
  propertyName,
  readCalendar,
  type When,
} from "@dayferry/ical";
import { withoutSignatures } from "../../domain/signed-links.ts";

/**
 * The newer version of a component with only the properties that differ from the older one, so that nothing else counts as a
 * change. Null if none differs.
 */
export function newlySaid(newer: IncomingItem, older: IncomingItem): IncomingItem | null {
  const said = new Set(groups.filter(({ of }) => key(of(newer)) !== key(of(older))));
  const lost = new Set(older.unstorable.map(lossKey));
  const unstorable = newer.unstorable.filter((loss) => !lost.has(lossKey(loss)));
  const isMoved = said.has(times);
  const isTicked = said.has(completion);
  const spoken: IncomingItem = {
    ...newer,
    summary: said.has(title) ? newer.summary : undefined,
    description: said.has(text) ? newer.description : undefined,
    when: isMoved ? newer.when : undefined,
    start: isMoved ? newer.start : undefined,
    due: isMoved ? newer.due : undefined,
    status: isTicked ? newer.status : undefined,
    completedAt: isTicked ? newer.completedAt : undefined,
    percent: isTicked ? newer.percent : undefined,
    categories: said.has(categories) ? newer.categories : undefined,
    alarm: said.has(alarm) ? newer.alarm : undefined,
    classification: said.has(privacy) ? newer.classification : undefined,
    attendees: said.has(people) ? newer.attendees : undefined,
    relatedTo: said.has(parent) ? newer.relatedTo : undefined,
    comments: said.has(comments) ? newer.comments : [],
    attachments: said.has(files) ? newer.attachments : [],
    unstorable,
  };
  return said.size > 0 ? spoken : null;
}

const lossKey = ({ name, reason }: IncomingItem["unstorable"][number]): string =>
  `${name} ${inEnglish(reason)}`;

/** True if a component claims to be newer than another of the same calendar. */
export function claimsNewer(a: IncomingItem, b: IncomingItem): boolean {
  if ((a.sequence ?? 0) > (b.sequence ?? 0)) return true;
  if (!a.lastModified || !b.lastModified) return false;
  return Temporal.Instant.compare(a.lastModified, b.lastModified) > 0;
}

interface Group {
  readonly of: (item: IncomingItem) => unknown;
}

const title: Group = { of: ({ summary }) => summary?.trim() };
const text: Group = { of: ({ description }) => description?.trimEnd() };
const times: Group = { of: timeKey };
const completion: Group = {
  of: ({ status, completedAt, percent }) => [status, completedAt?.toString(), percent],
};
const categories: Group = { of: (item) => item.categories?.toSorted() };
const alarm: Group = {
  of: (item) => item.alarm?.total({ unit: "minutes", relativeTo }),
};
const privacy: Group = { of: ({ classification }) => classification };
const people: Group = { of: ({ attendees }) => attendees?.toSorted() };
const parent: Group = { of: ({ relatedTo }) => relatedTo };
const comments: Group = { of: (item) => item.comments };
const files: Group = {
  of: (item) => item.attachments.map(({ name, type, content }) => [name, type, content.length]),
};
const groups: readonly Group[] = [
  title,
  text,
  times,
  completion,
  categories,
  alarm,
  privacy,
  people,
  parent,
  comments,
  files,
];

const relativeTo = new Temporal.PlainDate(2026, 1, 1);

const key = (value: unknown): string => JSON.stringify(value) ?? "";

/**
 * A component as text that can be stored and parsed without its file's zones: times in UTC, the end instead of a duration, no
 * DTSTAMP, which calendars renew with every response.
 */
export function subscribedText(incoming: IncomingItem): string {
  const times = timeLines(incoming);
  let depth = 0;
  const lines = incoming.raw.flatMap((line) => {
    const name = propertyName(line);
    if (name === "END") depth--;
    const own = depth === 1;
    if (name === "BEGIN") depth++;
    if (!own) return [line];
    return name === "DTSTAMP" ? [] : [times.get(name) ?? line];
  });
  return withoutSignatures(lines.join("\r\n"));
}

/** The parsed texts, in order; null for one that cannot be parsed any more. */
export function readSubscribed(
  texts: readonly string[],
  zone: string,
): readonly (IncomingItem | null)[] {
  const known = texts.filter((text) => text !== "");
  const read: (IncomingItem | null)[] = [];
  for (let at = 0; at < known.length; at += atOnce) {
    const some = known.slice(at, at + atOnce);
    read.push(...(readAll(some, zone) ?? some.map((text) => readAll([text], zone)?.[0] ?? null)));
  }
  let next = 0;
  return texts.map((text) => (text === "" ? null : (read[next++] ?? null)));
}

/** The text without its UID and stamps: equal for an item that only got a new UID. */
export function meaningOf(text: string): string {
  return text
    .split("\r\n")
    .filter((line) => !stamps.has(propertyName(line)) && !line.startsWith("X-"))
    .join("\r\n");
}

/** Title, start and end in one text, which identify an item for people. */
export function contentKey(incoming: IncomingItem): string {
  const { summary, start, due } = incoming;
  const end = incoming.when ? endOf(incoming.when) : (due ?? null);
  return JSON.stringify([summary?.trim() ?? "", start ?? null, end].map(plainTime));
}

/** Start and end in one text. */
export function timeKey(incoming: IncomingItem): string {
  return contentKey({ ...incoming, summary: undefined });
}

const atOnce = 500;
const stamps: ReadonlySet<string> = new Set(["UID", "SEQUENCE", "LAST-MODIFIED", "CREATED"]);

function readAll(texts: readonly string[], zone: string): readonly IncomingItem[] | null {
  const file = ["BEGIN:VCALENDAR", "VERSION:2.0", ...texts, "END:VCALENDAR", ""].join("\r\n");
  const read = readCalendar(Buffer.from(file), { zone });
  return read.ok && read.value.items.length === texts.length ? read.value.items : null;
}

/** The lines with times, by the properties they stand for. */
function timeLines({
  component,
  start,
  due,
  when,
  completedAt,
}: IncomingItem): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  if (start) lines.set("DTSTART", timeLine("DTSTART", start));
  const end = component === "VTODO" ? due : when && endOf(when);
  const endName = component === "VTODO" ? "DUE" : "DTEND";
  for (const name of end ? [endName, "DURATION"] : []) {
    if (end) lines.set(name, timeLine(endName, end));
  }
  if (completedAt) lines.set("COMPLETED", `COMPLETED:${utc(completedAt)}`);
  return lines;
}

function timeLine(name: string, time: IncomingTime): string {
  return time.kind === "date"
    ? `${name};VALUE=DATE:${time.on.toString().replaceAll("-", "")}`
    : `${name}:${utc(time.at.toInstant())}`;
}

const utc = (at: Temporal.Instant): string =>
  at.toString({ smallestUnit: "second" }).replace(/[-:]/g, "");

function endOf(when: When): IncomingTime {
  if (when.kind === "dates") return { kind: "date", on: when.end };
  return { kind: "time", at: when.end ?? when.start };
}

function plainTime(part: string | IncomingTime | null): string | null {
  if (part === null || typeof part === "string") return part;
  return part.kind === "date" ? part.on.toString() : utc(part.at.toInstant());
}
