import { type ListAgeRow, listAgeRow, sourceNameRow } from "../rows/source-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/** How old what was read of each project is, for people: which of its lists have dates that are near counts most. */
export interface ListAges {
  /** The lists that hold something open which begins or is due within these days, both included. */
  datedWithin(days: {
    readonly from: Temporal.PlainDate;
    readonly to: Temporal.PlainDate;
  }): ReadonlySet<string>;
  /**
   * `near`: names of lists, of which the oldest is told apart. `byPages`: tasks are kept fresh by pages of all of them, so
   * that only the lists of events tell how old something is.
   */
  ofProjects(about: {
    readonly near: ReadonlySet<string>;
    readonly byPages: boolean;
  }): readonly ListAgeRow[];
}

export function createListAges({ db }: StoreDeps): ListAges {
  const dated = db.prepare(
    `SELECT DISTINCT m.source AS name FROM (
       SELECT item FROM view_items WHERE due_on >= @from AND due_on < @after
       UNION ALL SELECT item FROM view_items WHERE kind = 'event' AND starts_at >= @from AND starts_at < @after
       UNION ALL SELECT item FROM view_items WHERE kind = 'event' AND starts_at IS NULL AND starts_on >= @from AND starts_on < @after
     ) JOIN view_items v USING (item) JOIN mirror_items m USING (item) WHERE v.completed = 0`,
  );
  const ages = db.prepare(
    `SELECT project_id, count(*) AS lists, sum(succeeded_at IS NULL) AS unread, sum(failure IS NOT NULL) AS failing,
       min(CASE WHEN kind = 'events' OR NOT @pages THEN succeeded_at END) AS oldest,
       min(CASE WHEN (kind = 'events' OR NOT @pages) AND name IN (SELECT value FROM json_each(@near))
         THEN succeeded_at END) AS near_oldest
     FROM sources WHERE kind IN ('events', 'tasks', 'subtasks') AND project_id IS NOT NULL GROUP BY project_id`,
  );
  return {
    datedWithin({ from, to }) {
      const rows = dated.all({ from: from.toString(), after: to.add({ days: 1 }).toString() });
      return new Set(rows.map(sourceNameRow));
    },
    ofProjects: ({ near, byPages }) =>
      ages.all({ near: JSON.stringify([...near]), pages: byPages ? 1 : 0 }).map(listAgeRow),
  };
}
