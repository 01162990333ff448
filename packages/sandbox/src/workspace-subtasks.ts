import type { InTask, Need, TaskPlace } from "./access-checks.ts";
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

/** Which fields of a task are changed by its subtasks. Not documented; services differ. */
interface ParentManner {
  readonly movesTime?: boolean;
  /** If true, `percent_progress` is the share of completed subtasks. */
  readonly movesProgress?: boolean;
}

/**
 * Subtasks of tasks; their changes only affect the parent's count, unless configured otherwise. Source: service-api.md,
 * Subtasks; beyond-the-document.md, Values.
 */
export class SubtaskWork {
  readonly #setting: Setting;
  #manner: ParentManner = {};

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  /** Changes which fields of parents are affected. */
  behave(manner: ParentManner): void {
    this.#manner = manner;
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
      const kept = store.subtasks.put(subtask);
      this.#moveParent(place);
      return done(this.#show(kept, found.value));
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
    this.#moveParent(place);
    return done(this.#show(kept, found.value));
  }

  remove(place: SubtaskPlace): Outcome<null> {
    const found = this.#find(place, "write");
    if (found.kind === "refused") return found;
    this.#setting.store.subtasks.remove(place.subtask);
    this.#moveParent(place);
    return done(null);
  }

  #moveParent({ task }: TaskPlace): void {
    const { store } = this.#setting;
    const parent = store.tasks.get(task);
    if (!parent) return;
    const { movesTime, movesProgress } = this.#manner;
    const children = store.subtasks.of(task);
    const completed = children.filter(({ completedAt }) => completedAt !== null).length;
    const part = children.length === 0 ? 0 : Math.round((100 * completed) / children.length);
    if (!movesTime && !movesProgress) return;
    store.tasks.put({
      ...parent,
      ...(movesTime && { updatedAt: stampNow(this.#setting) }),
      ...(movesProgress && { percentProgress: part }),
    });
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
