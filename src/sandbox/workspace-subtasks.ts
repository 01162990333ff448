import type { InTask, Need, TaskPlace } from "./access.ts";
import { Fields } from "./fields.ts";
import type { SubtaskRecord } from "./records.ts";
import { type Setting, stampNow } from "./setting.ts";
import { readChangedWork, readNewWork, showWork } from "./work-item.ts";
import { done, type Outcome, refused } from "./work-outcome.ts";
import { fileAttachments } from "./workspace-files.ts";

export interface SubtaskPlace extends TaskPlace {
  readonly subtask: number;
}

export type SubtaskView = ReturnType<typeof showWork>;

/**
 * Subtasks of tasks; their changes do not move the parent's `updated_at`.
 * Source: service-api.md, Subtasks.
 */
export class SubtaskWork {
  readonly #setting: Setting;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  list(place: TaskPlace): Outcome<readonly SubtaskView[]> {
    const found = this.#setting.access.task(place, "read");
    if (found.kind === "refused") return found;
    const subtasks = this.#setting.store.subtasks.of(place.task);
    return done(subtasks.map((it) => this.#show(it, found.value)));
  }

  get(place: SubtaskPlace): Outcome<SubtaskView> {
    const found = this.#find(place, "read");
    if (found.kind === "refused") return found;
    return done(this.#show(found.value.subtask, found.value));
  }

  create(place: TaskPlace, body: unknown): Outcome<SubtaskView> {
    const found = this.#setting.access.task(place, "write");
    if (found.kind === "refused") return found;
    const { store } = this.#setting;
    const read = readNewWork(found.value, { fields: new Fields(body), setting: this.#setting });
    if (read.kind === "refused") return read;
    const { draft, attachments } = read.value;
    return store.transaction(() => {
      const filed = fileAttachments({ ...found.value, setting: this.#setting }, attachments);
      if (filed.kind === "refused") return filed;
      const subtask: SubtaskRecord = {
        ...draft,
        id: store.next("work"),
        task: place.task,
        attachments: filed.value,
      };
      return done(this.#show(store.subtasks.put(subtask), found.value));
    });
  }

  update(place: SubtaskPlace, body: unknown): Outcome<SubtaskView> {
    const found = this.#find(place, "write");
    if (found.kind === "refused") return found;
    const old = found.value.subtask;
    const setting = this.#setting;
    const now = stampNow(setting);
    const context = { fields: new Fields(body), setting, by: place.by, now };
    const read = readChangedWork(old, context);
    if (read.kind === "refused") return read;
    const wanted = read.value;
    if (JSON.stringify(wanted) === JSON.stringify(old)) return done(this.#show(old, found.value));
    const kept = setting.store.subtasks.put({ ...wanted, updatedAt: now });
    return done(this.#show(kept, found.value));
  }

  remove(place: SubtaskPlace): Outcome<null> {
    const found = this.#find(place, "write");
    if (found.kind === "refused") return found;
    this.#setting.store.subtasks.remove(place.subtask);
    return done(null);
  }

  #find(place: SubtaskPlace, need: Need): Outcome<InTask & { readonly subtask: SubtaskRecord }> {
    const found = this.#setting.access.task(place, need);
    if (found.kind === "refused") return found;
    const subtask = this.#setting.store.subtasks.get(place.subtask);
    if (subtask?.task !== place.task)
      return refused(404, `there is no subtask ${place.subtask} in task ${place.task}`);
    return done({ ...found.value, subtask });
  }

  #show(subtask: SubtaskRecord, found: InTask): SubtaskView {
    return showWork(subtask, { ...found, setting: this.#setting, comments: 0 });
  }
}
