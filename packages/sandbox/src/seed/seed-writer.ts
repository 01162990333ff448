import type {
  CustomFieldDefinition,
  EventRecord,
  FileRecord,
  PersonRecord,
  ProjectRecord,
  SubtaskRecord,
  TaskRecord,
  TodolistRecord,
  WorkRecord,
} from "../records.ts";
import { textsOfEvent } from "../records.ts";
import { stampText, wallText } from "../times.ts";
import { blankWork } from "../work-item.ts";
import type { WorkspaceStore } from "../workspace-store.ts";
import type { Random } from "./random.ts";

interface SeedSetting {
  readonly store: WorkspaceStore;
  readonly random: Random;
  readonly now: Temporal.Instant;
  readonly timeZone: string;
}

type EventGiven = Pick<EventRecord, "project" | "title" | "start" | "createdBy"> &
  Partial<EventRecord>;
type WorkGiven = Pick<WorkRecord, "title" | "createdBy"> & Partial<WorkRecord>;
type TaskGiven = WorkGiven & Partial<TaskRecord>;

/** Writes seed records and fills in what was not given; days count from today in the account's time zone. */
export class SeedWriter {
  readonly store: WorkspaceStore;
  readonly random: Random;
  readonly now: Temporal.Instant;
  readonly timeZone: string;
  readonly today: Temporal.PlainDate;

  constructor(setting: SeedSetting) {
    this.store = setting.store;
    this.random = setting.random;
    this.now = setting.now;
    this.timeZone = setting.timeZone;
    this.today = setting.now.toZonedDateTimeISO(setting.timeZone).toPlainDate();
  }

  /** `YYYY-MM-DD` this many days from today. */
  day(offset: number): string {
    return this.today.add({ days: offset }).toString();
  }

  /** Local time at a time of day, this many days from today. */
  at(offset: number, time: string): string {
    return `${this.day(offset)} ${time}`;
  }

  /** The times of an event within one day. */
  hours(offset: number, from: string, to: string): Pick<EventRecord, "start" | "end"> {
    return { start: this.at(offset, from), end: this.at(offset, to) };
  }

  /** The times of an all-day event, both days inclusive. */
  days(first: number, last: number): Pick<EventRecord, "start" | "end" | "allDay"> {
    return { start: this.at(first, "00:00"), end: this.at(last, "23:59"), allDay: true };
  }

  /** The properties of a one-day milestone. */
  milestoneOn(offset: number): Pick<EventRecord, "start" | "allDay" | "milestone"> {
    return { start: this.at(offset, "00:00"), allDay: true, milestone: true };
  }

  /** Local time of an instant. */
  wall(at: Temporal.Instant): string {
    return wallText(at.toZonedDateTimeISO(this.timeZone).toPlainDateTime());
  }

  /** A timestamp this many days ago, during working hours; never in the future. */
  stamp(daysAgo: number): string {
    const time = Temporal.PlainTime.from({
      hour: this.random.between(8, 17),
      minute: this.random.between(0, 59),
    });
    const day = this.today.subtract({ days: Math.max(1, daysAgo) });
    return stampText(day.toZonedDateTime({ timeZone: this.timeZone, plainTime: time }).toInstant());
  }

  person(given: Omit<PersonRecord, "id" | "projects" | "createdAt" | "updatedAt">): PersonRecord {
    const createdAt = this.stamp(400);
    const id = this.store.next("people");
    return this.store.people.put({ ...given, id, projects: [], createdAt, updatedAt: createdAt });
  }

  /** Adds a person to a project. */
  join(id: number, project: number): void {
    const person = this.store.people.get(id);
    if (person === undefined || person.projects.includes(project)) return;
    this.store.people.put({ ...person, projects: [...person.projects, project] });
  }

  project(
    given: Pick<ProjectRecord, "title" | "description" | "color" | "manager"> &
      Partial<ProjectRecord>,
  ): ProjectRecord {
    const createdAt = this.stamp(120);
    return this.store.projects.put({
      archived: false,
      startOn: this.day(-120),
      endOn: this.day(90),
      createdBy: given.manager,
      category: 1,
      customFields: [],
      createdAt,
      updatedAt: createdAt,
      ...given,
      id: this.store.next("projects"),
    });
  }

  /** A project with its people and its home folder, which has the same name. */
  startProject(
    people: readonly number[],
    given: Parameters<SeedWriter["project"]>[0],
  ): { readonly project: ProjectRecord; readonly home: number } {
    const project = this.project(given);
    for (const person of people) this.join(person, project.id);
    const home = this.folder({ project: project.id, name: project.title, parent: null });
    return { project, home };
  }

