import type { Item, Person } from "../domain/item.ts";
import { unreachable } from "../domain/result.ts";
import type { NamedLink } from "../domain/signed-links.ts";
import { plainDescription } from "../domain/text.ts";
import {
  clockInWords,
  dayInWords,
  distanceInWords,
  dueInWords,
  excerpt,
  kindInWords,
  lengthInWords,
  momentInWords,
  plainLine,
  spanInWords,
  withoutOverrides,
} from "../domain/wording.ts";
import type { ViewItem } from "../store/view/view.ts";
import { say } from "../texts/say.ts";
import type { MailContent, MailPart } from "./mail-content.ts";
import { type UnsubscribeLink, zoneFor } from "./recipients.ts";
import { dayIn, type Reminder } from "./reminder.ts";

/** What a reminder is about and who receives it. */
export interface ReminderContext {
  readonly reminder: Pick<Reminder, "sort" | "timing">;
  readonly item: Item;
  readonly reader: Person;
  /** Names of the other assignees. */
  readonly others: readonly string[];
  /** Title of the project, and of a task's list; null if unknown. */
  readonly project: string | null;
  readonly list: string | null;
  /** Title of a subtask's parent task; null for other items and if unknown. */
  readonly parent: string | null;
  /** True if only some people may see it. */
  readonly isPrivate: boolean;
  /** Link to the item in the service, and its action links. */
  readonly links: readonly NamedLink[];
  readonly dueAt: Temporal.Instant;
  readonly now: Temporal.Instant;
  /** Time zone of the account, for recipients without their own. */
  readonly zone: string;
  /** Time of day from which days are counted back. */
  readonly at: Temporal.PlainTime;
  /** Warnings of outdated data; empty if fresh. */
  readonly stale: readonly string[];
  readonly unsubscribe: UnsubscribeLink | null;
}

/** The text of a reminder, in the recipient's time zone. */
export function reminderContent(context: ReminderContext): MailContent {
  const { item, reader, dueAt, now, links, stale, unsubscribe } = context;
  const zone = zoneFor(reader, context.zone);
  const title = shownTitle(item);
  const { subject, fact, lines, reason } = wordsOf(context, { title, zone });
  const isLate = Temporal.Instant.compare(dueAt.add(punctual), now) < 0;
  const late = isLate ? [say("reminder.late", { moment: momentInWords(dueAt, zone) })] : [];
  const description = excerpt(
    withoutOverrides(plainDescription(item.description)).trimStart(),
    800,
  );
  const parts: readonly MailPart[] = [
    { kind: "lines", lines: [...lines, ...late, ...stale] },
    { kind: "facts", facts: factsOf(context) },
    { kind: "prose", text: description },
    { kind: "links", links },
  ];
  return {
    subject,
    preview: `${fact}: ${title}`,
    heading: title,
    fact,
    parts,
    reason,
    unsubscribe,
  };
}

/** The title on one line of at most 300 characters; never empty. */
export const shownTitle = ({ title }: Pick<Item, "title">): string =>
  excerpt(plainLine(title), 300) || say("item.untitled");

/** A longer delay is mentioned in the text. */
export const punctual = Temporal.Duration.from({ minutes: 5 });

/** The main fact of a reminder: "Due tomorrow, Tue 24 Nov 2026", "Starts in 15 minutes". */
function factOf(
  { reminder: { timing }, item }: Pick<ReminderContext, "reminder" | "item">,
  now: Temporal.ZonedDateTime,
): string {
  if (timing.kind !== "moment") {
    const day = dayIn(timing.day, now.timeZoneId);
    return `${dueInWords(day, now.toPlainDate())}, ${dayInWords(day)}`;
  }
  return item.kind === "event"
    ? distanceInWords(item.when, now).replace(/\.$/, "")
    : say("reminder.title");
}

interface Words {
  readonly subject: string;
  readonly fact: string;
  readonly lines: readonly string[];
  readonly reason: string;
}

