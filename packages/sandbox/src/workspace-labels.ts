import type { Caller } from "./access-checks.ts";
import { Fields } from "./fields.ts";
import type { LabelRecord } from "./records.ts";
import type { Setting } from "./setting.ts";
import { done, type Outcome, refused } from "./work-outcome.ts";

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

  list(caller: Caller): Outcome<readonly LabelRecord[]> {
    const person = this.#setting.access.account(caller, "read");
    if (person.kind === "refused") return person;
    return done(this.#setting.store.labels.all());
  }

  get(place: LabelPlace): Outcome<LabelRecord> {
    const person = this.#setting.access.account(place, "read");
    if (person.kind === "refused") return person;
    return this.#find(place.label);
  }

  create(caller: Caller, body: unknown): Outcome<LabelRecord> {
    const person = this.#setting.access.account(caller, "write");
    if (person.kind === "refused") return person;
    const name = this.#readName(body, null);
    if (name.kind === "refused") return name;
    const id = this.#setting.store.next("labels");
    const color = colors[id % colors.length] ?? colors[0];
    return done(this.#setting.store.labels.put({ id, name: name.value, color }));
  }

  update(place: LabelPlace, body: unknown): Outcome<LabelRecord> {
    const person = this.#setting.access.account(place, "write");
    if (person.kind === "refused") return person;
    const label = this.#find(place.label);
    if (label.kind === "refused") return label;
    const name = this.#readName(body, place.label);
    if (name.kind === "refused") return name;
    return done(this.#setting.store.labels.put({ ...label.value, name: name.value }));
  }

  /** Removes the label, also from every task and subtask. */
  remove(place: LabelPlace): Outcome<null> {
    const person = this.#setting.access.account(place, "write");
    if (person.kind === "refused") return person;
    const label = this.#find(place.label);
    if (label.kind === "refused") return label;
    const { store } = this.#setting;
    const without = (labels: readonly number[]) => labels.filter((it) => it !== place.label);
    store.transaction(() => {
      for (const it of store.tasks.holding("labels", place.label))
        store.tasks.put({ ...it, labels: without(it.labels) });
      for (const it of store.subtasks.holding("labels", place.label))
        store.subtasks.put({ ...it, labels: without(it.labels) });
      store.labels.remove(place.label);
    });
    return done(null);
  }

  #find(id: number): Outcome<LabelRecord> {
    const label = this.#setting.store.labels.get(id);
    return label === undefined ? refused(404, `there is no label ${id}`) : done(label);
  }

  #readName(body: unknown, own: number | null): Outcome<string> {
    const fields = new Fields(body);
    const name = fields.title("name");
    if (name === undefined) return refused(400, fields.problem ?? "name is required");
    const taken = this.#setting.store.labels
      .all()
      .find((it) => it.id !== own && it.name.toLowerCase() === name.toLowerCase());
    return taken === undefined ? done(name) : refused(400, `name ${name} is taken already`);
  }
}
