import { inZone, startsAt, wallClock } from "@dayferry/ical";
import type { PersonId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import { webLink } from "../domain/web-link.ts";
import { dayInWords, dueInWords, kindInWords, plainLine, spanInWords } from "../domain/wording.ts";
import type { Store } from "../store/store.ts";
import type { DateMove } from "../store/view/date-moves.ts";
import { say } from "../texts/say.ts";
import type { Section, SectionEntry } from "./mail-content.ts";
import { isBefore, type MailWindow, missedUntil } from "./plan-mails.ts";
import { isOpenTo, type Recipient } from "./recipients.ts";
import type { ReminderRules } from "./reminder.ts";
import { shownTitle } from "./reminder-words.ts";

/** Content of a digest; every section may be empty. */
export interface Digest {
  readonly today: Section;
  readonly week: Section;
  readonly overdue: Section;
  readonly moved: Section;
}

interface DigestContext {
  readonly store: Store;
  readonly person: PersonId;
  /** Time zone of the recipient. */
  readonly zone: string;
  readonly now: Temporal.Instant;
  /** When the last digest was made, or a moment in its place. */
  readonly since: Temporal.Instant;
  readonly webUrl: string | null;
}

/** An open item of the reader on a day. */
type SectionName = "today" | "week" | "overdue";

interface DigestEntry {
  readonly section: SectionName;
  readonly entry: SectionEntry;
  /** Sorts within the section. */
  readonly startAt: Temporal.Instant;
}

const mostEntries = 30;

/** What is ahead of the reader today and in the six days after, what is overdue, and what was moved since the last digest. */
export function gatherDigest(context: DigestContext): Digest {
  const { store, person, zone, now, since } = context;
  const today = now.toZonedDateTimeISO(zone).toPlainDate();
  const last = today.add({ days: 6 });
  const ahead = store.view
    .assignedTo(person)
    .filter(({ item }) => isOpen(item, context))
    .flatMap(({ item }) => digestEntry(item, today, context) ?? [])
    .toSorted((a, b) => Temporal.Instant.compare(a.startAt, b.startAt));
  const of = (section: SectionName) =>
    ahead.flatMap((each) => (each.section === section ? [each.entry] : []));
  const moved = store.dateMoves
    .since(since, person)
    .filter(({ shown }) => isOpen(shown.item, context))
    .flatMap((move) => movedEntry(move, context) ?? []);
  return {
    today: section(say("digest.today", { day: dayInWords(today) }), of("today")),
    week: section(say("digest.week", { day: dayInWords(last) }), of("week")),
    overdue: section(say("digest.overdue"), of("overdue")),
    moved: section(say("digest.moved"), moved),
  };
}

/** Number of its entries. */
export const countIn = ({ entries, more }: Section): number => entries.length + more;

export const isEmpty = ({ today, week, overdue, moved }: Digest): boolean =>
  [today, week, overdue, moved].every((part) => countIn(part) === 0);

function section(heading: string, entries: readonly SectionEntry[]): Section {
  const shown = entries.slice(0, mostEntries);
  return {
    kind: "section",
    heading: `${heading} (${entries.length})`,
    entries: shown,
    more: entries.length - shown.length,
  };
}

const isOpen = (item: Item, { store: { directory }, person }: DigestContext): boolean =>
  !item.completed && isOpenTo(person, item, directory);

function digestEntry(
  item: Item,
  today: Temporal.PlainDate,
  context: DigestContext,
): DigestEntry | null {
  const { zone } = context;
  const days = daysOf(item, zone);
  if (!days) return null;
  const section = sectionOn(days, { today, canBeLate: item.kind !== "event" || item.milestone });
  if (!section) return null;
  const startAt =
    item.kind === "event"
      ? startsAt(item.when, zone)
      : days.first.toZonedDateTime(zone).toInstant();
  const late = section === "overdue" ? [dueInWords(days.last, today)] : [];
  return { section, startAt, entry: sectionEntry(item, late, context) };
}

interface Days {
  readonly first: Temporal.PlainDate;
  readonly last: Temporal.PlainDate;
}

function sectionOn(
  { first, last }: Days,
  { today, canBeLate }: { readonly today: Temporal.PlainDate; readonly canBeLate: boolean },
): SectionName | null {
  if (isAfter(today, last)) return canBeLate ? "overdue" : null;
  if (!isAfter(first, today)) return "today";
  return isAfter(first, today.add({ days: 6 })) ? null : "week";
}

const isAfter = (a: Temporal.PlainDate, b: Temporal.PlainDate): boolean =>
  Temporal.PlainDate.compare(a, b) > 0;

function daysOf(item: Item, zone: string): Days | null {
  if (item.kind !== "event") return item.dueOn && { first: item.dueOn, last: item.dueOn };
  const when = inZone(item.when, zone);
  if (when.kind === "dates") return { first: when.start, last: when.end.subtract({ days: 1 }) };
  // An end at midnight belongs to the day before.
  const end = when.end ? when.end.subtract({ nanoseconds: 1 }) : when.start;
  return { first: when.start.toPlainDate(), last: end.toPlainDate() };
}

function sectionEntry(item: Item, about: readonly string[], context: DigestContext): SectionEntry {
  const { store, zone, webUrl } = context;
  const project = store.directory.project(item.projectId)?.title ?? "";
  const parts = [...about, datesInWords(item, zone), kindInWords(item), plainLine(project)];
  return {
    title: shownTitle(item),
    about: parts.filter(Boolean).join(" · "),
    url: webLink(webUrl, item),
  };
}

/** Null if the reader would see no difference. */
function movedEntry(
  { shown, before, actor }: DateMove,
  context: DigestContext,
): SectionEntry | null {
  const { store, person, zone } = context;
  const { item } = shown;
  const [from, to] = [datesInWords(before, zone), datesInWords(item, zone)];
  if (from === to) return null;
  const name = actor === null ? undefined : store.directory.personNames().get(actor);
  const by =
    actor === person
      ? say("digest.byYou")
      : name === undefined
        ? ""
        : say("digest.by", { name: plainLine(name) });
  const project = plainLine(store.directory.project(item.projectId)?.title ?? "");
  return {
    title: shownTitle(item),
    about: [`${from} → ${to}`, by, project].filter(Boolean).join(" · "),
    url: webLink(context.webUrl, item),
  };
}

function datesInWords(item: Item, zone: string): string {
  if (item.kind !== "event")
    return item.dueOn ? say("digest.due", { day: dayInWords(item.dueOn) }) : say("word.noDate");
  return spanInWords(item.when, zone);
}

/** When digests are sent, in the recipient's time zone. */
export interface DigestRule {
  readonly at: Temporal.PlainTime;
  /** 1 for Monday to 7 for Sunday; null for every day. */
  readonly weekday: number | null;
}

/** The digest of one day. Each day has exactly one, also when clocks change. */
export interface DigestTurn extends MailWindow {
  readonly day: Temporal.PlainDate;
}

/** The most recent digest that is due, and the time of the next one. */
export function digestTurn(
  rule: DigestRule,
  {
    reader: { zone, digestAt },
    now,
    rules,
  }: {
    readonly reader: Pick<Recipient, "zone" | "digestAt">;
    readonly now: Temporal.Instant;
    readonly rules: Pick<ReminderRules, "catchUp">;
  },
): { readonly turn: DigestTurn; readonly nextAt: Temporal.Instant } {
  const momentOf = (day: Temporal.PlainDate) =>
    wallClock(day.toPlainDateTime(digestAt ?? rule.at), zone).toInstant();
  const step = { days: rule.weekday === null ? 1 : 7 };
  let day = latestDay(rule, now.toZonedDateTimeISO(zone).toPlainDate());
  if (isBefore(now, momentOf(day))) day = day.subtract(step);
  const dueAt = momentOf(day);
  const nextAt = momentOf(day.add(step));
  const until = missedUntil(dueAt, rules);
  const lapsesAt = isBefore(nextAt, until) ? nextAt : until;
  return { turn: { day, dueAt, lapsesAt, endsAt: nextAt }, nextAt };
}

function latestDay({ weekday }: DigestRule, today: Temporal.PlainDate): Temporal.PlainDate {
  return weekday === null ? today : today.subtract({ days: (today.dayOfWeek - weekday + 7) % 7 });
}
