import type { PersonRecord, ProjectRecord, TaskRecord, TodolistRecord } from "../records.ts";
import type { SeedWriter } from "./seed-writer.ts";
import type { WorkspaceCounts } from "./sizes.ts";
import { words } from "./texts.ts";

/** Fills the workspace up to its counts with generated projects, task lists, tasks and events. */
export function seedFiller(
  writer: SeedWriter,
  given: { readonly counts: WorkspaceCounts; readonly labels: readonly number[] },
): void {
  const { counts, labels } = given;
  const { parents = 0.2 } = counts;
  const members = writer.store.people.all().filter((it) => it.role !== "client" && !it.suspended);
  addProjects(writer, { members, wanted: counts.projects });
  const projects = writer.store.projects.all();
  addLists(writer, { projects, wanted: counts.todolists });
  const teams = teamsOf(writer, projects);
  for (const project of projects)
    addEvents(writer, { project, teams, wanted: counts.eventsPerProject });
  const [first] = projects;
  if (first) addEvents(writer, { project: first, teams, wanted: counts.eventsOfFirst ?? 0 });

  const lists = projects.flatMap((it) => writer.store.todolists.of(it.id));
  const missing = counts.tasks - writer.store.tasks.all().length;
  for (let index = 0; index < missing; index += 1) {
    const list = lists[index % lists.length];
    if (list === undefined) return;
    addTask(writer, { list, team: teams.get(list.project) ?? [], labels, parents });
  }
}

function addProjects(
  writer: SeedWriter,
  given: { readonly members: readonly PersonRecord[]; readonly wanted: number },
): void {
  const owner = given.members[0];
  const { random } = writer;
  for (let count = writer.store.projects.all().length; count < given.wanted; count += 1) {
    const team = random.some(given.members, random.between(2, 4));
    const joined = [...team, ...(owner === undefined ? [] : [owner])].map(({ id }) => id);
    writer.startProject(joined, {
      title: `${random.pick(words.projects)} ${count + 1}`,
      description: random.pick(words.descriptions),
      color: random.pick(words.colors),
      manager: team[0]?.id ?? 0,
    });
  }
}

function addLists(
  writer: SeedWriter,
  given: { readonly projects: readonly ProjectRecord[]; readonly wanted: number },
): void {
  const bare = given.projects.filter((it) => writer.store.todolists.count(it.id).n === 0);
  if (bare.length === 0) return;
  let left = given.wanted - writer.store.todolists.all().length;
  for (let index = 0; left > 0; index += 1, left -= 1) {
    const project = bare[index % bare.length];
    const round = Math.floor(index / bare.length);
    const name = words.lists[round % words.lists.length] ?? "More";
    if (project !== undefined) writer.list(project, name);
  }
}

function teamsOf(
  writer: SeedWriter,
  projects: readonly ProjectRecord[],
): ReadonlyMap<number, readonly number[]> {
  const people = writer.store.people.all().filter((it) => it.role !== "client" && !it.suspended);
  return new Map(
    projects.map((project) => [
      project.id,
      people.filter((it) => it.projects.includes(project.id)).map((it) => it.id),
    ]),
  );
}

function addEvents(
  writer: SeedWriter,
  given: {
    readonly project: ProjectRecord;
    readonly teams: ReadonlyMap<number, readonly number[]>;
    readonly wanted: number;
  },
): void {
  const { random } = writer;
  const team = given.teams.get(given.project.id) ?? [];
  for (let count = 0; count < given.wanted; count += 1) {
    const day = random.between(-45, 75);
    const hour = random.between(8, 16);
    const time = `${String(hour).padStart(2, "0")}:${random.pick(["00", "15", "30"])}`;
    const until = `${String(hour + random.between(1, 2)).padStart(2, "0")}:45`;
    const createdAt = writer.stamp(random.between(5, 40) + Math.max(0, -day));
    const milestone = random.chance(0.15);
    const allDay = milestone || random.chance(0.2);
    writer.event({
      project: given.project.id,
      title: milestone
        ? `${random.pick(words.things)} done`
        : `${random.pick(words.meetings)}: ${random.pick(words.things)}`,
      start: allDay ? writer.at(day, "00:00") : writer.at(day, time),
      end: allDay ? null : writer.at(day, until),
      allDay,
      milestone,
      completed: milestone && day < -3,
      reminder: random.chance(0.3) ? random.pick([0, 5, 10, 30, 60, 1440]) : null,
      description: random.chance(0.2) ? random.pick(words.descriptions) : null,
      assigned: random.some(team, random.between(0, 3)),
      createdBy: random.pick(team),
      createdAt,
      updatedAt: createdAt,
    });
  }
}

function addTask(
  writer: SeedWriter,
  given: {
    readonly list: TodolistRecord;
    readonly team: readonly number[];
    readonly labels: readonly number[];
    readonly parents: number;
  },
): void {
  const { random } = writer;
  const due = random.chance(0.88) ? random.between(-60, 90) : null;
  const finished = due !== null && due < 0 ? random.chance(0.8) : random.chance(0.1);
  const by = random.pick(given.team);
  const detail = random.chance(0.3) ? ` ${random.pick(words.details)}` : "";
  const task = writer.task(given.list, {
    title: `${random.pick(words.verbs)} ${random.pick(words.things)}${detail}`,
    description: random.chance(0.25) ? random.pick(words.descriptions) : null,
    dueOn: due === null ? null : writer.day(due),
    startOn: due !== null && random.chance(0.3) ? writer.day(due - random.between(0, 9)) : null,
    estimatedHours: random.chance(0.4) ? random.between(1, 16) : null,
    assigned: random.some(given.team, random.between(0, 2)),
    labels: random.chance(0.35) ? random.some(given.labels, random.between(1, 2)) : [],
    createdBy: by,
    createdAt: writer.stamp(random.between(3, 40) + Math.max(0, -(due ?? 0))),
    ...(finished ? writer.completed(by, Math.max(1, -(due ?? 0))) : {}),
  });
  if (random.chance(given.parents)) addSubtasks(writer, task, given.team);
  if (random.chance(0.3))
    for (let count = random.between(1, 3); count > 0; count -= 1)
      writer.comment(task, {
        by: random.pick(given.team),
        text: random.pick(words.remarks),
        daysAgo: random.between(1, 30),
      });
}

function addSubtasks(writer: SeedWriter, task: TaskRecord, team: readonly number[]): void {
  const { random } = writer;
  for (const title of random.some(words.steps, random.between(2, 4))) {
    const by = random.pick(team);
    const finished = task.completedAt !== null || random.chance(0.3);
    writer.subtask(task, {
      title,
      dueOn: random.chance(0.5) ? task.dueOn : null,
      assigned: random.some(team, random.between(0, 1)),
      createdBy: by,
      ...(finished ? writer.completed(by, random.between(1, 20)) : {}),
    });
  }
}
