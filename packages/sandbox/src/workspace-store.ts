import Database from "better-sqlite3";
import type {
  CommentRecord,
  EventRecord,
  FileRecord,
  FolderRecord,
  HistoryRecord,
  LabelRecord,
  PersonRecord,
  ProjectRecord,
  SubtaskRecord,
  TaskRecord,
  TodolistRecord,
  UploadRecord,
} from "./records.ts";

/**
 * The first id of each sequence. Events and tasks start at the same number and comments exceed 32 bits, as on real accounts.
 */
const firstIds = {
  people: 11,
  projects: 2001,
  todolists: 3001,
  folders: 4001,
  events: 700_001,
  work: 700_001,
  tickets: 101,
  comments: 6_000_000_001,
  history: 81_001,
  labels: 501,
  custom_fields: 601,
  uploads: 9001,
  files: 8001,
} as const;

/** The id sequences of the workspace; tasks and subtasks share one, `work`. */
type Sequence = keyof typeof firstIds;

/**
 * The workspace's rows in one SQLite file, or in memory for `:memory:`. Throws `WorkspaceStoreError` for a file that is not a
 * sandbox workspace of this version.
 */
export class WorkspaceStore {
  readonly people: Table<PersonRecord>;
  readonly projects: Table<ProjectRecord>;
  readonly todolists: Table<TodolistRecord>;
  readonly folders: Table<FolderRecord>;
  readonly events: Table<EventRecord>;
  readonly tasks: Table<TaskRecord>;
  readonly subtasks: Table<SubtaskRecord>;
  readonly comments: Table<CommentRecord>;
  readonly history: Table<HistoryRecord>;
  readonly labels: Table<LabelRecord>;
  readonly uploads: Table<UploadRecord>;
  readonly files: Table<FileRecord>;
  readonly #database: Database.Database;
  readonly #nextId: Database.Statement<[string, number], { value: number }>;
  readonly #changes: Database.Statement<[], { n: number }>;
  #work: { readonly key: string; readonly rows: WorkPage["rows"] } = { key: "", rows: [] };

