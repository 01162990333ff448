import {
  type LabelId,
  type ListId,
  labelId,
  type PersonId,
  type ProjectId,
} from "../../domain/ids.ts";
import type { Item, Label, Person, Project, Todolist } from "../../domain/item.ts";
import { instantText, itemKeyColumn, numberColumn, textColumn } from "../rows/item-rows.ts";
import {
  labelRow,
  type ProjectKeyAccess,
  personRow,
  projectKeyAccessRow,
  projectRow,
  todolistRow,
} from "../rows/side-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import type { Changes } from "../view/publish-changes.ts";

import { createSeenRows } from "./seen-rows.ts";

/** Projects, people, todolists and labels as last seen. Missing ones are marked gone, never deleted. */
export type Directory = ReturnType<typeof createDirectory>;

/** Something that was renamed. */
type Renamed =
  | { readonly kind: "label"; readonly id: LabelId }
  | { readonly kind: "person"; readonly id: PersonId };

export function createDirectory({ db, clock, changes }: StoreDeps & { changes: Changes }) {
  const projects = createSeenRows(
    { db, clock },
    { table: "projects", columns: ["title", "description", "color", "archived", "members"] },
  );
  const people = createSeenRows(
    { db, clock },
    { table: "people", columns: ["name", "email", "time_zone", "suspended"] },
  );
  const todolists = createSeenRows(
    { db, clock },
    { table: "todolists", columns: ["project_id", "title", "archived", "private"] },
  );
  const labels = createSeenRows({ db, clock }, { table: "labels", columns: ["name", "color"] });
  const read = {
    projects: db.rows("SELECT * FROM projects WHERE gone_at IS NULL ORDER BY id", projectRow),
    people: db.rows("SELECT * FROM people WHERE gone_at IS NULL ORDER BY id", personRow),
    todolists: db.rows("SELECT * FROM todolists WHERE gone_at IS NULL ORDER BY id", todolistRow),
    listsOf: db.rows(
      "SELECT * FROM todolists WHERE project_id = ? AND gone_at IS NULL ORDER BY id",
      todolistRow,
    ),
    goneLists: db.rows(
      `SELECT * FROM todolists t WHERE project_id = ? AND gone_at IS NOT NULL
         AND EXISTS (SELECT 1 FROM mirror_items m WHERE m.source = 'tasks:' || t.id) ORDER BY id`,
      todolistRow,
    ),
    labels: db.rows("SELECT * FROM labels WHERE gone_at IS NULL ORDER BY id", labelRow),
    project: db.rows("SELECT * FROM projects WHERE id = ?", projectRow),
    todolist: db.rows("SELECT * FROM todolists WHERE id = ?", todolistRow),
    everyLabel: db.rows("SELECT * FROM labels", labelRow),
    formerNames: db.prepare("SELECT name FROM former_names WHERE kind = @kind AND id = @id"),
    everyPerson: db.rows("SELECT * FROM people", personRow),
    labelled: db.prepare(
      `WITH renamed AS (SELECT value FROM json_each(?))
       SELECT v.item FROM view_items v WHERE EXISTS (
         SELECT 1 FROM json_each(v.content, '$.labels') l WHERE l.value IN renamed)
       UNION
       SELECT e.item FROM edits e WHERE e.state = 'held' AND EXISTS (
         SELECT 1 FROM json_each(e.base, '$.labels') l WHERE l.value IN renamed
         UNION ALL SELECT 1 FROM json_each(e.patch, '$.labels') l WHERE l.value IN renamed)
       ORDER BY item`,
    ),
    person: db.rows("SELECT * FROM people WHERE id = ?", personRow),
    activePerson: db.rows(
      "SELECT * FROM people WHERE id = ? AND gone_at IS NULL AND suspended = 0",
      personRow,
    ),
    usedLabels: db.prepare(
      "SELECT DISTINCT l.value AS label FROM view_items v, json_each(v.content, '$.labels') l",
    ),
    listsOfOthers: db.rows("SELECT * FROM todolists WHERE project_id <> ?", todolistRow),
  };

  const write = db.transaction(
    (
      into: typeof projects,
      rows: readonly { readonly id: number }[],
      keep: readonly { readonly id: number }[] | null,
    ) => {
      const changed = into.put(rows);
      const dropped = keep === null ? 0 : into.keepOnly(keep);
      if (changed + dropped > 0) changes.directoryChanged();
    },
  );

  const keepName = db.prepare(
    "INSERT OR IGNORE INTO former_names (kind, id, name) VALUES (@kind, @id, @name)",
  );

  const labelNames = (): ReadonlyMap<LabelId, string> =>
    new Map(read.everyLabel.all().map(({ id, name }) => [id, name]));

  return {
    putProjects(rows: readonly Project[], complete: boolean): void {
      const sorted = rows.map((project) => ({
        ...project,
        members: project.members.toSorted((a, b) => a - b),
      }));
      write(projects, sorted, complete ? rows : null);
    },
    putPeople: db.transaction((rows: readonly Person[], complete: boolean): void => {
      const before = new Map(read.everyPerson.all().map((row) => [row.id, row]));
      write(people, rows, complete ? rows : null);
      for (const { id, email } of rows) {
        const name = before.get(id)?.email ?? null;
        if (name !== null && name !== email) keepName.run({ kind: "person", id, name });
      }
    }),
    /** `project` null = of every project. */
    putTodolists(project: ProjectId | null, rows: readonly Todolist[], complete: boolean): void {
      const others = project === null ? [] : read.listsOfOthers.all(project);
      write(todolists, rows, complete ? [...rows, ...others] : null);
    },
    /**
     * Raises SEQUENCE of every item with a label whose name changed or became known, if it is visible or waits for approval and
     * so is shown to its editor.
     */
    putLabels: db.transaction((rows: readonly Label[], complete: boolean): void => {
      const before = labelNames();
      write(labels, rows, complete ? rows : null);
      const renamed = rows.filter(({ id, name }) => before.get(id) !== name).map(({ id }) => id);
      if (renamed.length === 0) return;
      for (const id of renamed) {
        const name = before.get(id);
        if (name !== undefined) keepName.run({ kind: "label", id, name });
      }
      for (const row of read.labelled.all(JSON.stringify(renamed)))
        changes.touch(itemKeyColumn(row));
    }),
    projects: (): readonly Project[] => read.projects.all(),
    people: (): readonly Person[] => read.people.all(),
    todolists: (): readonly Todolist[] => read.todolists.all(),
    /** Lists that are gone and whose tasks are still in the mirror. */
    goneListsWithTasks: (project: ProjectId): readonly Todolist[] => read.goneLists.all(project),
    todolistsOf: (project: ProjectId): readonly Todolist[] => read.listsOf.all(project),
    labels: (): readonly Label[] => read.labels.all(),
    project: (id: ProjectId): Project | null => read.project.find(id),
    todolist: (id: ListId): Todolist | null => read.todolist.find(id),
    /** The todolist of a task or subtask; null for an event, or if it is unknown. */
    listOf: (item: Item): Todolist | null =>
      item.kind === "event" ? null : read.todolist.find(item.listId),
    person: (id: PersonId): Person | null => read.person.find(id),
    /** Null if the person is suspended or no longer in the account. */
    activePerson: (id: PersonId): Person | null => read.activePerson.find(id),
    /** Includes labels that are gone, so that items with them can be shown. */
    labelNames,
    /** A label's or a person's former names or addresses, in no order. */
    formerNames: (of: Renamed): readonly string[] =>
      read.formerNames.all(of).map((row) => textColumn(row, "name") ?? ""),
    /** Labels of visible items. */
    labelsInUse: (): ReadonlySet<LabelId> =>
      new Set(read.usedLabels.all().map((row) => labelId(numberColumn(row, "label")))),
    personNames: (): ReadonlyMap<PersonId, string> =>
      new Map(read.everyPerson.all().map(({ id, name }) => [id, name])),
  };
}

