import type { Sandbox } from "../../src/sandbox/server.ts";
import { insist, type Outcome } from "../../src/sandbox/work-outcome.ts";
import type { EventView } from "../../src/sandbox/workspace-events.ts";
import type { TaskView } from "../../src/sandbox/workspace-tasks.ts";

/** The parts of an item that people change in a walk. */
export const parts = ["title", "description", "dates", "completed"] as const;
export type PartName = (typeof parts)[number];

type Shown =
  | EventView
  | Pick<
      TaskView,
      "id" | "title" | "description" | "start_date" | "due_date" | "completed" | "list"
    >;

/** One item as the service shows it. */
export interface Held {
  readonly kind: "event" | "task" | "subtask";
  readonly id: number;
  /** The mark in its title that it never loses. */
  readonly token: string;
  readonly list: number;
  /** The task of a subtask. */
  readonly parent: { readonly id: number; readonly token: string } | null;
  readonly milestone: boolean;
  readonly json: string;
  readonly parts: Readonly<Record<PartName, string>>;
}

/** What people in the workspace have done to one item. */
export interface Story {
  /** What the service showed after the last of it; null when it is deleted. */
  json: string | null;
  deletedAt: Temporal.Instant | null;
  first: Held | null;
  /** When each part was last changed, and to what. */
  readonly last: Map<PartName, { readonly at: Temporal.Instant; readonly value: string }>;
}

type Change = Readonly<Record<string, unknown>>;

/** The hands of people in the workspace, with a record of all that they do. */
export class WalkWorkspace {
  readonly sandbox: Sandbox;
  readonly stories = new Map<string, Story>();
  readonly #clock: () => Temporal.Instant;
  #made = 0;

  constructor(sandbox: Sandbox, clock: () => Temporal.Instant) {
    this.sandbox = sandbox;
    this.#clock = clock;
  }

  get place() {
    const [place] = this.sandbox.workspace.places();
    const [list = 0, other = 0] = place?.lists ?? [];
    return { project: place?.project ?? 0, list, other };
  }

  /** The next mark; also for items that a calendar makes. */
  token(): string {
    this.#made += 1;
    return `K${this.#made}`;
  }

  /** Everything that there is, in the order of ids. */
  items(): readonly Held[] {
    const { workspace } = this.sandbox;
    const { project, list, other } = this.place;
    const by = this.#people[0];
    const events = insist(workspace.events.list({ by, project }, { view: "all" }));
    const tasks = [list, other].flatMap((id) =>
      insist(workspace.tasks.list({ by, project, list: id })),
    );
    return [
      ...events.map((event) => describe("event", event, null)),
      ...tasks.map((task) => describe("task", task, null)),
      ...tasks.flatMap((task) => {
        const where = { by, project, list: task.list.id, task: task.id };
        const below = insist(workspace.subtasks.list(where));
        return below.map((subtask) => describe("subtask", subtask, task));
      }),
    ];
  }

  create(kind: "event" | "milestone" | "task" | "subtask", { word, day }: Wish): void {
    const { workspace } = this.sandbox;
    const { project, list, other } = this.place;
    const by = this.#people[1];
    const token = this.token();
    const title = `${token} ${word}`;
    const place = { by, project, list: day % 2 === 0 ? list : other };
    if (kind === "task") insist(workspace.tasks.create(place, { title, due_date: dayText(day) }));
    if (kind === "event") insist(workspace.events.create(place, { title, ...hour(day) }));
    if (kind === "milestone") {
      const start = dayText(day);
      insist(workspace.events.create(place, { title, start, all_day: true, milestone: true }));
    }
    if (kind === "subtask") {
      const parents = this.items().filter((item) => item.kind === "task");
      const parent = parents[day % Math.max(1, parents.length)];
      if (!parent) return;
      const where = { by, project, list: parent.list, task: parent.id };
      insist(workspace.subtasks.create(where, { title, due_date: dayText(day) }));
    }
    this.#note(token, []);
  }

  rename(item: Held, word: string): void {
    this.#change(item, { title: `${item.token} ${word}` }, "title");
  }

