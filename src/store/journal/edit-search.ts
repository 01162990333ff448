import type { Channel, Edit, EditState } from "../../domain/edit.ts";
import type { EditId, PersonId, ProjectId } from "../../domain/ids.ts";
import { editRowIn } from "../rows/edit-rows.ts";
import { instantText, textColumn } from "../rows/item-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/** A search for edits. Absent members match everything. */
export interface EditFilter {
  readonly states?: readonly EditState[] | undefined;
  /** Null = edits of the account. */
  readonly actor?: PersonId | null | undefined;
  readonly project?: ProjectId | undefined;
  readonly channel?: Channel | undefined;
  /** UID of an item, or a part of its old or new title. */
  readonly item?: string | undefined;
  /** Accepted at this moment or later. */
  readonly since?: Temporal.Instant | undefined;
  /** Older than that edit. */
  readonly before?: EditId | undefined;
}

/** Searches edits for people. */
export function createEditSearch({ db, zone }: StoreDeps) {
  const programs = db.prepare(
    `SELECT program AS agent, max(created_at) AS at FROM edits
     WHERE actor = ? AND channel = 'caldav' AND program IS NOT NULL GROUP BY program ORDER BY at DESC LIMIT 20`,
  );
  return {
    /** User-Agents of the calendar programs that a person has edited with, most recent first. */
    programsOf: (
      person: PersonId,
    ): readonly { readonly agent: string; readonly at: Temporal.Instant }[] =>
      programs.all(person).map((row) => ({
        agent: textColumn(row, "agent") ?? "",
        at: Temporal.Instant.from(textColumn(row, "at") ?? ""),
      })),
    /** Newest first. */
    find(filter: EditFilter, limit: number): readonly Edit[] {
      const { conditions, values } = conditionsOf(filter);
      const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
      return db
        .prepare(`SELECT e.* FROM journal e ${where} ORDER BY e.id DESC LIMIT @limit`)
        .all({ ...values, limit })
        .map(editRowIn(zone));
    },
  };
}

function conditionsOf({ states, actor, project, channel, item, since, before }: EditFilter) {
  const clauses: readonly (readonly [unknown, string, Readonly<Record<string, unknown>>])[] = [
    [
      states,
      "e.state IN (SELECT value FROM json_each(@states))",
      { states: JSON.stringify(states) },
    ],
    [actor, "e.actor IS @actor", { actor }],
    [project, "e.project_id = @project", { project }],
    [channel, "e.channel = @channel", { channel }],
    [
      item,
      // A covering index, so that no edit is read.
      `e.id IN (SELECT id FROM edits INDEXED BY edits_by_title
         WHERE item = (SELECT item FROM identities WHERE uid = @uid)
           OR (base ->> '$.content.title') LIKE @title ESCAPE '\\'
           OR (patch ->> 'title') LIKE @title ESCAPE '\\')`,
      { uid: item, title: `%${(item ?? "").replace(/[\\%_]/g, "\\$&")}%` },
    ],
    [since, "e.created_at >= @since", { since: since && instantText(since) }],
    [before, "e.id < @before", { before }],
  ];
  const asked = clauses.filter(([value]) => value !== undefined);
  return {
    conditions: asked.map(([, condition]) => condition),
    values: Object.fromEntries(asked.flatMap(([, , bound]) => Object.entries(bound))),
  };
}
