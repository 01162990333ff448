import type { PersonRecord } from "./records.ts";
import { ifAllowed } from "./refusal.ts";
import type { Workspace, WorkspacePlace } from "./workspace.ts";
import type { EventView } from "./workspace-events.ts";
import type { TaskView } from "./workspace-tasks.ts";

/** A change by someone else, described in one line. */
export interface PlayedChange {
  readonly personId: number;
  readonly kind: "event" | "task" | "comment";
  readonly id: number;
  readonly summary: string;
}

interface Turn {
  readonly workspace: Workspace;
  readonly person: PersonRecord;
  readonly place: WorkspacePlace;
  readonly random: () => number;
}

/**
 * Makes one realistic change as another person than the owner: moves a meeting or milestone, completes a task, shifts its due
 * date, adds a comment or a task, renames something. The same workspace and the same numbers from `random` (0 to below 1) give
 * the same change. null if nobody can change anything.
 */
export function playChange(workspace: Workspace, random: () => number): PlayedChange | null {
  const person = pick(
    workspace
      .people()
      .filter((it) => it.role === "member" && !it.suspended && it.projects.length > 0),
    random,
  );
  const place = pick(
    workspace.places().filter((it) => person?.projects.includes(it.project)),
    random,
  );
  if (person === undefined || place === undefined) return null;
  const turn: Turn = { workspace, person, place, random };
  const first = Math.floor(random() * plays.length);
  for (let step = 0; step < plays.length; step += 1) {
    const played = plays[(first + step) % plays.length]?.(turn) ?? null;
    if (played !== null) return played;
  }
  return null;
}

const plays = [moveEvent, tickTask, shiftTask, addComment, renameTask, addTask, moveMilestone];

function moveEvent(turn: Turn): PlayedChange | null {
  const { workspace, person, place } = turn;
  const event = pick(
    eventsOf(turn).filter((it) => !it.all_day && it.end !== undefined && it.end > it.start),
    turn.random,
  );
  if (event === undefined) return null;
  const hours = pick([-1, 1, 24], turn.random) ?? 1;
  const later = (wall: string | undefined) =>
    Temporal.PlainDateTime.from(wall ?? event.start)
      .toZonedDateTime(workspace.timeZone)
      .add({ hours })
      .toString({ timeZoneName: "never", smallestUnit: "second" });
  const moved = ifAllowed(() =>
    workspace.events.update(
      { by: person.id, project: place.project, event: event.id },
      { start: later(event.start), end: later(event.end), all_day: false },
    ),
  );
  // In the repeated hour an end can read earlier than its start.
  if (!moved) return null;
  return described(turn, {
    kind: "event",
    id: event.id,
    what: `moved "${event.title}" by ${hours} h`,
  });
}

function moveMilestone(turn: Turn): PlayedChange | null {
  const { workspace, person, place } = turn;
  const event = pick(
    eventsOf(turn).filter((it) => it.milestone && !it.completed),
    turn.random,
  );
  if (event === undefined) return null;
  const days = pick([-1, 1, 2, 7], turn.random) ?? 1;
  const start = Temporal.PlainDate.from(event.start.slice(0, 10)).add({ days }).toString();
  workspace.events.update(
    { by: person.id, project: place.project, event: event.id },
    { start, end: start, all_day: true },
  );
  return described(turn, {
    kind: "event",
    id: event.id,
    what: `moved "${event.title}" to ${start}`,
  });
}

function tickTask(turn: Turn): PlayedChange | null {
  return changeTask(turn, (task) => ({
    body: { completed: true },
    what: `completed "${task.title}"`,
  }));
}

function shiftTask(turn: Turn): PlayedChange | null {
  return changeTask(turn, (task) => {
    const days = pick([1, 2, 5], turn.random) ?? 1;
    const from = task.due_date ?? turn.workspace.clock().toString().slice(0, 10);
    const due_date = Temporal.PlainDate.from(from).add({ days }).toString();
    return { body: { due_date }, what: `set "${task.title}" due on ${due_date}` };
  });
}

function renameTask(turn: Turn): PlayedChange | null {
  return changeTask(turn, (task) => {
    const ending = pick(["(new scope)", "– v2", "✔ agreed"], turn.random) ?? "(new scope)";
    const title = `${task.title.replace(/ (\(new scope\)|– v2|✔ agreed)$/, "")} ${ending}`;
    return { body: { title }, what: `renamed "${task.title}" to "${title}"` };
  });
}

function addComment(turn: Turn): PlayedChange | null {
  const { workspace, person, place } = turn;
  const task = pickTask(turn);
  if (task === undefined) return null;
  const remarks = ["I can take this.", "Is this still needed?", "Moved it a little, see the date."];
  const description = pick(remarks, turn.random) ?? "";
  const where = { by: person.id, project: place.project, list: task.list.id, task: task.id };
  const comment = workspace.comments.create(where, { description });
  return described(turn, { kind: "comment", id: comment.id, what: `commented on "${task.title}"` });
}

function addTask(turn: Turn): PlayedChange | null {
  const { workspace, person, place } = turn;
  const list = pick(place.lists, turn.random);
  if (list === undefined) return null;
  const titles = [
    "Call the printer",
    "Answer the open mails",
    "Book the small room",
    "Tidy the list",
  ];
  const title = pick(titles, turn.random) ?? "";
  const today = workspace.clock().toZonedDateTimeISO(workspace.timeZone).toPlainDate();
  const due_date = today.add({ days: 1 + Math.floor(turn.random() * 14) }).toString();
  const body = { title, due_date, assigned: [person.id] };
  const task = workspace.tasks.create({ by: person.id, project: place.project, list }, body);
  return described(turn, { kind: "task", id: task.id, what: `added "${title}"` });
}

function changeTask(
  turn: Turn,
  change: (task: TaskView) => { readonly body: object; readonly what: string },
): PlayedChange | null {
  const task = pickTask(turn);
  if (task === undefined) return null;
  const { body, what } = change(task);
  const { workspace, person, place } = turn;
  const where = { by: person.id, project: place.project, list: task.list.id, task: task.id };
  // A due date before the start is rejected, as for anybody.
  if (!ifAllowed(() => workspace.tasks.update(where, body))) return null;
  return described(turn, { kind: "task", id: task.id, what });
}

function pickTask({ workspace, person, place, random }: Turn): TaskView | undefined {
  const list = pick(place.lists, random);
  if (list === undefined) return undefined;
  const tasks = workspace.tasks.list({ by: person.id, project: place.project, list });
  return pick(
    tasks.filter((it) => !it.completed),
    random,
  );
}

function eventsOf({ workspace, person, place }: Turn): readonly EventView[] {
  const from = workspace.clock().toZonedDateTimeISO(workspace.timeZone).toPlainDate();
  const found: readonly EventView[] = workspace.events.list(
    { by: person.id, project: place.project },
    { view: "all", startDate: from.toString() },
  );
  return found;
}

function described(
  turn: Turn,
  done: { readonly kind: PlayedChange["kind"]; readonly id: number; readonly what: string },
): PlayedChange {
  const { person } = turn;
  return {
    personId: person.id,
    kind: done.kind,
    id: done.id,
    summary: `${person.firstName} ${person.lastName} ${done.what}`.trim(),
  };
}

function pick<T>(items: readonly T[], random: () => number): T | undefined {
  return items[Math.floor(random() * items.length)];
}
