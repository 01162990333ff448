import { insist } from "../../src/sandbox/work-outcome.ts";
import type { EventView } from "../../src/sandbox/workspace-events.ts";
import type { TaskView } from "../../src/sandbox/workspace-tasks.ts";
import {
  dayText,
  hourOn,
  type PartName,
  tokenIn,
  type Wish,
  type WorkspaceItem,
  WorkspacePeople,
} from "./workspace-people.ts";

type Shown =
  | EventView
  | Pick<
      TaskView,
      "id" | "title" | "description" | "start_date" | "due_date" | "completed" | "list" | "project"
    >;

/** One item as the service shows it. */
export interface WalkItem extends WorkspaceItem {
  readonly json: string;
  readonly parts: Readonly<Record<PartName, string>>;
}

/** What people in the workspace have done to one item. */
export interface Story {
  /** What the service showed after the last of it; null when it is deleted. */
  json: string | null;
  deletedAt: Temporal.Instant | null;
  first: WalkItem | null;
  /** When each part was last changed, and to what. */
  readonly last: Map<PartName, { readonly at: Temporal.Instant; readonly value: string }>;
}

/** People in one project with two lists. */
export class WalkWorkspace extends WorkspacePeople<WalkItem> {
  readonly stories = new Map<string, Story>();

  get place() {
    const [place] = this.sandbox.workspace.places();
    const [list = 0, other = 0] = place?.lists ?? [];
    return { project: place?.project ?? 0, list, other };
  }

  /** Everything that there is, in the order of ids. */
  override items(): readonly WalkItem[] {
    const { workspace } = this.sandbox;
    const { project, list, other } = this.place;
    const [by] = this.people;
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
    const [, by] = this.people;
    const token = this.token();
    const title = `${token} ${word}`;
    const place = { by, project, list: day % 2 === 0 ? list : other };
    if (kind === "task") insist(workspace.tasks.create(place, { title, due_date: dayText(day) }));
    if (kind === "event") insist(workspace.events.create(place, { title, ...hourOn(day) }));
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
    this.note(token, []);
  }

  protected override where({ list }: WalkItem) {
    return { by: this.people[1], project: this.place.project, list };
  }

  protected override note(token: string, changed: readonly PartName[]): void {
    const present = this.items().find((item) => item.token === token) ?? null;
    const story = this.stories.get(token) ?? {
      json: null,
      deletedAt: null,
      first: present,
      last: new Map(),
    };
    this.stories.set(token, story);
    story.json = present?.json ?? null;
    if (!present) story.deletedAt = this.clock();
    for (const part of changed) {
      story.last.set(part, { at: this.clock(), value: present?.parts[part] ?? "" });
    }
  }
}

function describe(
  kind: WalkItem["kind"],
  shown: Shown,
  parent: { readonly id: number; readonly title: string } | null,
): WalkItem {
  const dates =
    "start" in shown ? [shown.start, shown.end, shown.all_day] : [shown.start_date, shown.due_date];
  return {
    kind,
    id: shown.id,
    token: tokenIn(shown.title),
    project: shown.project.id,
    list: "list" in shown ? shown.list.id : 0,
    parent: parent && { id: parent.id, token: tokenIn(parent.title) },
    milestone: "milestone" in shown && shown.milestone,
    completed: shown.completed,
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
