-- The views of the reports: a documented contract (docs/operating.md). The reports read them with `report_clock` and, for
-- a time in the past, the tables below laid over by what they said then, so a view may name only tables, report_clock and
-- other report views, begins with SELECT, and says the UTC day of an instant as date(x) or date(x, '-1 second') and no other
-- way: a report puts the day in the reader's zone there. Their SQL is that of SQLite 3.38, since one view that an older
-- program cannot parse keeps it from opening the file at all. A later migration that builds one of their tables anew drops
-- the views before it and makes them again after it.

-- Which moment "now" is: in UTC here, in the reader's zone in a report.
CREATE VIEW report_clock AS
SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AS now, date('now') AS today;

-- Every item of the view with names beside ids. first_on and last_on are its first and last day, both inclusive, in UTC
-- where the item has times; a task's last day is its due date. private: an event by itself, a task by its list. archived:
-- its project or list is, or the project is not visible any more: it is kept as it was last seen, and not read again.
CREATE VIEW report_items AS
SELECT v.item, i.uid, i.service_id AS id,
  CASE WHEN v.kind = 'event' AND v.content ->> 'milestone' = 1 THEN 'milestone' ELSE v.kind END AS kind,
  v.project_id, p.title AS project, v.list_id, l.title AS list, v.parent_id, v.title, v.completed,
  CASE WHEN v.kind = 'event' THEN coalesce(v.content ->> 'private', 0) ELSE coalesce(l.private, 0) END AS private,
  max(coalesce(p.archived, 0), p.gone_at IS NOT NULL, coalesce(l.archived, 0)) AS archived, v.starts_at, v.ends_at,
  coalesce(v.starts_on, date(v.starts_at), v.due_on) AS first_on,
  coalesce(date(v.ends_on, '-1 day'), max(date(v.starts_at), date(v.ends_at, '-1 second')), date(v.starts_at),
    v.due_on) AS last_on,
  v.content ->> 'percent' AS percent, v.content ->> 'estimatedMinutes' AS estimated_minutes,
  v.content ->> 'loggedMinutes' AS logged_minutes, v.content ->> 'createdAt' AS created_at,
  v.content ->> 'completedAt' AS completed_at, v.content ->> 'assigned' AS assigned,
  (SELECT group_concat(named, ', ') FROM (
     SELECT coalesce(n.name, 'Person ' || a.value) AS named
     FROM json_each(v.content, '$.assigned') a LEFT JOIN people n ON n.id = a.value ORDER BY a.key)) AS people,
  coalesce(v.content ->> 'labels', '[]') AS labels,
  (SELECT group_concat(named, ', ') FROM (
     SELECT coalesce(n.name, 'Label ' || a.value) AS named
     FROM json_each(v.content, '$.labels') a LEFT JOIN labels n ON n.id = a.value ORDER BY a.key)) AS label_names
FROM view_items v
JOIN identities i ON i.item = v.item
LEFT JOIN projects p ON p.id = v.project_id
LEFT JOIN todolists l ON l.id = v.list_id;

-- What takes place or is due, by its days; a task stands on its due date, or on its start where it has none. This view and
-- the next ones, up to the milestones, and the labels leave out what is archived.
CREATE VIEW report_agenda AS
SELECT item, uid, id, kind, project_id, project, list_id, list, title, completed, starts_at, ends_at,
  CASE WHEN kind IN ('task', 'subtask') THEN coalesce(last_on, first_on) ELSE first_on END AS first_on,
  coalesce(last_on, first_on) AS last_on, assigned, people
FROM report_items
WHERE first_on IS NOT NULL AND archived = 0;

-- What can be completed, is not, and whose last day is over.
CREATE VIEW report_overdue AS
SELECT item, uid, id, kind, project_id, project, list_id, list, title, last_on AS due_on,
  CAST(julianday((SELECT today FROM report_clock)) - julianday(last_on) AS INTEGER) AS days_late, percent, assigned, people,
  label_names
FROM report_items
WHERE completed = 0 AND kind <> 'event' AND archived = 0 AND last_on < (SELECT today FROM report_clock);

