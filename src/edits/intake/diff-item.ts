import {
  asksPrivacy,
  asWritten,
  encodeUrl,
  type IncomingItem,
  type IncomingTime,
  longestText,
  oneLine,
  todoDays,
  wholeMinutes,
} from "@dayferry/ical";
import { fieldsOfKind, lineFields } from "../../domain/fields.ts";
import type { LabelId } from "../../domain/ids.ts";
import { isHtml } from "../../domain/is-html.ts";
import {
  type EventItem,
  type Item,
  privateTitle,
  type TaskItem,
  untitled,
} from "../../domain/item.ts";
import { valuesOf } from "../../domain/patch.ts";
import { sameSet, sameText } from "../../domain/same-values.ts";
import { isMilestoneCategory, nameKey, sameShown, sameStored } from "../../domain/sameness.ts";
import { plainDescription } from "../../domain/text.ts";
import { isAmongPrivate } from "../../domain/visibility.ts";
import { webLink } from "../../domain/web-link.ts";
import { publishedSummary, readDescription, readSummary } from "../../ics/text/decoration.ts";
import { textsOfRaw } from "../../ics/text/line-fields.ts";
import { sentenceInWords } from "../../ics/text/problem-in-words.ts";
import { say } from "../../texts/say.ts";
import { eventTimesPart, taskDatesPart } from "./diff-times.ts";
import {
  type DiffContext,
  joinParts,
  type KnownNames,
  type Note,
  type PlanPart,
  quote,
  refuse,
  remark,
  silent,
  tooLong,
  wish,
} from "./plan-part.ts";

/**
 * What a VEVENT or VTODO changes in `base`, the item as its editor saw it: only fields that the file has and that differ, with
 * refusals and notes. Empty if no field differs.
 */
export function diffItem(sent: IncomingItem, base: Item, context: DiffContext): PlanPart {
  const { zone, decorated } = context;
  const incoming = onWholeDays(sent, { zone, timed: !decorated });
  const own =
    base.kind === "event" ? diffEvent(incoming, base, context) : diffTask(incoming, base, context);
  const link = webLink(context.webUrl, base);
  const isPrivate = isAmongPrivate(base, context.privateLists);
  return joinParts([
    own,
    descriptionPart(incoming, base),
    ...linesPart(incoming, base),
    attendeesPart(incoming, base, context.names),
    {
      ...silent,
      notes: notesOnLosses(incoming, { base, link: link && encodeUrl(link), isPrivate }),
    },
  ]);
}

/**
 * A to-do's intended dates. Programs that cannot write a date alone write the first or last minute of the day, in their own
 * zone or the account's: todoman midnight, CalDav Synchronizer midnight for the start and 23:59:59 for the due date. `timed`:
 * any other time of day also counts as its day, as the octets keep the time; otherwise it stays a time.
 */
export function onWholeDays(
  incoming: IncomingItem,
  { zone, timed }: { readonly zone: string; readonly timed: boolean },
): IncomingItem {
  if (incoming.component !== "VTODO") return incoming;
  const { start, due } = incoming;
  const days = todoDays({ start, due }, zone);
  const dayOf = (time: IncomingTime | undefined, on: Temporal.PlainDate | undefined) =>
    time && on && (timed || isEdgeOfDay(time, zone)) ? ({ kind: "date", on } as const) : time;
  return { ...incoming, start: dayOf(start, days.start), due: dayOf(due, days.due) };
}

function isEdgeOfDay(time: IncomingTime, zone: string): boolean {
  if (time.kind === "date") return true;
  const { hour, minute, second } = asWritten(time.at, zone);
  return (hour === 0 && minute === 0 && second === 0) || (hour === 23 && minute === 59);
}

function diffEvent(incoming: IncomingItem, base: EventItem, context: DiffContext): PlanPart {
  const title = titleOf(incoming, base, context);
  const milestoneChange = milestonePart(incoming, {
    base,
    marked: base.id === null && title.milestone,
  });
  const milestone = milestoneChange.patch.milestone ?? base.milestone;
  const { completed } = base;
  const completion = completionPart(incoming, completed, { mark: title.done, able: milestone });
  if (incoming.component === "VTODO" && !milestone) {
    const message = say("intake.eventAsTodo");
    const refused = refuse({ line: incoming.line, code: "kind", message });
    return completion.refusals.length > 0 ? completion : refused;
  }
  return joinParts([
    titlePart(incoming, title),
    milestoneChange,
    eventTimesPart(incoming, { base, milestone, zone: context.zone }),
    completion,
    reminderPart(incoming, base),
    privacyPart(incoming, base),
  ]);
}