  constructor(file: string) {
    this.#database = new Database(file);
    this.#database.pragma("journal_mode = WAL");
    this.#database.pragma("synchronous = NORMAL");
    this.#database.pragma("busy_timeout = 5000");
    createTables(this.#database, file);
    this.#nextId = this.#database.prepare(
      `insert into sequences (name, value) values (?, ?)
       on conflict (name) do update set value = value + 1 returning value`,
    );

    this.#changes = this.#database.prepare("select total_changes() as n");
    const table = <T extends Stored>(name: string, place: (record: T) => Place) =>
      new Table<T>(this.#database, { name, place });
    this.people = table("people", () => ({ owner: 0, project: 0, done: false }));
    this.projects = table("projects", (it) => ({ owner: 0, project: it.id, done: it.archived }));
    this.todolists = table<TodolistRecord>("todolists", inProject);
    this.folders = table<FolderRecord>("folders", inProject);
    this.events = table<EventRecord>("events", inProject);
    this.tasks = table("tasks", (it) => inside(it.list, it));
    this.subtasks = table("subtasks", (it) => inside(it.task, it));
    this.comments = table("comments", (it) => inside(it.task, it));
    this.history = table("history", (it) => inside(it.task, it));
    this.labels = table("labels", () => ({ owner: 0, project: 0, done: false }));
    this.uploads = table<UploadRecord>("uploads", inProject);
    this.files = table("files", (it) => inside(it.folder, it));
  }

  /** The next id of a sequence. */
  next(sequence: Sequence): number {
    const row = this.#nextId.get(sequence, firstIds[sequence]);
    if (row === undefined) throw new WorkspaceStoreError(`no next id for ${sequence}`);
    return row.value;
  }

  /** Runs `work` in a transaction; it must be synchronous. */
  transaction<T>(work: () => T): T {
    return this.#database.transaction(work).immediate();
  }

  /** True if a seed has already filled this file. */
  isSeeded(): boolean {
    return this.#database.prepare("select 1 from facts where name = 'seeded'").get() !== undefined;
  }

  /** Records that the file is filled, so that a later start keeps it as it is. */
  markSeeded(seed: number): void {
    this.#database
      .prepare("insert into facts (name, value) values ('seeded', ?)")
      .run(String(seed));
  }

  /** The bytes of an upload. */
  content(upload: number): Buffer | undefined {
    return this.#database
      .prepare<[number], { bytes: Buffer }>("select bytes from contents where upload = ?")
      .get(upload)?.bytes;
  }

  /** Stores the bytes of an upload. */
  keepContent(upload: number, bytes: Uint8Array): void {
    this.#database
      .prepare("insert into contents (upload, bytes) values (?, ?)")
      .run(upload, Buffer.from(bytes));
  }

  /** One page of the ids of tasks (and subtasks if requested) of the whole account, by id. */
  workPage({ start, limit, ...wanted }: WorkPageQuery): WorkPage {
    const key = JSON.stringify([wanted, this.#written()]);
    if (this.#work.key !== key) this.#work = { key, rows: this.#workRows(wanted) };
    const { rows } = this.#work;
    return { total: rows.length, rows: rows.slice(start, start + limit) };
  }

  #workRows({ projects, completed, subtasks }: Omit<WorkPageQuery, "start" | "limit">) {
    return this.#database
      .prepare<[object], { id: number; sub: number }>(
        `select id, 0 as sub from tasks
           where project in (select value from json_each(@projects)) and done <= @done
         union all select id, 1 from subtasks
           where @subtasks = 1 and project in (select value from json_each(@projects))
             and done <= @done
         order by id`,
      )
      .all({
        projects: JSON.stringify(projects),
        done: completed ? 1 : 0,
        subtasks: subtasks ? 1 : 0,
      })
      .map(({ id, sub }) => ({ id, sub: sub === 1 }));
  }

  /** Changes with every write, here or by another program. */
  #written(): readonly unknown[] {
    return [this.#changes.get()?.n, this.#database.pragma("data_version", { simple: true })];
  }

  /** Closes the file; the store cannot be used afterwards. */
  close(): void {
    this.#database.close();
  }
}

interface WorkPageQuery {
  readonly projects: readonly number[];
  readonly completed: boolean;
  readonly subtasks: boolean;
  readonly start: number;
  readonly limit: number;
}

interface WorkPage {
  readonly total: number;
  readonly rows: readonly { readonly id: number; readonly sub: boolean }[];
}

/** One kind of record: a table keyed by id, found by its owner (list, task, folder or project). */
class Table<T extends Stored> {
  readonly #place: (record: T) => Place;
  readonly #get: Database.Statement<[number], Row>;
  readonly #all: Database.Statement<[], Row>;
  readonly #of: Database.Statement<[number], Row>;
  readonly #count: Database.Statement<[number], { n: number; done: number }>;
  readonly #holding: Database.Statement<[string, number], Row>;
  readonly #put: Database.Statement<[number, number, number, number, string]>;
  readonly #remove: Database.Statement<[number]>;

  constructor(database: Database.Database, about: TableAbout<T>) {
    const { name } = about;
    this.#place = about.place;
    this.#get = database.prepare(`select record from ${name} where id = ?`);
    this.#all = database.prepare(`select record from ${name} order by id`);
    this.#of = database.prepare(`select record from ${name} where owner = ? order by id`);
    this.#count = database.prepare(
      `select count(*) as n, ifnull(sum(done), 0) as done from ${name} where owner = ?`,
    );
    this.#holding = database.prepare(
      `select record from ${name}
       where exists (select 1 from json_each(record, ?) where value = ?) order by id`,
    );
    this.#put = database.prepare(
      `insert into ${name} (id, owner, project, done, record) values (?, ?, ?, ?, ?)
       on conflict (id) do update set owner = excluded.owner, project = excluded.project,
         done = excluded.done, record = excluded.record`,
    );
    this.#remove = database.prepare(`delete from ${name} where id = ?`);
  }