-- Open tasks, subtasks and milestones per person and ISO week of their last day; person_id null = nobody is assigned,
-- week null = no date. Each item counts whole for each of its people, its minutes in equal parts.
CREATE VIEW report_workload AS
SELECT a.value AS person_id, coalesce(n.name, 'Person ' || a.value) AS person,
  strftime('%Y', i.last_on, 'weekday 0', '-3 days')
    || printf('-W%02d', (strftime('%j', i.last_on, 'weekday 0', '-3 days') + 6) / 7) AS week,
  date(i.last_on, 'weekday 0', '-6 days') AS week_on, count(*) AS open_items,
  sum(coalesce(i.estimated_minutes, 0) * 1.0 / max(1, json_array_length(i.assigned))) AS estimated_minutes,
  sum(coalesce(i.logged_minutes, 0) * 1.0 / max(1, json_array_length(i.assigned))) AS logged_minutes
FROM report_items i
LEFT JOIN json_each(i.assigned) a
LEFT JOIN people n ON n.id = a.value
WHERE i.completed = 0 AND i.kind <> 'event' AND i.archived = 0
GROUP BY a.value, week_on;

-- Milestones with their distance from today in days; negative = past.
CREATE VIEW report_milestones AS
SELECT item, uid, id, project_id, project, title, first_on AS due_on, completed,
  CAST(julianday(first_on) - julianday((SELECT today FROM report_clock)) AS INTEGER) AS days_left, assigned, people
FROM report_items
WHERE kind = 'milestone' AND archived = 0;

