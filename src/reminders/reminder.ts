import { startsAt, type When, wholeMinutes } from "@dayferry/ical";
import type { ItemKey, PersonId } from "../domain/ids.ts";
import { canComplete, type Item } from "../domain/item.ts";
import type { MailKind } from "../domain/mail-kind.ts";
import type { ReminderTimes } from "../domain/reminder-times.ts";
import type { MailSort } from "../store/mails/ledger.ts";
import type { ViewItem } from "../store/view/view.ts";

export interface ReminderRules extends Omit<ReminderTimes, "digestAt"> {
  /** Time zone of the account, in which all-day events begin. */
  readonly zone: string;
  /** True if events' own reminders are mailed; the service may do so itself. */
  readonly events: boolean;
  readonly overdue: boolean;
  /** The times that a person has chosen instead; null for none. Default: nobody has. */
  readonly chosenBy?: (person: PersonId) => ReminderTimes | null;
  readonly installedAt: Temporal.Instant;
  /** It is unknown what was sent before this: it is not sent again. null if everything is known. */
  readonly restoredAt: Temporal.Instant | null;
  /** How late a missed reminder may still be sent. */
  readonly catchUp: Temporal.Duration;
}

/** One reminder of an item. A rescheduled item has another one. */
export interface Reminder {
  readonly sort: Exclude<MailSort, "digest">;
  /** The kind people use to turn it off. */
  readonly kind: MailKind;
  readonly item: ItemKey;
  /** The start as an instant, or the day. */
  readonly occurrence: string;
  /** ISO 8601; an event's own lead in minutes. "" for overdue items. */
  readonly lead: string;
  readonly timing: Timing;
  /** First seen by this installation. */
  readonly knownAt: Temporal.Instant;
  readonly people: readonly PersonId[];
}

/** When it is due: at the same instant for everybody, or counted back from a day in the recipient's time zone. */
type Timing =
  | {
      readonly kind: "moment";
      readonly startAt: Temporal.Instant;
      readonly dueAt: Temporal.Instant;
    }
  | { readonly kind: "before"; readonly day: DayOf; readonly lead: Temporal.Duration }
  | { readonly kind: "after"; readonly day: DayOf };

/** A day, or an instant whose day depends on the recipient's time zone. */
type DayOf =
  | { readonly kind: "on"; readonly day: Temporal.PlainDate }
  | { readonly kind: "at"; readonly moment: Temporal.Instant };

/** The reminders of an item; empty if it is completed or has no assignees. */
export function remindersOf(shown: ViewItem, rules: ReminderRules): readonly Reminder[] {
  const { item } = shown;
  if (item.completed || item.assigned.length === 0) return [];
  const common = {
    item: shown.key,
    knownAt: shown.knownAt,
    people: [...new Set(item.assigned)],
  };
  return [
    ...ownOf(item, rules),
    ...leadsOf(item, { rules, people: common.people }),
    ...overdueOf(item, rules),
  ].map((reminder) => ({ ...common, ...reminder }));
}

/** The first day of a milestone, or the due day of a task; null if it has none. */
function dueDayOf(item: Item): DayOf | null {
  if (item.kind !== "event") return item.dueOn && { kind: "on", day: item.dueOn };
  return item.milestone ? firstDay(item.when) : null;
}

/** The last day on which a completable item is on time; null if it has none. */
function lastDayOf(item: Item): DayOf | null {
  if (item.kind !== "event" || !item.milestone) return dueDayOf(item);
  const { when } = item;
  if (when.kind === "dates") return { kind: "on", day: when.end.subtract({ days: 1 }) };
  return { kind: "at", moment: (when.end ?? when.start).toInstant() };
}

/** The day in a time zone. */
export const dayIn = (of: DayOf, zone: string): Temporal.PlainDate =>
  of.kind === "on" ? of.day : of.moment.toZonedDateTimeISO(zone).toPlainDate();

type Bare = Omit<Reminder, "item" | "knownAt" | "people">;

/** One lead, for those who want it. */
type Lead = Omit<Reminder, "item" | "knownAt">;

function ownOf(item: Item, { events, zone }: ReminderRules): readonly Bare[] {
  if (!events || item.kind !== "event" || !item.reminder) return [];
  const lead = Temporal.Duration.from({ minutes: wholeMinutes(item.reminder) });
  const startAt = startsAt(item.when, zone);
  return [
    {
      sort: "reminder",
      kind: item.milestone ? "milestones" : "events",
      occurrence: startAt.toString(),
      lead: lead.toString(),
      timing: { kind: "moment", startAt, dueAt: startAt.subtract(lead) },
    },
  ];
}

function leadsOf(
  item: Item,
  { rules, people }: { readonly rules: ReminderRules; readonly people: readonly PersonId[] },
): readonly Lead[] {
  const day = dueDayOf(item);
  if (!day) return [];
  const kind = item.kind === "event" ? "milestones" : "tasks";
  const leads = new Map<string, { readonly lead: Temporal.Duration; readonly of: Set<PersonId> }>();
  for (const person of people) {
    for (const lead of (rules.chosenBy?.(person) ?? rules)[kind].map(inDays)) {
      const text = lead.toString();
      const known = leads.get(text) ?? { lead, of: new Set() };
      known.of.add(person);
      leads.set(text, known);
    }
  }
  return [...leads].map(([text, { lead, of }]) => ({
    sort: "lead",
    kind,
    occurrence: occurrenceOf(day),
    lead: text,
    timing: { kind: "before", day, lead },
    people: [...of],
  }));
}

function overdueOf(item: Item, { overdue }: ReminderRules): readonly Bare[] {
  const day = lastDayOf(item);
  if (!overdue || !day || !canComplete(item)) return [];
  const occurrence = occurrenceOf(day);
  return [
    { sort: "overdue", kind: "overdue", occurrence, lead: "", timing: { kind: "after", day } },
  ];
}

function firstDay(when: When): DayOf {
  return when.kind === "dates"
    ? { kind: "on", day: when.start }
    : { kind: "at", moment: when.start.toInstant() };
}

const occurrenceOf = (of: DayOf): string =>
  of.kind === "on" ? of.day.toString() : of.moment.toString();

/** A week is seven days, however it is written: rewriting the configuration must not change a lead's identity. */
export const inDays = (lead: Temporal.Duration): Temporal.Duration =>
  lead.with({ days: lead.days + 7 * lead.weeks, weeks: 0 });
