import type { TaskPlace } from "./access-checks.ts";
import type { CustomFieldValue, HistoryRecord, PersonRecord, TaskRecord } from "./records.ts";
import { refuse } from "./refusal.ts";
import type { Setting } from "./setting.ts";

interface HistoryPlace extends TaskPlace {
  readonly entry: number;
}

type HistoryView = ReturnType<typeof showEntry>;

/** Task history: one entry for every update that changed something. Source: service-api.md, Task history. */
export class HistoryWork {
  readonly #setting: Setting;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  list(place: TaskPlace): readonly HistoryView[] {
    this.#setting.access.task(place, "read");
    const entries = this.#setting.store.history.of(place.task);
    return entries.map((it) => showEntry(it, this.#setting.timeZone));
  }

  get(place: HistoryPlace): { readonly content: string } {
    this.#setting.access.task(place, "read");
    const entry = this.#setting.store.history.get(place.entry);
    if (entry?.task !== place.task)
      return refuse(404, `there is no history entry ${place.entry} of task ${place.task}`);
    return { content: entry.content };
  }
}

function showEntry(entry: HistoryRecord, timeZone: string) {
  const on = Temporal.Instant.from(entry.at).toZonedDateTimeISO(timeZone).toPlainDate();
  return {
    id: entry.id,
    user_id: entry.person,
    activity: entry.at,
    date: on.toString(),
    action: "Updated",
  };
}

/** One changed field of a task, described for people. */
interface TaskChange {
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

/** Differences between two versions of a task; empty if none is visible to people. */
export function changesBetween(old: TaskRecord, now: TaskRecord): readonly TaskChange[] {
  return [
    change("Title", old.title, now.title),
    change("Description", old.description, now.description),
    change("Start date", old.startOn, now.startOn),
    change("Due date", old.dueOn, now.dueOn),
    change("Estimate", estimate(old), estimate(now)),
    change("Assigned", old.assigned.join(", "), now.assigned.join(", ")),
    change("Labels", old.labels.join(", "), now.labels.join(", ")),
    change("Completed", old.completedAt && "yes", now.completedAt && "yes"),
    change("Project", String(old.project), String(now.project)),
    change("Todolist", String(old.list), String(now.list)),
    change("Stage", String(old.stage), String(now.stage)),
    change("Custom fields", customText(old.customFields), customText(now.customFields)),
  ].flat();
}

/** The markup of a history entry, from previous to new values. */
export function changeMarkup(changes: readonly TaskChange[]): string {
  return changes
    .map(
      (it) =>
        `<p><b>${it.field}</b>: <del>${escapeHtml(it.from)}</del> &rarr; <ins>${escapeHtml(it.to)}</ins></p>`,
    )
    .join("");
}

/** The task's one-line activity, with HTML. */
export function activityText(person: PersonRecord, changes: readonly TaskChange[]): string {
  const fields = changes.map((it) => it.field.toLowerCase()).join(", ");
  return `<b>${escapeHtml(`${person.firstName} ${person.lastName}`)}</b> changed ${fields}`;
}

function change(field: string, from: string | null, to: string | null): readonly TaskChange[] {
  return from === to ? [] : [{ field, from: from ?? "", to: to ?? "" }];
}

function estimate(task: TaskRecord): string | null {
  if (task.estimatedHours === null && task.estimatedMins === null) return null;
  return `${task.estimatedHours ?? 0}h ${task.estimatedMins ?? 0}m`;
}

function customText(values: Readonly<Record<string, CustomFieldValue>>): string {
  return Object.entries(values)
    .filter(([, value]) => value.length > 0)
    .map(([id, value]) => `${id}: ${typeof value === "string" ? value : value.join(" + ")}`)
    .sort()
    .join("; ");
}

function escapeHtml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
