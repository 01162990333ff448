/**
 * The tables of the report views as one person (`@viewerId`) sees them, by the rules of `domain/visibility.ts`. The reports' queries
 * can then count and show nothing else. Somebody who was given access later does not see earlier versions.
 */
export const visibleTables: readonly string[] = [
  `seen_projects AS MATERIALIZED (
     SELECT id FROM main.projects WHERE archived = 0 AND gone_at IS NULL
       AND (members = '[]' OR EXISTS (SELECT 1 FROM json_each(members) WHERE value = @viewerId)))`,
  "closed_lists AS MATERIALIZED (SELECT id, archived FROM main.todolists WHERE archived = 1 OR private = 1)",
  `hidden_versions AS MATERIALIZED (
     SELECT item, max(revision) AS revision FROM main.versions
     WHERE content IS NOT NULL AND NOT (${isSeen("content")}) OR had IS NOT NULL AND NOT (${isSeen("had")})
     GROUP BY item)`,
  `hidden_items AS MATERIALIZED (SELECT item FROM main.view_items WHERE NOT (${isSeen("content")}))`,
  `seen_tasks AS MATERIALIZED (
     SELECT i.service_id AS id FROM main.identities i JOIN main.view_items v ON v.item = i.item
     WHERE i.kind <> 'event' AND i.service_id IS NOT NULL AND v.item NOT IN (SELECT item FROM hidden_items))`,
];

/** Those that replace tables of the present. */
export const currentVisibleTables: readonly string[] = [
  `versions AS (SELECT v.* FROM main.versions v WHERE ${isSeenVersion("v")})`,
  `view_items AS NOT MATERIALIZED (
     SELECT * FROM main.view_items WHERE item NOT IN (SELECT item FROM hidden_items))`,
  "comments AS (SELECT * FROM main.comments WHERE task_id IN (SELECT id FROM seen_tasks))",
  "history_entries AS (SELECT * FROM main.history_entries WHERE task_id IN (SELECT id FROM seen_tasks))",
  "files AS (SELECT * FROM main.files WHERE project_id IN (SELECT id FROM seen_projects))",
  `sources AS (
     SELECT * FROM main.sources s WHERE CASE
       WHEN s.task_id IS NOT NULL THEN s.task_id IN (SELECT id FROM seen_tasks)
       WHEN s.list_id IS NOT NULL THEN s.list_id NOT IN (SELECT id FROM closed_lists)
         AND coalesce(s.project_id, (SELECT l.project_id FROM main.todolists l WHERE l.id = s.list_id))
           IN (SELECT id FROM seen_projects)
       WHEN s.folder_id IS NOT NULL THEN
         (SELECT f.project_id FROM main.folders f WHERE f.id = s.folder_id) IN (SELECT id FROM seen_projects)
       ELSE s.project_id IS NULL OR s.project_id IN (SELECT id FROM seen_projects) END)`,
];

/** True if the person may see an item with this content. */
function isSeen(content: string): string {
  const list = `coalesce(${content} ->> 'listId', 0)`;
  const isEvent = `${content} ->> 'kind' = 'event'`;
  return `${content} ->> 'projectId' IN (SELECT id FROM seen_projects)
    AND (${isEvent} OR ${list} NOT IN (SELECT id FROM closed_lists WHERE archived = 1))
    AND (CASE WHEN ${isEvent} THEN coalesce(${content} ->> 'private', 0) = 0
           ELSE ${list} NOT IN (SELECT id FROM closed_lists) END
      OR coalesce(${content} ->> 'creatorId', 0) = @viewerId
      OR EXISTS (SELECT 1 FROM json_each(${content}, '$.assigned') WHERE value = @viewerId))`;
}

/** A version after the last hidden one. The removal of a hidden item is not shown either. */
export function isSeenVersion(version: string): string {
  return `NOT EXISTS (SELECT 1 FROM hidden_versions h WHERE h.item = ${version}.item
      AND (${version}.revision <= h.revision OR ${version}.content IS NULL AND NOT EXISTS (
        SELECT 1 FROM main.versions n WHERE n.item = h.item AND n.revision > h.revision
          AND n.revision < ${version}.revision AND n.content IS NOT NULL)))
    AND ${version}.item NOT IN (SELECT item FROM hidden_items)`;
}
