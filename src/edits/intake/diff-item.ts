import type { LabelId, ListId } from "../../domain/ids.ts";
import type { EventItem, Item, TaskItem } from "../../domain/item.ts";
import { sameField } from "../../domain/patch.ts";
import type { IncomingItem, IncomingTime } from "../../ics/read/read-calendar.ts";
import { asWritten, todoDays } from "../../ics/todo-days.ts";
import {
  descriptionPart,
  isPrivate,
  leftovers,
  linkOf,
  readTitle,
  type TitleReading,
  titlePart,
} from "./diff-text.ts";
import { eventTimesPart, taskDatesPart } from "./diff-times.ts";
import { type KnownNames, labelKey } from "./known-names.ts";
import { joinParts, type Part, quote, refuse, remark, silent, wish } from "./part.ts";

/** What files are read against, beside the item itself. */
export interface DiffContext {
  /** The account's zone. */
  readonly zone: string;
  readonly names: KnownNames;
  readonly unknownLabels: "known" | "create";
  readonly tasks: "due" | "span" | "none";
  readonly webUrl: string | null;
  /** Todolists whose tasks not everybody may see. */
  readonly privateLists: Pick<ReadonlySet<ListId>, "has">;
  /** Whether the channel shows items with a feed's decorations. */
  readonly decorated: boolean;
}

/**
 * What a VEVENT or VTODO wishes against `base`, the item as its editor was shown it: only the fields that are spoken of
 * and differ. Empty when nothing does.
 */
export function diffItem(sent: IncomingItem, base: Item, context: DiffContext): Part {
  const { zone, decorated } = context;
  const incoming = onWholeDays(sent, { zone, timed: !decorated });
  const own =
    base.kind === "event" ? diffEvent(incoming, base, context) : diffTask(incoming, base, context);
  const link = linkOf(base, context.webUrl);
  const secret = isSecret(base, context);
  return joinParts([
    own,
    descriptionPart(incoming, base),
    attendeesPart(incoming, { base, names: context.names }),
    { ...silent, notes: leftovers(incoming, { base, link, secret }) },
  ]);
}

function diffEvent(incoming: IncomingItem, base: EventItem, context: DiffContext): Part {
  const title = titleOf(incoming, { base, context });
  const becoming = milestonePart(incoming, { base, marked: base.id === null && title.milestone });
  const milestone = becoming.patch.milestone ?? base.milestone;
  const { completed } = base;
  const completion = completionPart(incoming, { completed, mark: title.done, able: milestone });
  if (incoming.component === "VTODO" && !milestone) {
    const message = "it is an event; a to-do of the same UID cannot change it";
    const refused = refuse({ line: incoming.line, code: "kind", message });
    return completion.refusals.length > 0 ? completion : refused;
  }
  return joinParts([
    titlePart(incoming, title),
    becoming,
    eventTimesPart(incoming, { base, milestone, zone: context.zone }),
    completion,
    reminderPart(incoming, base),
    privacyPart(incoming, base),
  ]);
}

function diffTask(incoming: IncomingItem, base: TaskItem, context: DiffContext): Part {
  const { names, unknownLabels: unknown } = context;
  const title = titleOf(incoming, { base, context });
  const span = context.tasks === "span" ? "span" : "due";
  return joinParts([
    titlePart(incoming, title),
    taskDatesPart(incoming, { base, span }),
    completionPart(incoming, { completed: base.completed, mark: title.done, able: true }),
    labelsPart(incoming, { base, names, unknown }),
  ]);
}

const isSecret = (item: Item, { privateLists }: DiffContext): boolean =>
  item.kind === "event" ? item.private : privateLists.has(item.listId);

/** Only feeds mark in the title what is completed, and they show everything as VEVENT. */
function titleOf(
  incoming: IncomingItem,
  { base, context }: { readonly base: Item; readonly context: DiffContext },
): TitleReading {
  const { decorated } = context;
  const secret = isSecret(base, context);
  const title = readTitle(incoming.summary, { base, decorated, secret });
  const unmarked = incoming.component === "VTODO" && title.done === false;
  return unmarked ? { ...title, done: undefined } : title;
}

function reminderPart({ component, alarm }: IncomingItem, base: EventItem): Part {
  if (!alarm || component !== "VEVENT") return silent;
  const minutes = wholeMinutes(alarm);
  if (base.reminder && wholeMinutes(base.reminder) === minutes) return silent;
  return wish({ reminder: Temporal.Duration.from({ minutes }) });
}

const wholeMinutes = (length: Temporal.Duration): number =>
  Math.round(length.total({ unit: "minutes", relativeTo: new Temporal.PlainDate(2026, 1, 1) }));

/** Feeds name a class for private events only, so that its absence says nothing. */
function privacyPart(incoming: IncomingItem, base: EventItem): Part {
  const wished = isPrivate(incoming);
  if (wished === base.private || (!wished && incoming.classification !== "PUBLIC")) return silent;
  return wish({ private: wished });
}

/**
 * The wish to complete or to reopen. STATUS, COMPLETED, PERCENT-COMPLETE and the mark in the title each may say it; the
 * one that says something new counts, as programs often change one of them and leave the others. `mark`: what the title
 * says, undefined for nothing new. `able`: only milestones and tasks can be completed.
 * Source: RFC 5545 3.8.1.11, 3.8.1.8, 3.8.2.1; service-api.md, States and transitions.
 */
function completionPart(
  incoming: IncomingItem,
  about: {
    readonly completed: boolean;
    readonly mark: boolean | undefined;
    readonly able: boolean;
  },
): Part {
  const { completed, mark, able } = about;
  const said = [mark, statusSays(incoming), incoming.completedAt && true, percentSays(incoming)];
  if (!said.some((done) => done !== undefined && done !== completed)) return silent;
  if (able) return wish({ completed: !completed });
  const message = "it cannot be completed or reopened: only milestones and tasks can";
  return refuse({ line: incoming.line, code: "not-completable", message });
}

