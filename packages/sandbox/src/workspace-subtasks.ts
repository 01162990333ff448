import type { InTask, Need, TaskPlace } from "./access-checks.ts";
import { Fields } from "./fields.ts";
import type { SubtaskRecord } from "./records.ts";
import { refuse } from "./refusal.ts";
import { type Setting, stampNow } from "./setting.ts";
import { readChangedWork, readNewWork, showWork } from "./work-item.ts";
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

  list(place: TaskPlace): readonly SubtaskView[] {
    const found = this.#setting.access.task(place, "read");
    const subtasks = this.#setting.store.subtasks.of(place.task);
    return subtasks.map((it) => this.#show(it, found));
  }

  get(place: SubtaskPlace): SubtaskView {
    const found = this.#find(place, "read");
    return this.#show(found.subtask, found);
  }

  create(place: TaskPlace, body: unknown): SubtaskView {
    const found = this.#setting.access.task(place, "write");
    const { store } = this.#setting;
    const read = readNewWork(found, { fields: new Fields(body), setting: this.#setting });
    const { draft, attachments } = read;
    return store.transaction(() => {
      const filed = fileAttachments({ ...found, setting: this.#setting }, attachments);
      const subtask: SubtaskRecord = {
        ...draft,
        id: store.next("work"),
        task: place.task,
        attachments: filed,
      };
      const kept = store.subtasks.put(subtask);
      this.#moveParent(place);
      return this.#show(kept, found);
    });
  }

  update(place: SubtaskPlace, body: unknown): SubtaskView {
    const found = this.#find(place, "write");
    const old = found.subtask;
    const setting = this.#setting;
    const now = stampNow(setting);
    const context = { fields: new Fields(body), setting, by: place.by, now };
    const read = readChangedWork(old, context);
    const wanted = read;
    if (JSON.stringify(wanted) === JSON.stringify(old)) return this.#show(old, found);
    const kept = setting.store.subtasks.put({ ...wanted, updatedAt: now });
    this.#moveParent(place);
    return this.#show(kept, found);
  }

  remove(place: SubtaskPlace): null {
    this.#find(place, "write");
    this.#setting.store.subtasks.remove(place.subtask);
    this.#moveParent(place);
    return null;
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

  #find(place: SubtaskPlace, need: Need): InTask & { readonly subtask: SubtaskRecord } {
    const found = this.#setting.access.task(place, need);
    const subtask = this.#setting.store.subtasks.get(place.subtask);
    if (subtask?.task !== place.task)
      return refuse(404, `there is no subtask ${place.subtask} in task ${place.task}`);
    return { ...found, subtask };
  }

  #show(subtask: SubtaskRecord, found: InTask): SubtaskView {
    return showWork(subtask, { ...found, setting: this.#setting, comments: 0 });
  }
}
