import { type When, wholeMinutes } from "@dayferry/ical";
import { labelId, listId, personId, projectId, type ServiceId, serviceId } from "./ids.ts";
import type { CustomField, EventItem, Item, TaskItem } from "./item.ts";
import type { Patch, PatchField, Place } from "./patch.ts";

/** A `When` in JSON: dates as `YYYY-MM-DD` (end exclusive), times as UTC instants. */
type PlainWhen =
  | { readonly startOn: string; readonly endOn: string }
  | { readonly startAt: string; readonly endAt: string | null };

interface PlainCommon {
  readonly projectId: number;
  readonly title: string;
  readonly description: string | null;
  readonly completed: boolean;
  readonly assigned: readonly number[];
  readonly creatorId: number | null;
  readonly createdAt: string | null;
}

interface PlainEvent extends PlainCommon {
  readonly kind: "event";
  readonly when: PlainWhen;
  readonly reminderMinutes: number | null;
  readonly milestone: boolean;
  readonly private: boolean;
}

interface PlainTask extends PlainCommon {
  readonly kind: "task" | "subtask";
  readonly listId: number;
  readonly parentId: number | null;
  readonly startOn: string | null;
  readonly dueOn: string | null;
  readonly estimatedMinutes: number | null;
  readonly loggedMinutes: number | null;
  readonly percent: number;
  readonly labels: readonly number[];
  readonly completedAt: string | null;
  readonly completedBy: number | null;
  readonly subtaskCount: number;
  readonly commentCount: number;
  readonly rrule: string | null;
  readonly ticket: string | null;
  readonly stage: string | null;
  readonly customFields: readonly {
    readonly id: number;
    readonly title: string;
    readonly type: string;
    readonly value: string | readonly string[];
  }[];
}

/** What an item says, in JSON: without its id and without `byMe` and `updatedAt`, which say nothing about the content. */
export type PlainItem = PlainEvent | PlainTask;

/** What is known of an item beside its content. */
export interface Provenance {
  readonly id: ServiceId | null;
  readonly byMe: boolean;
  readonly updatedAt: Temporal.Instant | null;
}

/** The content with its keys always in the same order, so that equal content gives equal JSON text. */
export function toPlain(item: Item): PlainItem {
  const common = {
    projectId: item.projectId,
    title: item.title,
    description: item.description,
    completed: item.completed,
    assigned: sorted(item.assigned),
    creatorId: item.creatorId,
    createdAt: item.createdAt?.toString() ?? null,
  };
  if (item.kind === "event") {
    return {
      kind: item.kind,
      ...common,
      when: plainWhen(item.when),
      reminderMinutes: minutesOf(item.reminder),
      milestone: item.milestone,
      private: item.private,
    };
  }
  return {
    kind: item.kind,
    ...common,
    listId: item.listId,
    parentId: item.parentId,
    startOn: item.startOn?.toString() ?? null,
    dueOn: item.dueOn?.toString() ?? null,
    estimatedMinutes: minutesOf(item.estimated),
    loggedMinutes: minutesOf(item.logged),
    percent: item.percent,
    labels: sorted(item.labels),
    completedAt: item.completedAt?.toString() ?? null,
    completedBy: item.completedBy,
    subtaskCount: item.subtaskCount,
    commentCount: item.commentCount,
    rrule: item.rrule,
    ticket: item.ticket,
    stage: item.stage,
    customFields: item.customFields.map(({ id, title, type, value }) => ({
      id,
      title,
      type,
      value,
    })),
  };
}

/** The item again; times are shown in `zone`, the account's. */
export function fromPlain(
  plain: PlainItem,
  { id, byMe, updatedAt }: Provenance,
  zone: string,
): Item {
  return plain.kind === "event"
    ? eventFromPlain(plain, { id, byMe, updatedAt }, zone)
    : taskFromPlain(plain, { id, byMe, updatedAt });
}

/**
 * The part of the content that calendars are shown: SEQUENCE rises when it changes, and not for a new comment, a
 * logged hour or another list.
 */
export function publishedPart(plain: PlainItem): string {
  const { projectId: project, title, description, completed, assigned } = plain;
  const common = [plain.kind, project, title, description, completed, assigned];
  if (plain.kind === "event") {
    const { when, reminderMinutes, milestone } = plain;
    return JSON.stringify([...common, when, reminderMinutes, milestone, plain.private]);
  }
  const { parentId, startOn, dueOn, labels, percent, completedAt } = plain;
  return JSON.stringify([...common, parentId, startOn, dueOn, labels, percent, completedAt]);
}

/** A patch in JSON: `when` as in `PlainWhen`, durations in minutes; the list of a place is null for an event. */
export interface PlainPatch {
  readonly title?: string;
  readonly description?: string | null;
  readonly when?: PlainWhen;
  readonly reminder?: number | null;
  readonly milestone?: boolean;
  readonly private?: boolean;
  readonly completed?: boolean;
  readonly assigned?: readonly number[];
  readonly labels?: readonly number[];
  readonly startOn?: string | null;
  readonly dueOn?: string | null;
  readonly estimated?: number | null;
  readonly place?: { readonly projectId: number; readonly listId: number | null };
}

