import { type ListAgeRow, listAgeRow, sourceNameRow } from "../rows/source-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/** How old the data of each project is, for people. Lists with upcoming dates count most. */
export type ListAges = ReturnType<typeof createListAges>;

export function createListAges({ db }: StoreDeps) {
  const dated = db.rows(
    `SELECT DISTINCT m.source AS name FROM (
       SELECT item FROM view_items WHERE due_on >= @from AND due_on < @after
       UNION ALL SELECT item FROM view_items WHERE kind = 'event' AND starts_at >= @from AND starts_at < @after
       UNION ALL SELECT item FROM view_items WHERE kind = 'event' AND starts_at IS NULL AND starts_on >= @from AND starts_on < @after
     ) JOIN view_items v USING (item) JOIN mirror_items m USING (item) WHERE v.completed = 0`,
    sourceNameRow,
  );
  const ages = db.rows(
    `SELECT project_id, count(*) AS lists, sum(succeeded_at IS NULL) AS unread, sum(failure IS NOT NULL) AS failing,
       min(CASE WHEN kind = 'events' OR NOT @pages THEN succeeded_at END) AS oldest,
       min(CASE WHEN (kind = 'events' OR NOT @pages) AND name IN (SELECT value FROM json_each(@near))
         THEN succeeded_at END) AS near_oldest
     FROM sources WHERE kind IN ('events', 'tasks', 'subtasks') AND project_id IS NOT NULL GROUP BY project_id`,
    listAgeRow,
  );
  return {
    /** Lists with something open that begins or is due within these days, both inclusive. */
    datedWithin({
      from,
      to,
    }: {
      readonly from: Temporal.PlainDate;
      readonly to: Temporal.PlainDate;
    }): ReadonlySet<string> {
      return new Set(dated.all({ from: from.toString(), after: to.add({ days: 1 }).toString() }));
    },
    /**
     * `near`: lists whose oldest age is reported separately. `byPages`: tasks are kept fresh by pages of all tasks, so that only
     * the age of event lists means anything.
     */
    ofProjects: ({
      near,
      byPages,
    }: {
      readonly near: ReadonlySet<string>;
      readonly byPages: boolean;
    }): readonly ListAgeRow[] =>
      ages.all({ near: JSON.stringify([...near]), pages: byPages ? 1 : 0 }),
  };
}