  describe(item: Held, word: string): void {
    this.#change(item, { description: word }, "description");
  }

  move(item: Held, day: number): void {
    const start = dayText(day);
    if (item.kind !== "event") this.#change(item, { due_date: start }, "dates");
    else if (item.milestone) this.#change(item, { start, end: start, all_day: true }, "dates");
    else this.#change(item, hour(day), "dates");
  }

  tick(item: Held): void {
    if (item.kind === "event" && !item.milestone) return;
    this.#change(item, { completed: item.parts.completed === "false" }, "completed");
  }

  remove(item: Held): void {
    const below = this.items().filter(({ parent }) => parent?.token === item.token);
    const { workspace } = this.sandbox;
    const where = this.#where(item);
    if (item.kind === "event") insist(workspace.events.remove({ ...where, event: item.id }));
    if (item.kind === "task") insist(workspace.tasks.remove({ ...where, task: item.id }));
    if (item.kind === "subtask") {
      insist(workspace.subtasks.remove({ ...where, task: item.parent?.id ?? 0, subtask: item.id }));
    }
    for (const { token } of [item, ...below]) this.#note(token, []);
  }

  get #people(): readonly [number, number] {
    const [owner, other] = this.sandbox.keys.filter(({ role }) => role !== "client");
    return [owner?.personId ?? 0, other?.personId ?? 0];
  }

  #where(item: Held) {
    return { by: this.#people[1], project: this.place.project, list: item.list };
  }

  #change(item: Held, change: Change, part: PartName): void {
    const { workspace } = this.sandbox;
    const where = this.#where(item);
    const answer: Outcome<Shown> =
      item.kind === "event"
        ? workspace.events.update({ ...where, event: item.id }, change)
        : item.kind === "task"
          ? workspace.tasks.update({ ...where, task: item.id }, change)
          : workspace.subtasks.update(
              { ...where, task: item.parent?.id ?? 0, subtask: item.id },
              change,
            );
    insist(answer);
    this.#note(item.token, [part]);
  }

  #note(token: string, changed: readonly PartName[]): void {
    const held = this.items().find((item) => item.token === token) ?? null;
    const story = this.stories.get(token) ?? {
      json: null,
      deletedAt: null,
      first: held,
      last: new Map(),
    };
    this.stories.set(token, story);
    story.json = held?.json ?? null;
    if (!held) story.deletedAt = this.#clock();
    for (const part of changed) {
      story.last.set(part, { at: this.#clock(), value: held?.parts[part] ?? "" });
    }
  }
}

/** `day`: days after the first of a walk's year. */
export interface Wish {
  readonly word: string;
  readonly day: number;
}

export const dayText = (day: number): string =>
  Temporal.PlainDate.from("2027-01-04").add({ days: day }).toString();

export const tokenIn = (title: string): string => /K\d+/.exec(title)?.[0] ?? "";

function hour(day: number): Change {
  const at = Temporal.PlainDate.from(dayText(day)).toZonedDateTime({
    timeZone: "Europe/Berlin",
    plainTime: "09:30",
  });
  const text = (time: Temporal.ZonedDateTime) =>
    time.toString({ timeZoneName: "never", smallestUnit: "second" });
  return { start: text(at), end: text(at.add({ hours: 1 })), all_day: false };
}

function describe(
  kind: Held["kind"],
  shown: Shown,
  parent: { readonly id: number; readonly title: string } | null,
): Held {
  const dates =
    "start" in shown ? [shown.start, shown.end, shown.all_day] : [shown.start_date, shown.due_date];
  return {
    kind,
    id: shown.id,
    token: tokenIn(shown.title),
    list: "list" in shown ? shown.list.id : 0,
    parent: parent && { id: parent.id, token: tokenIn(parent.title) },
    milestone: "milestone" in shown && shown.milestone,
    // How many subtasks it has is what others do.
    json: JSON.stringify({ ...shown, sub_tasks: null }),
    parts: {
      title: shown.title,
      description: shown.description ?? "",
      dates: JSON.stringify(dates),
      completed: String(shown.completed),
    },
  };
}
