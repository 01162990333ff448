import { type When, wholeDay } from "@dayferry/ical";
import { type ProjectId, projectId, type ServiceId, serviceId } from "../../domain/ids.ts";
import type { EventItem } from "../../domain/item.ts";
import type { Patch } from "../../domain/patch.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { readServiceTimes, writeServiceTimes } from "../../domain/service-times.ts";
import type { Asker } from "../asker.ts";
import { itemCalls } from "../element-calls.ts";
import { readServiceFields, writeServiceFields } from "../service-fields.ts";
import * as wire from "../wire.ts";
import {
  type KnownValues,
  knownItem,
  omittedStays,
  type ReadIssues,
  type WriteBeingAnswered,
} from "../wire.ts";

/** `startOn`, `endOn`: the service's own filter of a list. Whether it means "overlaps" or "starts in" is unknown. */
interface EventPlace {
  readonly projectId: ProjectId;
  /** What is listed; everything by default. */
  readonly view?: "all" | "events" | "milestones";
  readonly startOn?: Temporal.PlainDate;
  readonly endOn?: Temporal.PlainDate;
}

/** Calendar events and milestones. Source: service-api.md, Calendar events and milestones. */
export const createEvents = (
  asker: Asker,
  { timeZone, known }: { readonly timeZone: string; readonly known: KnownValues },
) =>
  itemCalls<EventPlace, EventItem>(asker, {
    kind: "event",
    pathOf: ({ projectId: project }) => `/projects/${project}/events`,
    queryOf: ({ view = "all", startOn, endOn }) => ({
      view,
      startDate: startOn?.toString() ?? null,
      endDate: endOn?.toString() ?? null,
    }),
    whereOf: ({ projectId: project }) => `project ${project}`,
    read: (place, written) => (raw, issues) =>
      readEvent(raw, {
        projectId: place.projectId,
        timeZone,
        knownOf: (id) => knownEvent(known, { id, ...(written && { written }) }),
        ...(issues && { issues }),
      }),
    listed: ({ projectId: project }) => ({ projectId: project }),
    write: ({ patch }, mode) => writeEventBody(patch, mode),
  });

/**
 * An event from the service's answer. Times are wall clock of `timeZone`, and whole days for milestones whatever `all_day`
 * says. Omitted fields keep the value from `knownOf`; an event never counts as public by default. Fails with a sentence for a
 * missing id and for unreadable times.
 */
export function readEvent(
  raw: unknown,
  about: {
    readonly projectId: ProjectId;
    readonly timeZone: string;
    readonly knownOf?: (id: ServiceId) => Partial<EventItem> | null;
    readonly issues?: ReadIssues;
  },
): Result<EventItem, string> {
  const read = wire.readElement(raw);
  if (!read.ok) return read;
  const { id, fields } = read.value;
  const isPrivate = wire.verdict(fields.private);
  const isWhole =
    isPrivate !== null &&
    wire.heading(fields.title) !== null &&
    wire.person(fields.creator) !== null &&
    usual.every((name) => fields[name] !== undefined);
  // Most answers are complete, and looking values up costs more than parsing.
  const known = (isWhole ? null : about.knownOf?.(serviceId(id))) ?? {};
  const keep = omittedStays(about.issues);
  const start = wire.text(fields.start);
  if (start === null) return fail("start: nothing is not a date");
  const milestone = keep("milestone", {
    raw: fields.milestone,
    read: wire.flag,
    known: known.milestone,
  });
  const days = keep("all_day", {
    raw: fields.all_day,
    read: wire.flag,
    known: known.when && known.when.kind === "dates",
  });
  const allDay = milestone || days;
  const when = readServiceTimes({ start, end: wire.text(fields.end), allDay }, about.timeZone);
  if (!when.ok) return when;
  const project = wire.ref(fields.project);
  if (isPrivate === null) about.issues?.omitted("private");
  return ok({
    kind: "event",
    ...readServiceFields("event", { raw: fields, known, issues: about.issues }),
    id: serviceId(id),
    projectId: project === null ? about.projectId : projectId(project),
    title: wire.keptTitle(fields.title, {
      known: known.title,
      fallback: "",
      issues: about.issues,
    }),
    when: when.value,
    milestone,
    private: isPrivate ?? known.private ?? true,
    completed: keep("completed", {
      raw: fields.completed,
      read: wire.flag,
      known: known.completed,
    }),
    creatorId: wire.person(fields.creator) ?? known.creatorId ?? null,
    byMe: wire.flag(fields.by_me),
    createdAt: wire.instant(fields.created_at) ?? known.createdAt ?? null,
    updatedAt: wire.instant(fields.updated_at),
  });
}

/**
 * A patch as the service's request body. Times are sent as `start`, `end` and `all_day` together, as a new start alone may keep
 * the old end; so an update also names the end of a one-day or point-like event. Null unsets on update and is omitted on
 * creation. A milestone is its first day. Source: service-api.md, Event create/update body.
 */
export function writeEventBody(patch: Patch, mode: "create" | "update"): Record<string, unknown> {
  const { title, when, milestone } = patch;
  const body = {
    title,
    ...writeServiceFields("event", patch),
    ...(when ? writeTimes(milestone ? firstDay(when) : when, mode) : {}),
    milestone,
    private: patch.private,
  };
  return Object.fromEntries(
    Object.entries(body).filter(
      ([, value]) => value !== undefined && !(mode === "create" && value === null),
    ),
  );
}

function writeTimes(when: When, mode: "create" | "update") {
  const { start, end, allDay } = writeServiceTimes(when);
  return { start, end: end ?? (mode === "update" ? start : undefined), all_day: allDay };
}

const firstDay = (when: When): When =>
  wholeDay(when.kind === "dates" ? when.start : when.start.toPlainDate());

function knownEvent(
  known: KnownValues,
  { id, written }: { readonly id: ServiceId; readonly written?: WriteBeingAnswered },
): Partial<EventItem> | null {
  if (written?.isNew) return { ...written.patch, private: written.patch.private ?? false };
  const item = knownItem(known, { kind: "event", id, ...(written && { written }) });
  return item?.kind === "event" ? item : null;
}

/** Fields in most answers. */
const usual = [
  "milestone",
  "all_day",
  "description",
  "reminder",
  "completed",
  "assigned",
  "created_at",
] as const;
