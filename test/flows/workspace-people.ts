import type { Sandbox } from "../../src/sandbox/server.ts";
import { insist, type Outcome } from "../../src/sandbox/work-outcome.ts";

/** The parts of an item that people change in a walk. */
export const parts = ["title", "description", "dates", "completed"] as const;
export type PartName = (typeof parts)[number];

/** `day`: days after the first of a walk's year. */
export interface Wish {
  readonly word: string;
  readonly day: number;
}

/** What has to be known of an item to change it. */
export interface WorkspaceItem {
  readonly kind: "event" | "task" | "subtask";
  readonly id: number;
  /** The mark in its title that it never loses. */
  readonly token: string;
  readonly project: number;
  /** 0 of an event. */
  readonly list: number;
  /** The task of a subtask. */
  readonly parent: { readonly id: number; readonly token: string } | null;
  readonly milestone: boolean;
  readonly completed: boolean;
}

/** Who asks, and the place of an item. */
interface Where {
  readonly by: number;
  readonly project: number;
  readonly list: number;
}

/** Fields of an item as a request to the service names them. */
type Change = Readonly<Record<string, unknown>>;

/** People who change items in the workspace itself; a subclass reads what there is, and keeps the record. */
export abstract class WorkspacePeople<Item extends WorkspaceItem, Part extends string = never> {
  readonly sandbox: Sandbox;
  protected readonly clock: () => Temporal.Instant;
  #made = 0;

  constructor(sandbox: Sandbox, clock: () => Temporal.Instant) {
    this.sandbox = sandbox;
    this.clock = clock;
  }

  /** Everything that there is. */
  abstract items(): readonly Item[];

  /** Records what has become of an item and which parts were changed; `of`: the item as it was before a change. */
  protected abstract note(token: string, changed: readonly (PartName | Part)[], of?: Item): void;

  /** Where and as whom an item is changed. */
  protected abstract where(item: Item): Where;

  /** The two people who change things; the first one owns the account. */
  get people(): readonly [number, number] {
    const [owner, other] = this.sandbox.keys.filter(({ role }) => role !== "client");
    return [owner?.personId ?? 0, other?.personId ?? 0];
  }

  /** The next mark; also for items that a calendar makes. */
  token(): string {
    this.#made += 1;
    return `K${this.#made}`;
  }

  rename(item: Item, word: string): void {
    this.change(item, { title: `${item.token} ${word}` }, "title");
  }

  describe(item: Item, word: string): void {
    this.change(item, { description: word }, "description");
  }

  move(item: Item, day: number): void {
    const start = dayText(day);
    if (item.kind !== "event") this.change(item, { due_date: start }, "dates");
    else if (item.milestone) this.change(item, { start, end: start, all_day: true }, "dates");
    else this.change(item, hourOn(day), "dates");
  }

  tick(item: Item): void {
    if (item.kind === "event" && !item.milestone) return;
    this.change(item, { completed: !item.completed }, "completed");
  }

  remove(item: Item): void {
    const below = this.items().filter(({ parent }) => parent?.token === item.token);
    const { workspace } = this.sandbox;
    const where = this.where(item);
    if (item.kind === "event") insist(workspace.events.remove({ ...where, event: item.id }));
    if (item.kind === "task") insist(workspace.tasks.remove({ ...where, task: item.id }));
    if (item.kind === "subtask") {
      insist(workspace.subtasks.remove({ ...where, task: item.parent?.id ?? 0, subtask: item.id }));
    }
    for (const { token } of [item, ...below]) this.note(token, []);
  }

  protected change(item: Item, change: Change, part: PartName | Part | null): void {
    const { workspace } = this.sandbox;
    const where = this.where(item);
    const answer: Outcome<unknown> =
      item.kind === "event"
        ? workspace.events.update({ ...where, event: item.id }, change)
        : item.kind === "task"
          ? workspace.tasks.update({ ...where, task: item.id }, change)
          : workspace.subtasks.update(
              { ...where, task: item.parent?.id ?? 0, subtask: item.id },
              change,
            );
    insist(answer);
    this.note(item.token, part === null ? [] : [part], item);
  }
}

export const dayText = (day: number): string =>
  Temporal.PlainDate.from("2027-01-04").add({ days: day }).toString();

export const tokenIn = (title: string): string => /K\d+/.exec(title)?.[0] ?? "";

/** The times of an event of an hour. */
export function hourOn(day: number): Change {
  const at = Temporal.PlainDate.from(dayText(day)).toZonedDateTime({
    timeZone: "Europe/Berlin",
    plainTime: "09:30",
  });
  const text = (time: Temporal.ZonedDateTime) =>
    time.toString({ timeZoneName: "never", smallestUnit: "second" });
  return { start: text(at), end: text(at.add({ hours: 1 })), all_day: false };
}
