import type { InList, InTask, ListPlace, TaskPlace } from "./access-checks.ts";
import { readCustomFields, showCustomFields } from "./custom-fields.ts";
import { Fields } from "./fields.ts";
import type { TaskRecord } from "./records.ts";
import { type Setting, stampNow } from "./setting.ts";
import { activityText, changeMarkup, changesBetween } from "./task-history.ts";
import { copiedTask, isMove, movedTask } from "./task-moves.ts";
import { readChangedWork, readNewWork, showWork } from "./work-item.ts";
import { stageOf, workflow } from "./workflow.ts";
import { fileAttachments } from "./workspace-files.ts";

export type TaskView = ReturnType<typeof showTask>;

/**
 * Tasks of task lists, with copy and move. Source: service-api.md, Tasks; beyond-the-document.md for what copy, move and
 * history do.
 */
export class TaskWork {
  readonly #setting: Setting;
  #movesList = false;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  /** Sets whether a change of a task changes its list's `updated_at`; services differ. */
  behave({ movesList }: { readonly movesList: boolean }): void {
    this.#movesList = movesList;
  }

  list(place: ListPlace): readonly TaskView[] {
    const found = this.#setting.access.list(place, "read");
    const tasks = this.#setting.store.tasks.of(place.list);
    return tasks.map((it) => showTask(it, { ...found, setting: this.#setting }));
  }

  get(place: TaskPlace): TaskView {
    const found = this.#setting.access.task(place, "read");
    return showTask(found.task, { ...found, setting: this.#setting });
  }

  create(place: ListPlace, body: unknown): TaskView {
    const found = this.#setting.access.list(place, "write");
    const { store } = this.#setting;
    const fields = new Fields(body);
    const read = readNewWork(found, { fields, setting: this.#setting });
    const { draft, attachments } = read;
    const custom = readCustomFields(fields.raw("custom_fields"), found.project.customFields);

    return store.transaction(() => {
      const filed = fileAttachments({ ...found, setting: this.#setting }, attachments);
      const task: TaskRecord = {
        ...draft,
        id: store.next("work"),
        ticket: String(store.next("tickets")),
        attachments: filed,
        rrule: null,
        stage: workflow.stages[0].id,
        customFields: custom,
      };
      const kept = store.tasks.put(task);
      this.#moveList(place.list);
      return showTask(kept, { ...found, setting: this.#setting });
    });
  }

  /** Changes fields, completes or reopens, or moves if the body names another project or task list. */
  update(place: TaskPlace, body: unknown): TaskView {
    const found = this.#setting.access.task(place, "write");
    const fields = new Fields(body);
    const moved = isMove(fields, found)
      ? movedTask(found, { fields, setting: this.#setting })
      : found;

    const { task, project } = moved;
    const now = stampNow(this.#setting);
    const read = readChangedWork(task, { fields, setting: this.#setting, by: place.by, now });
    const custom = readCustomFields(fields.raw("custom_fields"), project.customFields);
    const customFields = { ...task.customFields, ...custom };
    const wanted = { ...read, customFields };
    return this.#keep(found.task, { ...moved, task: wanted, now });
  }

  /** A new task copied from this one; without flags only title and description are copied. */
  copy(place: TaskPlace, body: unknown): TaskView {
    const found = this.#setting.access.task(place, "write");
    const copied = copiedTask(found, { fields: new Fields(body), setting: this.#setting });
    return showTask(copied.task, { ...copied, setting: this.#setting });
  }

  remove(place: TaskPlace): null {
    this.#setting.access.task(place, "write");
    const { store } = this.#setting;
    store.transaction(() => {
      for (const it of store.subtasks.of(place.task)) store.subtasks.remove(it.id);
      for (const it of store.comments.of(place.task)) store.comments.remove(it.id);
      for (const it of store.history.of(place.task)) store.history.remove(it.id);
      store.tasks.remove(place.task);
      this.#moveList(place.list);
    });
    return null;
  }

  #moveList(id: number): void {
    const { store } = this.#setting;
    const list = this.#movesList ? store.todolists.get(id) : undefined;
    if (list) store.todolists.put({ ...list, updatedAt: stampNow(this.#setting) });
  }

  #keep(old: TaskRecord, { now, ...found }: InTask & { readonly now: string }): TaskView {
    const { store } = this.#setting;
    const changes = changesBetween(old, found.task);
    const seen = { ...found, setting: this.#setting };
    if (changes.length === 0) return showTask(old, seen);
    const kept: TaskRecord = {
      ...found.task,
      updatedAt: now,
      taskHistory: activityText(found.person, changes),
    };
    store.transaction(() => {
      store.tasks.put(kept);
      this.#moveList(kept.list);
      store.history.put({
        id: store.next("history"),
        project: kept.project,
        task: kept.id,
        person: found.person.id,
        at: now,
        content: changeMarkup(changes),
      });
      if (kept.list !== old.list) this.#moveChildren(kept);
    });
    return showTask(kept, seen);
  }

  // Rows of children contain their project and list, so they move with the task.
  #moveChildren(task: TaskRecord): void {
    const { store } = this.#setting;
    const place = { project: task.project, list: task.list };
    for (const it of store.subtasks.of(task.id)) store.subtasks.put({ ...it, ...place });
    for (const it of store.comments.of(task.id)) store.comments.put({ ...it, ...place });
    for (const it of store.history.of(task.id)) store.history.put({ ...it, project: task.project });
  }
}

/** A task as in the service's responses. */
export function showTask(task: TaskRecord, seen: InList & { readonly setting: Setting }) {
  const { store } = seen.setting;
  return {
    ticket: task.ticket,
    ...showWork(task, { ...seen, comments: store.comments.count(task.id).n }),
    sub_tasks: store.subtasks.count(task.id).n,
    rrule: task.rrule,
    form_task: false,
    timesheet_id: null,
    user_stages: [],
    workflow: { id: workflow.id, name: workflow.name },
    stage: stageOf(task.stage),
    custom_fields: showCustomFields(task.customFields, seen.project.customFields),
  };
}