interface PersonInProject {
  readonly person: PersonId;
  readonly project: ProjectId;
}

/** Projects that people's own keys have access to, as far as the service was asked. */
export function createKeyAccessTable({
  db,
  clock,
  changes,
}: StoreDeps & { readonly changes: Changes }) {
  const one = db.rows(
    "SELECT * FROM key_sights WHERE person = ? AND project_id = ?",
    projectKeyAccessRow,
  );
  const ofPerson = db.rows("SELECT * FROM key_sights WHERE person = ?", projectKeyAccessRow);
  const upsert = db.prepare(
    `INSERT INTO key_sights (person, project_id, opened, refusals, at) VALUES (@person, @project, @open, 1 - @open, @now)
     ON CONFLICT (person, project_id) DO UPDATE SET opened = max(opened, @open),
       refusals = iif(@open = 1, 0, refusals + 1), at = @now`,
  );
  const get = ({ person, project }: PersonInProject) => {
    return one.find(person, project);
  };
  return {
    get,
    /** Records an answer of the service, and updates the directory if the person gained or lost access. */
    put: db.transaction(
      ({ isOpen, ...at }: PersonInProject & { readonly isOpen: boolean }): void => {
        const before = get(at);
        upsert.run({ ...at, open: isOpen ? 1 : 0, now: instantText(clock()) });
        const after = get(at);
        if ((before !== null && isClosed(before)) !== (after !== null && isClosed(after)))
          changes.directoryChanged();
      },
    ),
    /** Projects that the person's key has no access to. */
    closedFor: (person: PersonId): ReadonlySet<ProjectId> =>
      new Set(
        ofPerson
          .all(person)
          .filter(isClosed)
          .map(({ project }) => project),
      ),
  };
}

/** A project that was accessible before is closed by the second refusal, as the first may be a temporary error. */
const isClosed = ({ opened, refusals }: ProjectKeyAccess): boolean => refusals > (opened ? 1 : 0);