function wordsOf(
  context: ReminderContext,
  { title, zone }: { readonly title: string; readonly zone: string },
): Words {
  const { item, reminder, now, at } = context;
  const { timing } = reminder;
  const kind = kindInWords(item);
  const short = excerpt(title, 100);
  const fact = factOf(context, now.toZonedDateTimeISO(zone));
  const clock = `${clockInWords(at)} (${zone})`;
  switch (timing.kind) {
    case "moment": {
      const span = item.kind === "event" ? spanInWords(item.when, zone) : "";
      const lead = timing.dueAt.until(timing.startAt);
      return {
        subject: say("reminder.subject", { title: short, span }),
        fact,
        lines: [span],
        reason:
          lead.sign === 0
            ? say("reminder.atStart", { kind })
            : say("reminder.beforeStart", { kind, lead: exactly(lead) }),
      };
    }
    case "before": {
      const day = dayIn(timing.day, zone);
      const due = dueInWords(day, now.toZonedDateTimeISO(zone).toPlainDate());
      return {
        subject: say("reminder.dueSubject", { due, title: short, day: dayInWords(day) }),
        fact,
        lines: linesOf(item, zone),
        reason:
          timing.lead.sign === 0
            ? say("reminder.onDay", { kind, clock })
            : say("reminder.daysBefore", { kind, clock, lead: exactly(timing.lead) }),
      };
    }
    case "after": {
      const day = dayIn(timing.day, zone);
      return {
        subject: say("reminder.overdueSubject", { title: short, day: dayInWords(day) }),
        fact,
        lines: linesOf(item, zone),
        reason: say("reminder.overdueWhy", { clock }),
      };
    }
    default:
      return unreachable(timing);
  }
}

/** For a milestone over several days, or with a time of day, the preview does not say everything. */
function linesOf(item: Item, zone: string): readonly string[] {
  if (item.kind !== "event") return [];
  const { when } = item;
  const isOneDay = when.kind === "dates" && when.start.add({ days: 1 }).equals(when.end);
  return isOneDay ? [] : [spanInWords(when, zone)];
}

function factsOf({ item, parent, project, list, others, isPrivate }: ReminderContext) {
  return [
    {
      name: say("reminder.kind"),
      value: item.kind === "event" && !item.milestone ? "" : kindInWords(item),
    },
    { name: say("reminder.task"), value: excerpt(plainLine(parent ?? ""), 300) },
    { name: say("word.project"), value: plainLine(project ?? "") },
    { name: say("field.listId"), value: plainLine(list ?? "") },
    { name: say("reminder.alsoAssigned"), value: others.map(plainLine).filter(Boolean).join(", ") },
    { name: say("field.private"), value: isPrivate ? say("reminder.privateFor") : "" },
  ].filter(({ value }) => value !== "");
}

/** An exact duration is independent of time zones and clock changes. */
const exactly = (length: Temporal.Duration): string =>
  lengthInWords(length, new Temporal.ZonedDateTime(0n, "UTC"));

/** One of several reminders in a mail. */
interface CombinedReminder {
  readonly reminder: Reminder;
  readonly shown: ViewItem;
  readonly dueAt: Temporal.Instant;
  /** Time zone of the recipient. */
  readonly zone: string;
  /** Title of the project; null if unknown. */
  readonly project: string | null;
  readonly link: string | null;
}

/** Combines many reminders into one mail: `things` are for one recipient, earliest due first. */
export function combinedContent(
  things: readonly CombinedReminder[],
  { now, stale, unsubscribe }: Pick<ReminderContext, "now" | "stale" | "unsubscribe">,
): MailContent {
  const titles = things.map(({ shown }) => excerpt(shownTitle(shown.item), 60));
  const count = say("reminder.lateCount", { count: things.length });
  const [first] = things;
  const since = first ? momentInWords(first.dueAt, first.zone) : "";
  return {
    subject: `${count}: ${excerpt(titles.slice(0, 3).join(", "), 150)}`,
    preview: `${count}: ${excerpt(titles.join(", "), 300)}`,
    heading: count,
    fact: null,
    parts: [
      {
        kind: "lines",
        lines: [say("reminder.notInTime", { since }), ...stale],
      },
      {
        kind: "section",
        heading: say("reminder.remindOf"),
        entries: things.map((thing) => sectionEntry(thing, now)),
        more: 0,
      },
    ],
    reason: say("reminder.whyMany"),
    unsubscribe,
  };
}

function sectionEntry(
  { reminder, shown, zone, project, link }: CombinedReminder,
  now: Temporal.Instant,
): { readonly title: string; readonly about: string; readonly url: string | null } {
  const { item } = shown;
  const span =
    reminder.sort === "reminder" && item.kind === "event" ? spanInWords(item.when, zone) : "";
  const about = [
    factOf({ reminder, item }, now.toZonedDateTimeISO(zone)),
    span,
    kindInWords(item),
    plainLine(project ?? ""),
  ];
  return {
    title: shownTitle(item),
    about: about.filter(Boolean).join(" · "),
    url: link,
  };
}
