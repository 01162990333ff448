import type { Sandbox } from "../../../src/sandbox/server.ts";
import { insist } from "../../../src/sandbox/work-outcome.ts";
import { dayText, hourOn, tokenIn, type Wish, WorkspacePeople } from "../workspace-people.ts";
import { describeTask, type PartName, type Present, partOf } from "./present.ts";

/** What people in the workspace have done to one item. */
export interface Deeds {
  deletedAt: Temporal.Instant | null;
  first: Present | null;
  /** The last change of any kind after the first; null for none. */
  changedAt: Temporal.Instant | null;
  readonly last: Map<PartName, { readonly at: Temporal.Instant; readonly value: string }>;
}

type Kind = "event" | "milestone" | "task" | "subtask";

/** People in two projects with two lists each. */
export class CaldavWorkspace extends WorkspacePeople<Present, "place"> {
  readonly deeds = new Map<string, Deeds>();
  labelsChangedAt: Temporal.Instant | null = null;

  constructor(sandbox: Sandbox, clock: () => Temporal.Instant) {
    super(sandbox, clock);
    for (const name of ["red", "green", "blue, dark"]) this.#label(name);
  }

  get places(): readonly { readonly project: number; readonly list: number }[] {
    return this.sandbox.workspace
      .places()
      .flatMap(({ project, lists }) => lists.map((list) => ({ project, list })));
  }

  get projects(): readonly number[] {
    return this.sandbox.workspace.places().map(({ project }) => project);
  }

  /** Who may read only. */
  get reader(): number {
    return this.sandbox.workspace.people().find(({ role }) => role === "client")?.id ?? 0;
  }

  get labels(): ReadonlyMap<number, string> {
    const all = insist(this.sandbox.workspace.labels.list({ by: this.people[0] }));
    return new Map(all.map(({ id, name }) => [id, name]));
  }

  /** Everything that there is. */
  override items(): readonly Present[] {
    const { workspace } = this.sandbox;
    const [by] = this.people;
    const events = this.projects.flatMap((project) =>
      insist(workspace.events.list({ by, project }, { view: "all" })).map((event): Present => {
        const { id, title, milestone, completed, assigned } = event;
        const description = event.description ?? "";
        const dates = [event.start, event.end ?? ""] as const;
        const isPrivate = event.private;
        const own = { id, title, milestone, completed, assigned, description, dates, isPrivate };
        const token = tokenIn(title);
        const isWhole = event.all_day;
        return {
          ...own,
          kind: "event",
          token,
          isWhole,
          project,
          list: 0,
          parent: null,
          labels: [],
          creator: event.creator.id,
        };
      }),
    );
    return [...events, ...this.places.flatMap((place) => this.#tasksIn(place))];
  }

  create(kind: Kind, { word, day }: Wish): void {
    const { workspace } = this.sandbox;
    const [, by] = this.people;
    const token = this.token();
    const title = `${token} ${word}`;
    const place = pick(this.places, day);
    const where = { by, ...place };
    const assigned = day % 3 === 0 ? [...this.people] : [];
    const labels = day % 2 === 0 ? [pick([...this.labels.keys()], day)] : [];
    const start = dayText(day);
    if (kind === "task") {
      insist(workspace.tasks.create(where, { title, due_date: start, assigned, labels }));
    } else if (kind === "event") {
      insist(workspace.events.create(where, { title, assigned, ...hourOn(day) }));
    } else if (kind === "milestone") {
      const body = { title, start, all_day: true, milestone: true, assigned };
      insist(workspace.events.create(where, body));
    } else {
      const parents = this.items().filter((item) => item.kind === "task");
      const parent = parents[day % Math.max(1, parents.length)];
      if (!parent) return;
      const { project, list, id: task } = parent;
      const below = { by, project, list, task };
      insist(workspace.subtasks.create(below, { title, due_date: start }));
    }
    this.note(token, []).changedAt = null;
  }

  /** Gives it to somebody, or takes it from them. */
  assign(item: Present, nth: number): void {
    const person = this.people[nth % 2] ?? 0;
    const others = item.assigned.filter((one) => one !== person);
    const assigned = others.length < item.assigned.length ? others : [...others, person];
    this.change(item, { assigned }, null);
  }

  /** Hides an event from those whom it does not concern, or shows it again. */
  hide(item: Present): void {
    if (item.kind === "event") this.change(item, { private: !item.isPrivate }, null);
  }

  /** Takes a task to another list. */
  carry(item: Present, nth: number): void {
    if (item.kind !== "task") return;
    const { project, list } = pick(this.places, nth);
    this.change(item, { move_task: true, project, list_id: list }, "place");
  }

  renameLabel(nth: number, word: string): void {
    this.labelsChangedAt = this.clock();
    const label = pick([...this.labels.keys()], nth);
    const [by] = this.people;
    insist(this.sandbox.workspace.labels.update({ by, label }, { name: `${word} ${label}` }));
  }

  #label(name: string): void {
    insist(this.sandbox.workspace.labels.create({ by: this.people[0] }, { name }));
  }

  #tasksIn({ project, list }: { readonly project: number; readonly list: number }) {
    const { workspace } = this.sandbox;
    const [by] = this.people;
    const place = { by, project, list };
    return insist(workspace.tasks.list(place)).flatMap((task): readonly Present[] => {
      const below = insist(workspace.subtasks.list({ ...place, task: task.id }));
      const parent = { id: task.id, token: tokenIn(task.title) };
      return [
        describeTask(task, { kind: "task", parent: null, project, list }),
        ...below.map((one) => describeTask(one, { kind: "subtask", parent, project, list })),
      ];
    });
  }

  /** The account's owner sees what is hidden from others. */
  protected override where({ project, list, isPrivate }: Present) {
    return { by: this.people[isPrivate ? 0 : 1], project, list };
  }

  protected override note(token: string, changed: readonly PartName[], of?: Present): Deeds {
    const items = this.items();
    // An event that is being moved is there twice for a while.
    const same = items.find((item) => item.kind === of?.kind && item.id === of.id);
    const present = same ?? items.find((item) => item.token === token) ?? null;
    const known: Deeds = this.deeds.get(token) ?? {
      deletedAt: null,
      first: present,
      changedAt: null,
      last: new Map(),
    };
    known.changedAt = this.clock();
    this.deeds.set(token, known);
    if (!present) known.deletedAt = this.clock();
    for (const part of changed) {
      known.last.set(part, { at: this.clock(), value: present ? partOf(present, part) : "" });
    }
    return known;
  }
}

export function pick<Value>(values: readonly Value[], nth: number): Value {
  const value = values[nth % Math.max(1, values.length)];
  if (value === undefined) throw new Error("there is nothing to pick from");
  return value;
}