function diffTask(incoming: IncomingItem, base: TaskItem, context: DiffContext): PlanPart {
  const title = titleOf(incoming, base, context);
  const span = context.tasks === "span" ? "span" : "due";
  return joinParts([
    titlePart(incoming, title),
    taskDatesPart(incoming, base, span),
    completionPart(incoming, base.completed, { mark: title.done, able: true }),
    labelsPart(incoming, base, context),
  ]);
}

/** Only feeds mark completed items in the title, and they show everything as VEVENT. */
function titleOf(incoming: IncomingItem, base: Item, context: DiffContext): TitleReading {
  const { decorated } = context;
  const isPrivate = isAmongPrivate(base, context.privateLists);
  const title = readTitle(incoming.summary, { base, decorated, isPrivate });
  const unmarked = incoming.component === "VTODO" && title.done === false;
  return unmarked ? { ...title, done: undefined } : title;
}

/** What a summary changes; `undefined` = nothing. */
interface TitleReading {
  readonly title: string | undefined;
  /** Set if the mark of completed items was added or removed. */
  readonly done: boolean | undefined;
  readonly milestone: boolean;
}

const unchanged: TitleReading = { title: undefined, done: undefined, milestone: false };

/**
 * Parses a summary shown for `base`. `decorated`: the channel shows feeds, whose marks are no part of the title. `isPrivate`:
 * feeds may show "Busy" instead of the title.
 */
function readTitle(
  summary: string | undefined,
  about: { readonly base: Item; readonly decorated: boolean; readonly isPrivate: boolean },
): TitleReading {
  const { base, decorated, isPrivate } = about;
  if (summary === undefined) return unchanged;
  const said = oneLine(summary);
  const own = oneLine(base.title);
  const shown = decorated ? publishedSummary(base) : own;
  if (sameText(said, shown)) return unchanged;
  if (isPrivate && said === privateTitle) return unchanged;
  if (!decorated) return said === "" ? untitledReading(base) : { ...unchanged, title: said };
  if (readSummary(own).title !== own) return readMarkedTitle(said, { base, shown, own });

  const read = readSummary(said);
  const title = sameText(read.title, own) ? undefined : read.title;
  const done = read.done === base.completed ? undefined : read.done;
  return { title, done, milestone: read.milestone };
}

/** An empty summary means the same as none. */
const untitledReading = ({ title }: Item): TitleReading =>
  title === untitled ? unchanged : { ...unchanged, title: untitled };

/** Parses a summary whose title begins like a mark itself, so that only the feed's own mark is removed. */
function readMarkedTitle(
  said: string,
  { base, shown, own }: { readonly base: Item; readonly shown: string; readonly own: string },
): TitleReading {
  const prefix = shown.endsWith(own) ? shown.slice(0, shown.length - own.length) : "";
  const kept = said.startsWith(prefix);
  const title = kept ? said.slice(prefix.length) : said;
  return {
    title: sameText(title, own) ? undefined : title,
    done: base.completed && !kept ? false : undefined,
    milestone: false,
  };
}

/** The change of the title. An item without one is refused, as the service requires it. */
function titlePart(incoming: IncomingItem, { title }: TitleReading): PlanPart {
  if (title === undefined) return silent;
  if (title.trim() !== "") return wish({ title });
  return refuse({ line: incoming.line, code: "no-title", message: say("intake.noTitle") });
}

/** The change between a milestone and an ordinary event. Other categories cannot be stored. */
function milestonePart(
  incoming: IncomingItem,
  { base, marked }: { readonly base: EventItem; readonly marked: boolean },
): PlanPart {
  const wished = marked || saysMilestone(incoming);
  const change =
    wished === undefined || wished === base.milestone ? silent : wish({ milestone: wished });
  const others = (incoming.categories ?? []).filter((name) => !isMilestoneCategory(name));
  if (others.length === 0) return change;
  const message = say("intake.eventLabels", { names: others.map(quote).join(", ") });
  return joinParts([change, remark({ line: incoming.line, code: "event-labels", message })]);
}

