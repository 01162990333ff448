/** Version of the tables; a file with another one is refused. */
export const schemaVersion = "1";

/**
 * The first id of each sequence. Events and tasks start at the same number and comments lie beyond 32 bits, as
 * happens on real accounts.
 */
export const firstIds = {
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

/** The tables every workspace has once. */
export const commonTables = `
  -- single facts: the schema's version, the seed
  create table if not exists facts (name text primary key, value text not null) strict;
  -- the last id given out per kind; ids are never given twice
  create table if not exists sequences (name text primary key, value integer not null) strict;
  -- the bytes of uploads
  create table if not exists contents (upload integer primary key, bytes blob not null) strict;
`;

/** The kinds of record; each has a table of its own. */
export const tableNames = [
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

/** One record a row; what is searched for (owner, project, done) is copied out of the record. */
export function tableOf(name: (typeof tableNames)[number]): string {
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
