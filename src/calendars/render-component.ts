import type { ItemKey, LabelId, ServiceId } from "../domain/ids.ts";
import type { EventItem, TaskItem } from "../domain/item.ts";
import { endsAt, type When } from "../domain/when.ts";
import { oneLine, plainDescription } from "../ics/text/text.ts";
import { writeEvent } from "../ics/write/write-event.ts";
import { writeTodo } from "../ics/write/write-todo.ts";
import type { ViewItem } from "../store/view/view.ts";
import type { ObjectComponent } from "./calendar-types.ts";

/** What items only name by id, and the account's zone. */
interface RenderContext {
  readonly zone: string;
  readonly labels: ReadonlyMap<LabelId, string>;
  /** The UID of a task; null for an unknown one. */
  readonly uidOfTask: (id: ServiceId) => string | null;
  /** The UID of the task below which an item is to be made that waits for the id of that one; null when it does not. */
  readonly awaitedParent: (key: ItemKey) => string | null;
}

/**
 * An item as one component, whole folded lines. It says exactly what an edit of it may change: no marks in the title, no
 * links, no people, no HTML. Equal items give equal text.
 */
export function renderComponent(
  view: ViewItem,
  component: ObjectComponent,
  context: RenderContext,
): string {
  const { item } = view;
  if (item.kind !== "event") return writeTodo(taskCard(view, item, context));
  return component === "VEVENT"
    ? writeEvent(eventCard(view, item, context.zone))
    : writeTodo(milestoneCard(view, item, context.zone));
}

/** The first and the last day of a milestone, as calendars show it. */
function daysOf(when: When, zone: string): When & { readonly kind: "dates" } {
  if (when.kind === "dates") {
    const next = when.start.add({ days: 1 });
    return { ...when, end: Temporal.PlainDate.compare(when.end, next) < 0 ? next : when.end };
  }
  const start = when.start.withTimeZone(zone).toPlainDate();
  // An end at midnight belongs to the day before it.
  const last = endsAt(when, zone).subtract({ nanoseconds: 1 }).toZonedDateTimeISO(zone);
  const end = last.toPlainDate().add({ days: 1 });
  return daysOf({ kind: "dates", start, end }, zone);
}

function envelope({ uid, sequence, modifiedAt, item }: ViewItem) {
  return {
    uid,
    sequence,
    stampAt: modifiedAt,
    // The service dates what is entered here, and an event that moves to another project, only when it has it.
    createdAt: null,
    summary: oneLine(item.title),
    description: plainDescription(item.description),
    url: null,
  };
}

function eventCard(view: ViewItem, item: EventItem, zone: string) {
  const when = item.milestone ? daysOf(item.when, zone) : ordered(item.when, zone);
  return {
    ...envelope(view),
    html: null,
    when,
    zone,
    categories: item.milestone ? ["Milestone"] : [],
    reminder: item.reminder,
    transparent: when.kind === "dates",
    classification: item.private ? ("PRIVATE" as const) : null,
    status: null,
  };
}

/** The writer refuses what ends before it starts; no such item may keep a calendar from being shown. */
function ordered(when: When, zone: string): When {
  if (when.kind === "dates") return daysOf(when, zone);
  const isUpsideDown = when.end && Temporal.ZonedDateTime.compare(when.end, when.start) < 0;
  return isUpsideDown ? { ...when, end: null } : when;
}

function milestoneCard(view: ViewItem, item: EventItem, zone: string) {
  const { start, end } = daysOf(item.when, zone);
  return {
    ...envelope(view),
    startOn: start,
    dueOn: end.subtract({ days: 1 }),
    percent: item.completed ? 100 : 0,
    status: item.completed ? ("COMPLETED" as const) : ("NEEDS-ACTION" as const),
    // The service does not say when a milestone was completed.
    completedAt: null,
    categories: ["Milestone"],
    relatedTo: null,
    classification: item.private ? ("PRIVATE" as const) : null,
  };
}

function taskCard(view: ViewItem, item: TaskItem, context: RenderContext) {
  const { labels } = context;
  const names = item.labels
    .map((id) => oneLine(labels.get(id) ?? ""))
    .filter((name) => name !== "");
  return {
    ...envelope(view),
    startOn: item.startOn,
    dueOn: item.dueOn,
    percent: item.percent,
    status: statusOf(item),
    // One that is on its way to the service has no time yet; that of the change stands in.
    completedAt: item.completed ? (item.completedAt ?? view.modifiedAt) : null,
    categories: [...new Set(names)],
    relatedTo: parentOf(view.key, item, context),
    classification: null,
  };
}

function parentOf(
  key: ItemKey,
  { kind, parentId }: TaskItem,
  { uidOfTask, awaitedParent }: RenderContext,
): string | null {
  if (parentId !== null) return uidOfTask(parentId);
  return kind === "subtask" ? awaitedParent(key) : null;
}

function statusOf({ completed, percent }: TaskItem): "COMPLETED" | "IN-PROCESS" | "NEEDS-ACTION" {
  if (completed) return "COMPLETED";
  return percent > 0 ? "IN-PROCESS" : "NEEDS-ACTION";
}
