import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { blankEvent } from "../src/domain/blank-item.ts";
import {
  type FolderId,
  folderId,
  labelId,
  listId,
  personId,
  projectId,
  serviceId,
} from "../src/domain/ids.ts";
import type { EventItem, TaskItem } from "../src/domain/item.ts";
import { openStore, type Store } from "../src/store/store.ts";

const zone = "Europe/Berlin";
const people = 40;
const listsPerProject = 5;
const tasksPerList = 50;

/** Deterministic: the same size gives the same workspace. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

export interface ReportWorkspace {
  readonly store: Store;
  /** Puts a task once more, a little changed, as a sweep does that finds it changed. */
  readonly touch: (nth: number, round: number) => void;
}

/** A mirrored workspace of so many tasks in a database file, with events, moved dates, comments, history and files. */
export function fillWorkspace(file: string, tasks: number): ReportWorkspace {
  const migrations = join(import.meta.dirname, "../migrations");
  const clock = () => Temporal.Now.instant();
  const store = openStore({ file, migrations, zone, clock, randomId: randomUUID });
  const random = chance(7);
  const pick = (below: number) => Math.floor(random() * below);
  const lists = Math.ceil(tasks / tasksPerList);
  const projects = Math.ceil(lists / listsPerProject);
  const today = Temporal.Now.plainDateISO(zone);
  const created = clock().subtract({ hours: 24 * 30 });

  const taskAt = (
    nth: number,
    moved: number,
  ): TaskItem & { readonly id: ReturnType<typeof serviceId> } => {
    const list = nth % lists;
    const due = today.add({ days: ((nth * 37) % 360) - 90 + moved });
    return {
      id: serviceId(nth + 1),
      kind: "task",
      projectId: projectId(1 + (list % projects)),
      listId: listId(1 + list),
      parentId: null,
      title: `Task ${nth}: prepare what the next step needs`,
      description: `What task ${nth} is about, in a sentence or two of a usual length; <b>some</b> markup as well.`,
      completed: nth % 3 === 0,
      assigned:
        nth % 7 === 0
          ? []
          : nth % 5 === 0
            ? [personId(1 + (nth % people)), personId(1 + ((nth + 3) % people))]
            : [personId(1 + (nth % people))],
      creatorId: personId(1),
      byMe: false,
      createdAt: created,
      updatedAt: created.add({ minutes: nth % 4000 }),
      startOn: nth % 4 === 0 ? due.subtract({ days: 5 }) : null,
      dueOn: nth % 11 === 0 ? null : due,
      estimated: nth % 2 === 0 ? Temporal.Duration.from({ minutes: 30 * (1 + (nth % 16)) }) : null,
      logged: nth % 3 === 0 ? Temporal.Duration.from({ minutes: 15 * (1 + (nth % 20)) }) : null,
      percent: nth % 3 === 0 ? 100 : (nth * 10) % 100,
      labels: nth % 4 === 0 ? [labelId(1 + (nth % 12))] : [],
      completedAt: nth % 3 === 0 ? created.add({ hours: nth % 700 }) : null,
      completedBy: nth % 3 === 0 ? personId(1 + (nth % people)) : null,
      subtaskCount: 0,
      commentCount: nth % 3,
      rrule: null,
      ticket: `T${nth}`,
      stage: "Doing",
      customFields: [],
    };
  };
  const eventAt = (
    nth: number,
    moved: number,
  ): EventItem & { readonly id: ReturnType<typeof serviceId> } => {
    const day = today.add({ days: ((nth * 13) % 200) - 60 + moved });
    const start = day.toZonedDateTime({ timeZone: zone, plainTime: "10:00" });
    const milestone = nth % 4 === 0;
    const blank = blankEvent({
      projectId: projectId(1 + (nth % projects)),
      creatorId: personId(1),
      createdAt: created,
      when: milestone
        ? { kind: "dates", start: day, end: day.add({ days: 1 }) }
        : { kind: "times", start, end: start.add({ hours: 1 }) },
    });
    return {
      ...blank,
      id: serviceId(nth + 1),
      byMe: false,
      updatedAt: created,
      title: milestone ? `Milestone ${nth}` : `Meeting ${nth}`,
      assigned: [personId(1 + (nth % people))],
      milestone,
    };
  };

  store.together(() => {
    const { directory } = store;
    const ids = (count: number) => Array.from({ length: count }, (_, nth) => nth + 1);
    directory.putProjects(
      ids(projects).map((id) => ({
        id: projectId(id),
        title: `Project ${id}`,
        description: null,
        color: null,
        archived: false,
        members: [],
      })),
      true,
    );
    directory.putPeople(
      ids(people).map((id) => ({
        id: personId(id),
        name: `Person ${id}`,
        email: null,
        timeZone: null,
        suspended: false,
      })),
      true,
    );
    directory.putLabels(
      ids(12).map((id) => ({ id: labelId(id), name: `Label ${id}`, color: "#336699" })),
      true,
    );
    directory.putTodolists(
      null,
      ids(lists).map((id) => ({
        id: listId(id),
        projectId: projectId(1 + ((id - 1) % projects)),
        title: `List ${id}`,
        archived: false,
        private: false,
      })),
      true,
    );
    store.sources.put(ids(projects).map((id) => ({ kind: "events", projectId: projectId(id) })));
    store.sources.put(
      ids(lists).map((id) => ({
        kind: "tasks",
        listId: listId(id),
        projectId: projectId(1 + ((id - 1) % projects)),
      })),
    );
    for (const { source } of store.sources.all())
      store.sources.succeeded(source, { items: 1, gaps: null });
  });
  for (let from = 0; from < tasks; from += 5_000) {
    store.together(() => {
      for (let nth = from; nth < Math.min(tasks, from + 5_000); nth += 1) {
        const task = taskAt(nth, 0);
        store.mirror.put(task, `tasks:${task.listId}`);
      }
    });
  }
  store.together(() => {
    for (let nth = 0; nth < tasks / 10; nth += 1)
      store.mirror.put(eventAt(nth, 0), `events:${eventAt(nth, 0).projectId}`);
    for (let round = 1; round <= 3; round += 1) {
      for (let nth = round; nth < tasks; nth += 10) {
        const task = taskAt(nth, round * 3);
        store.mirror.put(task, `tasks:${task.listId}`);
      }
      for (let nth = 0; nth < tasks / 10; nth += 8)
        store.mirror.put(eventAt(nth, round * 7), `events:${eventAt(nth, 0).projectId}`);
    }
    for (let nth = 0; nth < tasks / 2; nth += 1) {
      const at = {
        projectId: taskAt(nth, 0).projectId,
        listId: taskAt(nth, 0).listId,
        taskId: serviceId(nth + 1),
      };
      store.comments.put({
        ...at,
        id: serviceId(nth + 1),
        description: `<p>Comment <b>${nth}</b> on how it goes &amp; what is left</p>`,
        creatorId: personId(1 + pick(people)),
        byMe: false,
        createdAt: created.add({ minutes: nth % 43_000 }),
      });
      store.history.add([
        {
          ...at,
          id: serviceId(nth + 1),
          personId: personId(1 + pick(people)),
          action: "Updated",
          activityAt: created.add({ minutes: nth % 43_000 }),
          on: null,
        },
      ]);
    }
    for (let project = 1; project <= projects; project += 1) {
      const folder: FolderId = folderId(project);
      store.files.putFolders(projectId(project), {
        folders: [
          { id: folder, projectId: projectId(project), name: "Home", parentId: null, type: null },
        ],
        complete: true,
      });
      store.files.putFiles(folder, {
        files: Array.from({ length: 50 }, (_, nth) => ({
          id: serviceId(project * 100 + nth),
          projectId: projectId(project),
          folderId: folder,
          name: `file-${nth}.pdf`,
          byteSize: 1000 * nth,
          fileType: "pdf",
          url: null,
          creatorId: personId(1),
          byMe: false,
          createdAt: created,
          updatedAt: created,
        })),
        complete: true,
      });
    }
  });
  return {
    store,
    touch(nth, round) {
      const task = taskAt(nth % tasks, round % 5);
      store.mirror.put(task, `tasks:${task.listId}`);
    },
  };
}