-- Every move of an item's day that was seen: the due date of a task, the first day of an event or milestone (in UTC).
-- days: positive = later.
CREATE VIEW report_moves AS
SELECT item, revision, at, from_on, to_on, CAST(julianday(to_on) - julianday(from_on) AS INTEGER) AS days
FROM (
  SELECT item, revision, at, day_on AS to_on, lag(day_on) OVER (PARTITION BY item ORDER BY revision) AS from_on
  FROM (
    SELECT item, revision, at,
      coalesce(content ->> 'dueOn', content ->> '$.when.startOn', date(content ->> '$.when.startAt')) AS day_on
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

-- Estimated against logged time of tasks and subtasks per project, list and person, in minutes; the time of an item
-- counts in equal parts for each of its people.
CREATE VIEW report_hours AS
SELECT i.project_id, i.project, i.list_id, i.list, a.value AS person_id, coalesce(n.name, 'Person ' || a.value) AS person,
  count(*) AS items, sum(i.completed = 0) AS open_items,
  sum(coalesce(i.estimated_minutes, 0) * 1.0 / max(1, json_array_length(i.assigned))) AS estimated_minutes,
  sum(coalesce(i.logged_minutes, 0) * 1.0 / max(1, json_array_length(i.assigned))) AS logged_minutes
FROM report_items i
LEFT JOIN json_each(i.assigned) a
LEFT JOIN people n ON n.id = a.value
WHERE i.kind IN ('task', 'subtask')
GROUP BY i.project_id, i.list_id, a.value;

-- Tasks and subtasks per label; label_id null = without one. A task with two labels counts for both.
CREATE VIEW report_labels AS
SELECT a.value AS label_id, coalesce(n.name, 'Label ' || a.value) AS label, n.color, count(*) AS items,
  sum(i.completed = 0) AS open_items,
  sum(i.completed = 0 AND coalesce(i.last_on < (SELECT today FROM report_clock), 0)) AS overdue_items,
  sum(coalesce(i.estimated_minutes, 0)) AS estimated_minutes, sum(coalesce(i.logged_minutes, 0)) AS logged_minutes
FROM report_items i
LEFT JOIN json_each(i.labels) a
LEFT JOIN labels n ON n.id = a.value
WHERE i.kind IN ('task', 'subtask') AND i.archived = 0
GROUP BY a.value;

-- Comments and the service's history of tasks. text: the comment, or the markup that details the entry; may be HTML.
CREATE VIEW report_activity AS
SELECT e.at, e.what, e.id, e.task_id, v.item, v.title, e.project_id, p.title AS project, e.list_id, l.title AS list,
  e.person_id, coalesce(n.name, 'Person ' || e.person_id) AS person, e.action, e.text
FROM (
  SELECT created_at AS at, 'comment' AS what, id, task_id, project_id, list_id, creator_id AS person_id, 'Commented' AS action,
    description AS text
  FROM comments WHERE gone_at IS NULL
  UNION ALL
  SELECT coalesce(activity_at, activity_on), 'history', id, task_id, project_id, list_id, person_id, action, content
  FROM history_entries
) e
LEFT JOIN identities i ON i.kind = 'task' AND i.service_id = e.task_id
LEFT JOIN view_items v ON v.item = i.item
LEFT JOIN projects p ON p.id = e.project_id
LEFT JOIN todolists l ON l.id = e.list_id
LEFT JOIN people n ON n.id = e.person_id;

-- Every change of what was shown, from the version history. before and after: the content as JSON where both are there;
-- edit_id: the edit that was under way on the item at that time, which need not be the cause of each change.
CREATE VIEW report_changes AS
SELECT v.revision, v.at, v.item, i.uid, i.service_id AS id,
  CASE WHEN i.kind = 'event' AND coalesce(v.content, b.content) ->> 'milestone' = 1 THEN 'milestone' ELSE i.kind END AS kind,
  coalesce(v.content, b.content) ->> 'projectId' AS project_id, p.title AS project,
  coalesce(v.content, b.content) ->> 'title' AS title,
  CASE WHEN v.content IS NULL THEN 'removed' WHEN b.content IS NULL THEN 'added' ELSE 'changed' END AS act,
  CASE WHEN v.content IS NOT NULL THEN b.content END AS before,
  CASE WHEN b.content IS NOT NULL THEN v.content END AS after,
  e.id AS edit_id, e.channel, e.actor AS person_id, n.name AS person, e.action AS edit_action, e.patch AS edit_patch
FROM versions v
JOIN identities i ON i.item = v.item
LEFT JOIN versions b ON b.item = v.item AND b.revision = (
  SELECT max(o.revision) FROM versions o WHERE o.item = v.item AND o.revision < v.revision)
LEFT JOIN projects p ON p.id = coalesce(v.content, b.content) ->> 'projectId'
LEFT JOIN edits e ON e.id = (
  SELECT max(c.id) FROM edits c
  WHERE c.item = v.item AND c.state NOT IN ('held', 'discarded') AND c.created_at <= v.at
    AND (c.state IN ('pending', 'claimed')
      OR strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(c.confirmed_at, c.updated_at), '+1 second') >= v.at))
LEFT JOIN people n ON n.id = e.actor
WHERE v.content IS NOT b.content;

-- Files that are there, with their folders.
CREATE VIEW report_files AS
SELECT f.id, f.project_id, p.title AS project, f.folder_id, o.name AS folder, f.name, f.file_type, f.byte_size,
  f.creator_id AS person_id, coalesce(n.name, 'Person ' || f.creator_id) AS person, f.created_at, f.updated_at, f.url
FROM files f
LEFT JOIN projects p ON p.id = f.project_id
LEFT JOIN folders o ON o.id = f.folder_id
LEFT JOIN people n ON n.id = f.creator_id
WHERE f.gone_at IS NULL;

-- How old what is known of each source is, in seconds; null = it was never read. What hangs on a task or a folder belongs to
-- the project in which that is.
CREATE VIEW report_freshness AS
SELECT s.name AS source, s.kind, p.id AS project_id, p.title AS project, l.id AS list_id, l.title AS list, s.task_id,
  s.folder_id, s.items, s.attempted_at, s.succeeded_at,
  CAST(round((julianday((SELECT now FROM report_clock)) - julianday(s.succeeded_at)) * 86400) AS INTEGER) AS age_seconds,
  s.failures, s.failure
FROM sources s
LEFT JOIN identities i ON i.kind = 'task' AND i.service_id = s.task_id
LEFT JOIN view_items v ON v.item = i.item
LEFT JOIN folders o ON o.id = s.folder_id
LEFT JOIN projects p ON p.id = coalesce(s.project_id, v.project_id, o.project_id)
LEFT JOIN todolists l ON l.id = coalesce(s.list_id, v.list_id);

-- When every source had been read for the first time: before that a state of the past is not whole. It is known at the
-- first second reading of any source, which comes after the first sweep.
CREATE TRIGGER sources_complete AFTER UPDATE OF succeeded_at ON sources
WHEN NEW.kind IN ('events', 'tasks', 'subtasks') AND OLD.succeeded_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM meta WHERE name = 'complete_at')
  AND NOT EXISTS (SELECT 1 FROM sources
    WHERE kind IN ('todolists', 'events', 'tasks', 'subtasks') AND succeeded_at IS NULL AND failures = 0)
BEGIN
  INSERT INTO meta (name, value)
  SELECT 'complete_at', max(OLD.succeeded_at, coalesce(max(succeeded_at), OLD.succeeded_at)) FROM sources
  WHERE kind IN ('events', 'tasks', 'subtasks') AND name <> NEW.name;
END;