/** True if the categories include the milestone mark; undefined if they say nothing. */
function saysMilestone({ categories, component }: IncomingItem): boolean | undefined {
  const isNamed = categories?.some(isMilestoneCategory);
  // A milestone shown as a to-do lacks the category, as its list is enough.
  return component === "VTODO" && !isNamed ? undefined : isNamed;
}

/**
 * The change of completion. STATUS, COMPLETED, PERCENT-COMPLETE and the mark in the title may each say it. The one that says
 * something new counts, as programs often change only one of them. `mark`: from the title, undefined if nothing new. `able`:
 * only milestones and tasks can be completed. Source: RFC 5545 3.8.1.11, 3.8.1.8, 3.8.2.1; service-api.md, States and
 * transitions.
 */
function completionPart(
  incoming: IncomingItem,
  completed: boolean,
  { mark, able }: { readonly mark: boolean | undefined; readonly able: boolean },
): PlanPart {
  const said = [mark, statusSays(incoming), incoming.completedAt && true, percentSays(incoming)];
  if (!said.some((done) => done !== undefined && done !== completed)) return silent;
  if (able) return wish({ completed: !completed });
  const message = say("intake.notCompletable");
  return refuse({ line: incoming.line, code: "not-completable", message });
}

function statusSays({ component, status }: IncomingItem): boolean | undefined {
  if (status === "COMPLETED") return true;
  if (status === "NEEDS-ACTION") return false;
  return status === "IN-PROCESS" && component === "VTODO" ? false : undefined;
}

const percentSays = ({ percent }: IncomingItem): true | undefined =>
  percent === 100 ? true : undefined;

function reminderPart({ component, alarm }: IncomingItem, base: EventItem): PlanPart {
  if (!alarm || component !== "VEVENT") return silent;
  const reminder = Temporal.Duration.from({ minutes: wholeMinutes(alarm) });
  return sameStored("reminder", { reminder }, base) ? silent : wish({ reminder });
}

/** Feeds give a class only for private events, so its absence means nothing. */
function privacyPart(incoming: IncomingItem, base: EventItem): PlanPart {
  const wished = asksPrivacy(incoming);
  if (wished === base.private || (!wished && incoming.classification !== "PUBLIC")) return silent;
  return wish({ private: wished });
}

/**
 * The change of a task's labels: the set of categories, by name. Labels that calendars cannot show stay. An unknown name is
 * refused, left out, or becomes a new label, as `unknown` says.
 */
function labelsPart(
  incoming: IncomingItem,
  base: TaskItem,
  { names, unknownLabels: unknown }: DiffContext,
): PlanPart {
  if (!incoming.categories) return silent;
  const said = [...new Map(incoming.categories.map((name) => [nameKey(name), name])).values()];
  const named = new Set(said.flatMap((name) => names.labelsNamed(name)));
  const meant = said.map((name) => ({ name, ids: labelIdsFor(name, base, { names, named }) }));
  const missing = meant.filter(({ ids }) => ids.length === 0).map(({ name }) => name);
  const hidden = base.labels.filter((id) => !names.isNamed(id));
  const labels = [...hidden, ...meant.flatMap(({ ids }) => ids)];
  const found = sameSet(labels, base.labels) ? silent : wish({ labels });
  if (missing.length === 0) return found;
  if (unknown === "create") return { ...silent, patch: { labels }, newLabels: missing };
  const isRefused = unknown === "refuse";
  const message = say(isRefused ? "intake.unknownLabel" : "intake.withoutLabel", {
    names: missing.map(quote).join(", "),
  });
  const problem = { line: incoming.line, code: "unknown-label", message } as const;
  return isRefused ? refuse(problem) : joinParts([found, remark(problem)]);
}

/**
 * The item's own labels of this name, else the first existing one, else the item's own labels with this former name. A label
 * that the file gives by its present name is not matched by a former one.
 */
function labelIdsFor(
  name: string,
  base: TaskItem,
  { names, named }: { readonly names: KnownNames; readonly named: ReadonlySet<LabelId> },
): readonly LabelId[] {
  const all = names.labelsNamed(name);
  const own = all.filter((id) => base.labels.includes(id));
  if (own.length > 0) return own;
  const given = all.filter((id) => names.isGiven(id)).slice(0, 1);
  return given.length > 0
    ? given
    : base.labels.filter((id) => !named.has(id) && names.wasNamed(id, name));
}