export function patchToPlain(patch: Patch): PlainPatch {
  return {
    ...only(patch, ["title", "description", "milestone", "private", "completed"]),
    ...only(patch, ["assigned", "labels"]),
    ...(patch.when && { when: plainWhen(patch.when) }),
    ...(patch.reminder !== undefined && { reminder: minutesOf(patch.reminder) }),
    ...(patch.estimated !== undefined && { estimated: minutesOf(patch.estimated) }),
    ...(patch.startOn !== undefined && { startOn: patch.startOn?.toString() ?? null }),
    ...(patch.dueOn !== undefined && { dueOn: patch.dueOn?.toString() ?? null }),
    ...(patch.place && { place: plainPlace(patch.place) }),
  };
}

export function patchFromPlain(plain: PlainPatch, zone: string): Patch {
  return {
    ...only(plain, ["title", "description", "milestone", "private", "completed"]),
    ...(plain.assigned && { assigned: plain.assigned.map(personId) }),
    ...(plain.labels && { labels: plain.labels.map(labelId) }),
    ...(plain.when && { when: whenFromPlain(plain.when, zone) }),
    ...(plain.reminder !== undefined && { reminder: duration(plain.reminder) }),
    ...(plain.estimated !== undefined && { estimated: duration(plain.estimated) }),
    ...(plain.startOn !== undefined && { startOn: date(plain.startOn) }),
    ...(plain.dueOn !== undefined && { dueOn: date(plain.dueOn) }),
    ...(plain.place && { place: placeFromPlain(plain.place) }),
  };
}

function eventFromPlain(plain: PlainEvent, provenance: Provenance, zone: string): EventItem {
  return {
    ...provenance,
    kind: "event",
    ...commonFromPlain(plain),
    when: whenFromPlain(plain.when, zone),
    reminder: duration(plain.reminderMinutes),
    milestone: plain.milestone,
    private: plain.private,
  };
}

function taskFromPlain(plain: PlainTask, provenance: Provenance): TaskItem {
  return {
    ...provenance,
    kind: plain.kind,
    ...commonFromPlain(plain),
    listId: listId(plain.listId),
    parentId: plain.parentId === null ? null : serviceId(plain.parentId),
    startOn: date(plain.startOn),
    dueOn: date(plain.dueOn),
    estimated: duration(plain.estimatedMinutes),
    logged: duration(plain.loggedMinutes),
    percent: plain.percent,
    labels: plain.labels.map(labelId),
    completedAt: instant(plain.completedAt),
    completedBy: plain.completedBy === null ? null : personId(plain.completedBy),
    subtaskCount: plain.subtaskCount,
    commentCount: plain.commentCount,
    rrule: plain.rrule,
    ticket: plain.ticket,
    stage: plain.stage,
    customFields: plain.customFields.map(
      ({ id, ...rest }): CustomField => ({ id: serviceId(id), ...rest }),
    ),
  };
}

const commonFromPlain = (plain: PlainCommon) => ({
  projectId: projectId(plain.projectId),
  title: plain.title,
  description: plain.description,
  completed: plain.completed,
  assigned: plain.assigned.map(personId),
  creatorId: plain.creatorId === null ? null : personId(plain.creatorId),
  createdAt: instant(plain.createdAt),
});

function plainWhen(when: When): PlainWhen {
  if (when.kind === "dates") return { startOn: when.start.toString(), endOn: when.end.toString() };
  return {
    startAt: when.start.toInstant().toString(),
    endAt: when.end?.toInstant().toString() ?? null,
  };
}

function whenFromPlain(plain: PlainWhen, zone: string): When {
  if ("startOn" in plain) {
    const start = Temporal.PlainDate.from(plain.startOn);
    return { kind: "dates", start, end: Temporal.PlainDate.from(plain.endOn) };
  }
  const start = Temporal.Instant.from(plain.startAt).toZonedDateTimeISO(zone);
  const end =
    plain.endAt === null ? null : Temporal.Instant.from(plain.endAt).toZonedDateTimeISO(zone);
  return { kind: "times", start, end };
}

const plainPlace = ({ projectId: project, listId: list }: Place) => ({
  projectId: project,
  listId: list,
});

const placeFromPlain = (plain: NonNullable<PlainPatch["place"]>): Place => ({
  projectId: projectId(plain.projectId),
  listId: plain.listId === null ? null : listId(plain.listId),
});

const sorted = <Id extends number>(ids: readonly Id[]): readonly Id[] =>
  ids.toSorted((a, b) => a - b);

const minutesOf = (length: Temporal.Duration | null): number | null =>
  length && wholeMinutes(length);

const duration = (minutes: number | null): Temporal.Duration | null =>
  minutes === null ? null : Temporal.Duration.from({ minutes });

const date = (text: string | null): Temporal.PlainDate | null =>
  text === null ? null : Temporal.PlainDate.from(text);

const instant = (text: string | null): Temporal.Instant | null =>
  text === null ? null : Temporal.Instant.from(text);

function only<Source extends object, Key extends keyof Source & PatchField>(
  source: Source,
  keys: readonly Key[],
): Partial<Pick<Source, Key>> {
  const kept: Partial<Pick<Source, Key>> = {};
  for (const key of keys) if (source[key] !== undefined) kept[key] = source[key];
  return kept;
}
