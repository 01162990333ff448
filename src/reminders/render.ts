import { type EventItem, type Person, spokenKind } from "../domain/item.ts";
import { isZone } from "../domain/when.ts";
import { oneLine, plainDescription } from "../ics/text.ts";
import { distanceInWords, lengthInWords, momentInWords, spanInWords } from "./wording.ts";

/** What a reminder is about and who reads it. */
export interface Occasion {
  readonly item: EventItem;
  readonly reader: Person;
  /** Names of the others who are assigned. */
  readonly others: readonly string[];
  /** Title of the project; null when it is not known. */
  readonly project: string | null;
  /** Address of the item on the service's own pages; null for none. */
  readonly link: string | null;
  readonly dueAt: Temporal.Instant;
  readonly now: Temporal.Instant;
  /** The account's zone, for readers without one of their own. */
  readonly zone: string;
}

export interface RenderedReminder {
  /** One line, whatever the title holds. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The words of a reminder, in the reader's own zone. */
export function renderReminder(occasion: Occasion): RenderedReminder {
  const zone = zoneOf(occasion);
  const title = excerpt(plainLine(occasion.item.title), 300) || "(untitled)";
  const span = spanInWords(occasion.item.when, zone);
  const note = noteOf(occasion, { title, span, zone });
  return {
    subject: `Reminder: ${excerpt(title, 100)} – ${span}`,
    text: textOf(note),
    html: htmlOf(note),
  };
}

/** What both forms of the mail say. */
interface Note {
  readonly title: string;
  readonly span: string;
  readonly distance: string;
  /** "Late" notice; null for a punctual mail. */
  readonly late: string | null;
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  /** "" for none. */
  readonly description: string;
  readonly link: string | null;
  readonly reason: string;
}

/** Later than this it is worth a word. */
const punctual = Temporal.Duration.from({ minutes: 5 });

function noteOf(
  { item, others, project, link, dueAt, now }: Occasion,
  { title, span, zone }: { readonly title: string; readonly span: string; readonly zone: string },
): Note {
  const isLate = Temporal.Instant.compare(dueAt.add(punctual), now) < 0;
  return {
    title,
    span,
    distance: distanceInWords(item.when, now.toZonedDateTimeISO(zone)),
    late: isLate ? `This mail is late: it was due on ${momentInWords(dueAt, zone)}.` : null,
    facts: [
      { name: "Project", value: plainLine(project ?? "") },
      { name: "Also assigned", value: others.map(plainLine).filter(Boolean).join(", ") },
      { name: "Private", value: item.private ? "for its creator and the people assigned" : "" },
    ].filter(({ value }) => value !== ""),
    description: excerpt(withoutOverrides(plainDescription(item.description)).trimStart(), 800),
    link,
    reason: reasonOf(item),
  };
}

function reasonOf(item: EventItem): string {
  const kind = spokenKind(item);
  // An exact length: it knows neither zones nor changes of the clocks.
  const epoch = new Temporal.ZonedDateTime(0n, "UTC");
  const before =
    !item.reminder || item.reminder.sign === 0
      ? "at its start"
      : `${lengthInWords(item.reminder, epoch)} before its start`;
  return `You get this mail because you are assigned and the ${kind} has a reminder ${before}.`;
}

function textOf(note: Note): string {
  const facts = note.facts.map(({ name, value }) => `${name}: ${value}`);
  const blocks = [
    [note.title, note.span, note.distance, ...(note.late ? [note.late] : [])],
    facts,
    note.description === "" ? [] : [note.description],
    note.link === null ? [] : [`Open: ${note.link}`],
    // The usual mark before what is no part of the message.
    ["-- ", note.reason],
  ];
  const shown = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `${shown.join("\n\n")}\n`;
}

function htmlOf(note: Note): string {
  const facts = note.facts.map(
    ({ name, value }) => `<p style="margin:0">${name}: <bdi>${escapeHtml(value)}</bdi></p>`,
  );
  const lines = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<title>${escapeHtml(note.title)}</title></head>`,
    '<body style="font-family:sans-serif;line-height:1.4">',
    `<h2 dir="auto" style="margin:0 0 .3em">${escapeHtml(note.title)}</h2>`,
    `<p style="margin:0"><strong>${escapeHtml(note.span)}</strong></p>`,
    `<p style="margin:0 0 1em">${escapeHtml(note.distance)}</p>`,
    ...(note.late ? [`<p><em>${escapeHtml(note.late)}</em></p>`] : []),
    ...facts,
    ...(note.description === ""
      ? []
      : [`<p dir="auto" style="white-space:pre-wrap">${escapeHtml(note.description)}</p>`]),
    ...(note.link === null ? [] : [`<p><a href="${escapeHtml(note.link)}">Open</a></p>`]),
    `<p style="color:#666;font-size:.85em">${escapeHtml(note.reason)}</p>`,
    "</body></html>",
  ];
  return `${lines.join("\n")}\n`;
}

const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

/** The first `most` characters as readers count them, with an ellipsis where something was left out. */
function excerpt(text: string, most: number): string {
  if (text.length <= most) return text;
  let kept = "";
  let count = 0;
  for (const { segment } of new Intl.Segmenter("en").segment(text)) {
    // A single character may be made of any number of marks.
    if (++count > most || kept.length + segment.length > most * 8) return `${kept.trimEnd()}…`;
    kept += segment;
  }
  return text;
}

const plainLine = (text: string): string => oneLine(withoutOverrides(text));

/** Without the marks that turn the direction of all that follows, so that a title cannot disguise the date behind it. */
const withoutOverrides = (text: string): string =>
  text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");

const zoneOf = ({ reader, zone }: Occasion): string =>
  reader.timeZone !== null && isZone(reader.timeZone) ? reader.timeZone : zone;
