import { Access } from "./access-checks.ts";
import type { PersonRecord } from "./records.ts";
import type { Setting } from "./setting.ts";
import { HistoryWork } from "./task-history.ts";
import { AllTasksWork } from "./workspace-all-tasks.ts";
import { CommentWork } from "./workspace-comments.ts";
import { DirectoryWork } from "./workspace-directory.ts";
import { EventWork } from "./workspace-events.ts";
import { FileWork } from "./workspace-files.ts";
import { LabelWork } from "./workspace-labels.ts";
import type { WorkspaceStore } from "./workspace-store.ts";
import { SubtaskWork } from "./workspace-subtasks.ts";
import { TaskWork } from "./workspace-tasks.ts";

/**
 * The whole workspace behind the service: what its routes call, without HTTP and quota. Every call names the actor (`by`, a
 * person's id) and the place, then the body or query as the service would receive it.
 */
export class Workspace {
  readonly access: Access;
  readonly events: EventWork;
  readonly tasks: TaskWork;
  readonly subtasks: SubtaskWork;
  readonly comments: CommentWork;
  readonly history: HistoryWork;
  readonly labels: LabelWork;
  readonly files: FileWork;
  readonly directory: DirectoryWork;
  readonly allTasks: AllTasksWork;
  readonly timeZone: string;
  readonly clock: () => Temporal.Instant;
  readonly #store: WorkspaceStore;

  constructor(given: Omit<Setting, "access">) {
    const setting: Setting = { ...given, access: new Access(given.store) };
    this.access = setting.access;
    this.events = new EventWork(setting);
    this.tasks = new TaskWork(setting);
    this.subtasks = new SubtaskWork(setting);
    this.comments = new CommentWork(setting);
    this.history = new HistoryWork(setting);
    this.labels = new LabelWork(setting);
    this.files = new FileWork(setting);
    this.directory = new DirectoryWork(setting);
    this.allTasks = new AllTasksWork(setting);
    this.timeZone = given.timeZone;
    this.clock = given.clock;
    this.#store = given.store;
  }

  /** All people of the account, the owner first. */
  people(): readonly PersonRecord[] {
    return this.#store.people.all();
  }

  /** Projects with the ids of their task lists, by id. */
  places(): readonly WorkspacePlace[] {
    return this.#store.projects.all().map((it) => ({
      project: it.id,
      title: it.title,
      lists: this.#store.todolists.of(it.id).map((list) => list.id),
      folders: this.#store.folders.of(it.id).map((folder) => folder.id),
      customFields: it.customFields.map((field) => ({ id: field.id, type: field.type })),
    }));
  }
}

export interface WorkspacePlace {
  readonly project: number;
  readonly title: string;
  readonly lists: readonly number[];
  readonly folders: readonly number[];
  readonly customFields: readonly { readonly id: number; readonly type: string }[];
}