function statusSays({ component, status }: IncomingItem): boolean | undefined {
  if (status === "COMPLETED") return true;
  if (status === "NEEDS-ACTION") return false;
  return status === "IN-PROCESS" && component === "VTODO" ? false : undefined;
}

const percentSays = ({ percent }: IncomingItem): true | undefined =>
  percent === 100 ? true : undefined;

/**
 * The wish for the people in charge. Feeds never write attendees, so that only a file that names some speaks of them;
 * assigned people without an address, whom it cannot name, stay.
 */
function attendeesPart(
  incoming: IncomingItem,
  { base, names }: { readonly base: Item; readonly names: KnownNames },
): Part {
  const emails = incoming.attendees ?? [];
  const known = emails.flatMap((email) => names.personOf(email) ?? []);
  const strangers = emails.filter((email) => names.personOf(email) === null);
  const notes = joinParts(
    strangers.map((email) => {
      const message = `nobody in the workspace has the address ${quote(email)}; it is left aside`;
      return remark({ line: incoming.line, code: "unknown-person", message });
    }),
  );
  if (known.length === 0) return notes;
  const unnamed = base.assigned.filter((person) => !names.hasEmail(person));
  const assigned = [...new Set([...unnamed, ...known])];
  const isSame = sameField("assigned", { assigned }, { assigned: base.assigned });
  return joinParts([isSame ? silent : wish({ assigned }), notes]);
}

/** The category by which a feed shows that an event is a milestone. */
const milestoneKey = labelKey("Milestone");

/** Whether the categories name the event a milestone; undefined when they say nothing about it. */
function saysMilestone({ categories, component }: IncomingItem): boolean | undefined {
  const isNamed = categories?.some((name) => labelKey(name) === milestoneKey);
  // The to-do of a milestone is shown without the category, as its list says what it is.
  return component === "VTODO" && !isNamed ? undefined : isNamed;
}

/** The wish to make an event a milestone or an ordinary one; other categories cannot be kept. */
function milestonePart(
  incoming: IncomingItem,
  { base, marked }: { readonly base: EventItem; readonly marked: boolean },
): Part {
  const wished = marked || saysMilestone(incoming);
  const change =
    wished === undefined || wished === base.milestone ? silent : wish({ milestone: wished });
  const others = (incoming.categories ?? []).filter((name) => labelKey(name) !== milestoneKey);
  if (others.length === 0) return change;
  const message = `the categories ${others.map(quote).join(", ")} cannot be stored: events of the service have no labels`;
  return joinParts([change, remark({ line: incoming.line, code: "event-labels", message })]);
}

/**
 * The wish for a task's labels: the set of categories, by name. Labels that calendars cannot be shown stay. A name that
 * no label has is refused, or becomes a new label, as `unknown` says.
 */
function labelsPart(
  incoming: IncomingItem,
  about: {
    readonly base: TaskItem;
    readonly names: KnownNames;
    readonly unknown: "known" | "create";
  },
): Part {
  const { base, names, unknown } = about;
  if (!incoming.categories) return silent;
  const said = [...new Map(incoming.categories.map((name) => [labelKey(name), name])).values()];
  const found = said.map((name) => ({ name, ids: labelsFor(name, about) }));
  const missing = found.filter(({ ids }) => ids.length === 0).map(({ name }) => name);
  const hidden = base.labels.filter((id) => !names.isNamed(id));
  const labels = [...hidden, ...found.flatMap(({ ids }) => ids)];
  if (missing.length === 0) {
    return sameField("labels", { labels }, { labels: base.labels }) ? silent : wish({ labels });
  }
  if (unknown === "create") return { ...silent, patch: { labels }, newLabels: missing };
  const message = `the workspace has no label ${missing.map(quote).join(", ")}`;
  return refuse({ line: incoming.line, code: "unknown-label", message });
}

/** The item's own labels of this name, else the first one that can be given. */
function labelsFor(
  name: string,
  { base, names }: { readonly base: TaskItem; readonly names: KnownNames },
): readonly LabelId[] {
  const all = names.labelsNamed(name);
  const own = all.filter((id) => base.labels.includes(id));
  return own.length > 0 ? own : all.filter((id) => names.isGiven(id)).slice(0, 1);
}

/**
 * A to-do as its dates were meant. Programs that cannot write a date alone write the first or the last minute of the day,
 * in the zone they name or in the account's: todoman its midnight, CalDav Synchronizer midnight for the start and 23:59:59
 * for the due date. `timed`: any other time of day means its day as well, as it is kept in the octets that came; else it
 * stays a time.
 */
export function onWholeDays(
  incoming: IncomingItem,
  { zone, timed }: { readonly zone: string; readonly timed: boolean },
): IncomingItem {
  if (incoming.component !== "VTODO") return incoming;
  const { start, due } = incoming;
  const days = todoDays({ start, due }, zone);
  const dayOf = (time: IncomingTime | undefined, on: Temporal.PlainDate | undefined) =>
    time && on && (timed || isEdge(time, zone)) ? ({ kind: "date", on } as const) : time;
  return { ...incoming, start: dayOf(start, days.start), due: dayOf(due, days.due) };
}

function isEdge(time: IncomingTime, zone: string): boolean {
  if (time.kind === "date") return true;
  const { hour, minute, second } = asWritten(time.at, zone);
  return (hour === 0 && minute === 0 && second === 0) || (hour === 23 && minute === 59);
}
