-- What the workspace had while an edit lay over an item, null where it had nothing. edited: 0 = the version is what the workspace
-- had; 1 = with an edit that was not carried out, or not yet; 2 = with an edit that was.
ALTER TABLE versions ADD COLUMN had TEXT CHECK (had IS NULL OR json_valid(had));
ALTER TABLE versions ADD COLUMN edited INTEGER NOT NULL DEFAULT 0 CHECK (edited IN (0, 1, 2));
-- The item in the workspace once the version was settled.
ALTER TABLE versions ADD COLUMN workspace TEXT GENERATED ALWAYS AS (CASE edited WHEN 1 THEN had ELSE content END) VIRTUAL;

DROP VIEW report_slippage;
DROP VIEW report_moves;
DROP VIEW report_changes;

-- Every move of an item's day in the workspace that was seen: the due date of a task, the first day of an event or milestone (in
-- UTC). days: positive = later.
CREATE VIEW report_moves AS
SELECT item, revision, at, from_on, to_on, CAST(julianday(to_on) - julianday(from_on) AS INTEGER) AS days
FROM (
  SELECT item, revision, at, day_on AS to_on, lag(day_on) OVER (PARTITION BY item ORDER BY revision) AS from_on
  FROM (
    SELECT item, revision, at,
      coalesce(workspace ->> 'dueOn', workspace ->> '$.when.startOn', date(workspace ->> '$.when.startAt')) AS day_on
    FROM versions
    WHERE item IN (SELECT item FROM versions GROUP BY item HAVING count(*) > 1)
  )
  WHERE day_on IS NOT NULL
)
WHERE from_on <> to_on;

-- Items whose day has moved: how often and how far. days_moved = from the first day known to the latest.
CREATE VIEW report_slippage AS
SELECT i.item, i.uid, i.id, i.kind, i.project_id, i.project, i.list_id, i.list, i.title, i.completed, count(*) AS moves,
  sum(m.days > 0) AS moves_later, sum(max(m.days, 0)) AS days_later, sum(max(-m.days, 0)) AS days_earlier,
  sum(m.days) AS days_moved, min(m.at) AS first_moved_at, max(m.at) AS last_moved_at, i.assigned, i.people
FROM report_moves m
JOIN report_items i ON i.item = m.item
GROUP BY m.item;

-- Every change in the workspace, from the version history, and what an edit that is under way will change (pending = 1). before and
-- after: the content as JSON where both are there; edit_id: the edit that was under way on the item at that time, which need not
-- be the cause of each change.
CREATE VIEW report_changes AS
SELECT v.revision, v.at, v.item, i.uid, i.service_id AS id,
  CASE WHEN i.kind = 'event' AND coalesce(v.later, v.earlier) ->> 'milestone' = 1 THEN 'milestone' ELSE i.kind END AS kind,
  coalesce(v.later, v.earlier) ->> 'projectId' AS project_id, p.title AS project,
  coalesce(v.later, v.earlier) ->> 'title' AS title,
  CASE WHEN v.later IS NULL THEN 'removed' WHEN v.earlier IS NULL THEN 'added' ELSE 'changed' END AS act,
  CASE WHEN v.later IS NOT NULL THEN v.earlier END AS before,
  CASE WHEN v.earlier IS NOT NULL THEN v.later END AS after,
  v.pending,
  e.id AS edit_id, e.channel, e.actor AS person_id, n.name AS person, e.action AS edit_action, e.patch AS edit_patch
FROM (
  -- What others have changed in the workspace, and then what an edit has.
  SELECT c.item, c.revision, c.at, 0 AS pending, CASE c.edited WHEN 0 THEN c.content ELSE c.had END AS later,
    (SELECT b.workspace FROM versions b WHERE b.item = c.item AND b.revision < c.revision
      ORDER BY b.revision DESC LIMIT 1) AS earlier
  FROM versions c
  UNION ALL
  SELECT c.item, c.revision, c.at, c.edited = 1, c.content, c.had
  FROM versions c
  WHERE c.edited = 2 OR c.edited = 1
    AND NOT EXISTS (SELECT 1 FROM versions o WHERE o.item = c.item AND o.revision > c.revision)
    AND EXISTS (SELECT 1 FROM edits e WHERE e.item = c.item AND e.state IN ('pending', 'claimed'))
) v
JOIN identities i ON i.item = v.item
LEFT JOIN projects p ON p.id = coalesce(v.later, v.earlier) ->> 'projectId'
LEFT JOIN edits e ON e.id = (
  SELECT max(c.id) FROM edits c
  WHERE c.item = v.item AND c.state NOT IN ('held', 'discarded') AND c.created_at <= v.at
    AND (c.state IN ('pending', 'claimed')
      OR strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(c.confirmed_at, c.updated_at), '+1 second') >= v.at))
LEFT JOIN people n ON n.id = e.actor
WHERE v.later IS NOT v.earlier;
