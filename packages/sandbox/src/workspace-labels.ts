import type { Caller } from "./access-checks.ts";
import { Fields } from "./fields.ts";
import type { LabelRecord } from "./records.ts";
import { refuse } from "./refusal.ts";
import type { Setting } from "./setting.ts";

export interface LabelPlace extends Caller {
  readonly label: number;
}

const colors = [
  "#d9534f",
  "#f0ad4e",
  "#5cb85c",
  "#5bc0de",
  "#428bca",
  "#7e57c2",
  "#8d6e63",
] as const;

/** Labels, shared by the whole account; names are unique ignoring case. Source: service-api.md, Labels. */
export class LabelWork {
  readonly #setting: Setting;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  list(caller: Caller): readonly LabelRecord[] {
    this.#setting.access.account(caller, "read");
    return this.#setting.store.labels.all();
  }

  get(place: LabelPlace): LabelRecord {
    this.#setting.access.account(place, "read");
    return this.#find(place.label);
  }

  create(caller: Caller, body: unknown): LabelRecord {
    this.#setting.access.account(caller, "write");
    const name = this.#readName(body, null);
    const id = this.#setting.store.next("labels");
    const color = colors[id % colors.length] ?? colors[0];
    return this.#setting.store.labels.put({ id, name: name, color });
  }

  update(place: LabelPlace, body: unknown): LabelRecord {
    this.#setting.access.account(place, "write");
    const label = this.#find(place.label);
    const name = this.#readName(body, place.label);
    return this.#setting.store.labels.put({ ...label, name: name });
  }

  /** Removes the label, also from every task and subtask. */
  remove(place: LabelPlace): null {
    this.#setting.access.account(place, "write");
    this.#find(place.label);
    const { store } = this.#setting;
    const without = (labels: readonly number[]) => labels.filter((it) => it !== place.label);
    store.transaction(() => {
      for (const it of store.tasks.holding("labels", place.label))
        store.tasks.put({ ...it, labels: without(it.labels) });
      for (const it of store.subtasks.holding("labels", place.label))
        store.subtasks.put({ ...it, labels: without(it.labels) });
      store.labels.remove(place.label);
    });
    return null;
  }

  #find(id: number): LabelRecord {
    const label = this.#setting.store.labels.get(id);
    return label === undefined ? refuse(404, `there is no label ${id}`) : label;
  }

  #readName(body: unknown, own: number | null): string {
    const fields = new Fields(body);
    const name = fields.title("name");
    if (name === undefined) return refuse(400, fields.problem ?? "name is required");
    const taken = this.#setting.store.labels
      .all()
      .find((it) => it.id !== own && it.name.toLowerCase() === name.toLowerCase());
    return taken === undefined ? name : refuse(400, `name ${name} is taken already`);
  }
}