/** The change of the description. Formatted text is compared as a feed shows it: as plain text. */
function descriptionPart(incoming: IncomingItem, base: Item): PlanPart {
  if (incoming.description === undefined) return silent;
  const { length } = incoming.description;
  // A much longer text is certainly different, and comparing it would take long.
  if (length > longestText && length > 4 * (base.description?.length ?? 0)) {
    const message = tooLong("description", length);
    return refuse({ line: incoming.line, code: "too-long", message });
  }
  const said = readDescription(incoming.description);
  if (sameText(said, readDescription(plainDescription(base.description)))) return silent;
  const change = wish({ description: said === "" ? null : said });
  if (said === "" || base.description === null || !isHtml(base.description)) return change;
  const message = say("intake.formattingLost");
  const note = { line: incoming.line, code: "formatting-lost", message };
  return joinParts([change, remark(note)]);
}

/** Changes of one-line text fields; an empty property unsets. */
function linesPart({ raw, component }: IncomingItem, base: Item): readonly PlanPart[] {
  const present: Readonly<Record<string, unknown>> = { ...valuesOf(base) };
  return textsOfRaw(raw, component)
    .filter(({ name }) => name in present)
    .map(({ name, text }) => {
      const said = oneLine(text);
      const change = { [name]: said === "" ? null : said };
      return sameShown(name, change, present) ? silent : wish(change);
    });
}

/**
 * The change of assignees. Feeds never write attendees, so only a file with some changes them. Assignees without an address,
 * which a file cannot name, stay.
 */
function attendeesPart(incoming: IncomingItem, base: Item, names: KnownNames): PlanPart {
  const emails = incoming.attendees ?? [];
  // An assignee is also recognised by a former address, from before the file was downloaded.
  const personOf = (email: string) =>
    names.personOf(email) ?? base.assigned.find((person) => names.hadEmail(person, email));
  const known = emails.flatMap((email) => personOf(email) ?? []);
  const unknownEmails = emails.filter((email) => personOf(email) === undefined);
  const notes = joinParts(
    unknownEmails.map((email) => {
      const message = say("intake.unknownAddress", { email: quote(email) });
      return remark({ line: incoming.line, code: "unknown-person", message });
    }),
  );
  if (known.length === 0) return notes;
  const withoutEmail = base.assigned.filter((person) => !names.hasEmail(person));
  const assigned = [...new Set([...withoutEmail, ...known])];
  return joinParts([sameSet(assigned, base.assigned) ? silent : wish({ assigned }), notes]);
}

/** Notes about what the service cannot store. `link`: the feed's own URL property. */
function notesOnLosses(
  incoming: IncomingItem,
  about: { readonly base: Item; readonly link: string | null; readonly isPrivate: boolean },
): readonly Note[] {
  const { base, link, isPrivate } = about;
  const own =
    link !== null &&
    incoming.raw.some((line) => line === `URL;VALUE=URI:${link}` || line === `URL:${link}`);
  const stored = new Set(
    lineFields(incoming.component)
      .filter(({ name }) => fieldsOfKind(base.kind).includes(name))
      .map(({ property }) => property),
  );
  const lost = incoming.unstorable
    .filter(({ name }) => !stored.has(name) && !(own && name === "URL"))
    .map(({ line, name, reason }) =>
      notStoredNote(name, { line, reason: sentenceInWords(reason) }),
    );
  const { line } = incoming;
  const isTask = base.kind !== "event";
  return [
    ...lost,
    ...(isTask && incoming.component === "VEVENT" && incoming.alarm
      ? [notStoredNote("VALARM", { line, reason: say("intake.noTaskReminders") })]
      : []),
    ...(isTask && !isPrivate && asksPrivacy(incoming)
      ? [notStoredNote("CLASS", { line, reason: say("intake.noPrivateTasks") })]
      : []),
    ...(incoming.comments.length > 0 && base.kind !== "task"
      ? [notStoredNote("COMMENT", { line, reason: say("intake.commentsOnTasks") })]
      : []),
  ];
}

/** The client's octets are stored, so that what the service cannot hold is not lost. */
const notStoredNote = (
  property: string,
  { line, reason }: { readonly line: number; readonly reason: string },
): Note => ({
  line,
  property,
  code: "not-stored",
  message: say("intake.storedHere", { property, reason }),
});

/** True if the file asks for the item to be hidden from others. Source: RFC 5545 3.8.1.3. */