  get(id: number): T | undefined {
    const row = this.#get.get(id);
    return row === undefined ? undefined : decode(row);
  }

  all(): readonly T[] {
    return this.#all.all().map((row): T => decode(row));
  }

  /** Every record of one owner, by id. */
  of(owner: number): readonly T[] {
    return this.#of.all(owner).map((row): T => decode(row));
  }

  /** How many records one owner has, and how many of those are completed. */
  count(owner: number): { readonly n: number; readonly done: number } {
    return this.#count.get(owner) ?? { n: 0, done: 0 };
  }

  /** Records whose array `field` contains `value`. */
  holding(field: keyof T & string, value: number): readonly T[] {
    return this.#holding.all(`$.${field}`, value).map((row): T => decode(row));
  }

  /** Adds or replaces one record and returns it. */
  put(record: T): T {
    const { owner, project, done } = this.#place(record);
    this.#put.run(record.id, owner, project, done ? 1 : 0, JSON.stringify(record));
    return record;
  }

  remove(id: number): void {
    this.#remove.run(id);
  }
}

/** The file cannot be used as a sandbox workspace. */
export class WorkspaceStoreError extends Error {
  override readonly name = "WorkspaceStoreError";
}

interface Stored {
  readonly id: number;
}

interface Place {
  readonly owner: number;
  readonly project: number;
  readonly done: boolean;
}

interface TableAbout<T> {
  readonly name: string;
  readonly place: (record: T) => Place;
}

interface Row {
  readonly record: string;
}

// Only `put` writes this column, from a typed record.
function decode<T>(row: Row): T {
  return JSON.parse(row.record);
}

function inProject(record: { readonly project: number }): Place {
  return inside(record.project, record);
}

function inside(
  owner: number,
  record: { readonly project: number; readonly completedAt?: string | null },
): Place {
  const done = record.completedAt !== undefined && record.completedAt !== null;
  return { owner, project: record.project, done };
}

function createTables(database: Database.Database, file: string): void {
  database.exec(commonTables);
  const version = database
    .prepare<[], { value: string }>("select value from facts where name = 'schema'")
    .get()?.value;
  if (version !== undefined && version !== schemaVersion)
    throw new WorkspaceStoreError(`${file} holds a sandbox workspace of version ${version}`);
  if (version === undefined)
    database.prepare("insert into facts (name, value) values ('schema', ?)").run(schemaVersion);
  for (const name of tableNames) database.exec(tableOf(name));
}

/** Version of the schema; a file with another one is rejected. */
const schemaVersion = "1";

/** Tables that exist once per workspace. */
const commonTables = `
  -- single facts: the schema's version, the seed
  create table if not exists facts (name text primary key, value text not null) strict;
  -- the last id given out per kind; ids are never given twice
  create table if not exists sequences (name text primary key, value integer not null) strict;
  -- the bytes of uploads
  create table if not exists contents (upload integer primary key, bytes blob not null) strict;
`;

/** The kinds of record; each has its own table. */
const tableNames = [
  "people",
  "projects",
  "todolists",
  "folders",
  "events",
  "tasks",
  "subtasks",
  "comments",
  "history",
  "labels",
  "uploads",
  "files",
] as const;

/** One record per row; searchable fields (owner, project, done) are copied out of the record. */
function tableOf(name: (typeof tableNames)[number]): string {
  return `
    -- ${name}
    create table if not exists ${name} (
      id integer primary key,
      owner integer not null,
      project integer not null,
      done integer not null check (done in (0, 1)),
      record text not null check (json_valid(record))
    ) strict;
    create index if not exists ${name}_by_owner on ${name} (owner, done);
    create index if not exists ${name}_by_project on ${name} (project, done);
  `;
}