  customField(given: Omit<CustomFieldDefinition, "id">): CustomFieldDefinition {
    return { ...given, id: this.store.next("custom_fields") };
  }

  list(project: ProjectRecord, title: string): TodolistRecord {
    const createdAt = this.stamp(110);
    return this.store.todolists.put({
      id: this.store.next("todolists"),
      project: project.id,
      title,
      archived: false,
      milestone: null,
      createdBy: project.manager,
      createdAt,
      updatedAt: createdAt,
    });
  }

  /** A folder; the project's home folder has no parent. */
  folder(given: {
    readonly project: number;
    readonly name: string;
    readonly parent: number | null;
  }): number {
    const createdAt = this.stamp(115);
    return this.store.folders.put({
      ...given,
      id: this.store.next("folders"),
      level: given.parent === null ? 0 : 1,
      createdAt,
      updatedAt: createdAt,
    }).id;
  }

  /** Timed unless stated; ends with its start by default. */
  event(given: EventGiven): EventRecord {
    const createdAt = this.stamp(this.random.between(5, 60));
    return this.store.events.put({
      ...textsOfEvent({}),
      end: null,
      bareEnd: "equal",
      allDay: false,
      milestone: false,
      private: false,
      completed: false,
      reminder: null,
      assigned: [],
      createdAt,
      updatedAt: createdAt,
      ...given,
      id: this.store.next("events"),
    });
  }

  task(list: TodolistRecord, given: TaskGiven): TaskRecord {
    return this.store.tasks.put({
      rrule: null,
      stage: 1,
      customFields: {},
      ...this.#work(given),
      ...given,
      ticket: String(this.store.next("tickets")),
      id: this.store.next("work"),
      project: list.project,
      list: list.id,
    });
  }

  subtask(task: TaskRecord, given: WorkGiven): SubtaskRecord {
    return this.store.subtasks.put({
      ...this.#work(given),
      ...given,
      id: this.store.next("work"),
      project: task.project,
      list: task.list,
      task: task.id,
    });
  }

  comment(
    task: TaskRecord,
    given: { readonly by: number; readonly text: string; readonly daysAgo: number },
  ): void {
    this.store.comments.put({
      id: this.store.next("comments"),
      project: task.project,
      list: task.list,
      task: task.id,
      description: given.text,
      createdBy: given.by,
      createdAt: this.stamp(given.daysAgo),
    });
  }

  /** A file in a folder, with its bytes. */
  file(given: {
    readonly project: number;
    readonly folder: number;
    readonly name: string;
    readonly type: string;
    readonly text: string;
    readonly by: number;
  }): FileRecord {
    const bytes = Buffer.from(given.text);
    const { project, name, by } = given;
    const common = { project, name, byteSize: bytes.length, createdBy: by };
    const createdAt = this.stamp(this.random.between(2, 50));
    const { type } = given;
    const upload = this.store.next("uploads");
    this.store.uploads.put({ ...common, id: upload, type, createdAt });
    this.store.keepContent(upload, bytes);
    const id = this.store.next("files");
    const { folder } = given;
    return this.store.files.put({ ...common, id, folder, upload, createdAt, updatedAt: createdAt });
  }

  /** What somebody changed on a task, with the service's markup. */
  history(
    task: TaskRecord,
    given: { readonly by: number; readonly content: string; readonly daysAgo: number },
  ): void {
    this.store.history.put({
      id: this.store.next("history"),
      project: task.project,
      task: task.id,
      person: given.by,
      at: this.stamp(given.daysAgo),
      content: given.content,
    });
  }

  label(name: string, color: string): number {
    return this.store.labels.put({ id: this.store.next("labels"), name, color }).id;
  }

  /** Fields of an item completed some days ago. */
  completed(by: number, daysAgo: number): Partial<WorkRecord> {
    const at = this.stamp(daysAgo);
    return { completedAt: at, completedBy: by, percentProgress: 100, updatedAt: at };
  }

  /** The bare item; a completed one was created before. */
  #work(given: WorkGiven): ReturnType<typeof blankWork> {
    const drawn = given.createdAt ?? this.stamp(this.random.between(3, 100));
    const completedAt = given.completedAt ?? null;
    const createdAt =
      completedAt !== null && completedAt < drawn
        ? stampText(Temporal.Instant.from(completedAt).subtract({ hours: 72 }))
        : drawn;
    return blankWork({ title: given.title, createdBy: given.createdBy, createdAt });
  }
}
