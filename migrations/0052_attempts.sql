-- One row for each request that was sent for an edit and may have changed something at the service. It stands before the first byte
-- leaves. A request that is repeated because no answer came has a row for each try.
--   edit         null for a label, which belongs to no single edit
--   act          create (an event that goes to another project is created there), move (a task), change, delete, label, extra
--   what         names a label or an extra: label:<name>, extra:<number of edit_extras>
--   claim        the edit's `begun` at that time
--   repeats      1 where a creating request of the edit had left before, in an earlier try
--   patch        what the request sets
--   before       the item as it was when the request left; null once the outcome is known
--   known        ids of labels or extras that looked alike before the first request
--   newest_item  the newest handle that was known when the request left: what has an older one was there before
--   ended_at     when the answer came, or was given up; null while it is awaited
--   lands_until  until then the request may still be carried out; null when its outcome is known
--   next_look    when the item is read again to see whether that has happened
--   landed_at    when it was seen to have happened
CREATE TABLE attempts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  edit INTEGER REFERENCES edits (id) ON DELETE CASCADE,
  act TEXT NOT NULL CHECK (act IN ('create', 'move', 'change', 'delete', 'label', 'extra')),
  what TEXT CHECK ((what IS NULL) = (act NOT IN ('label', 'extra'))),
  claim INTEGER NOT NULL DEFAULT 0,
  repeats INTEGER NOT NULL DEFAULT 0 CHECK (repeats IN (0, 1)),
  item INTEGER REFERENCES identities (item),
  service_id INTEGER CHECK (service_id > 0),
  patch TEXT CHECK (json_valid(patch)),
  before TEXT CHECK (before IS NULL OR json_valid(before)),
  known TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(known)),
  newest_item INTEGER,
  sent_at TEXT NOT NULL,
  ended_at TEXT,
  lands_until TEXT,
  next_look TEXT CHECK (next_look IS NULL OR lands_until IS NOT NULL),
  failures INTEGER NOT NULL DEFAULT 0,
  landed_at TEXT
) STRICT;
CREATE INDEX attempts_by_edit ON attempts (edit, act);
CREATE INDEX attempts_by_item ON attempts (item);
CREATE INDEX attempts_by_what ON attempts (what) WHERE what IS NOT NULL;
CREATE INDEX attempts_by_look ON attempts (next_look) WHERE next_look IS NOT NULL;
CREATE INDEX attempts_in_flight ON attempts (lands_until) WHERE lands_until IS NOT NULL;
CREATE INDEX attempts_repeated ON attempts (edit) WHERE repeats = 1;
CREATE INDEX attempts_under_way ON attempts (id) WHERE ended_at IS NULL;

-- The first and the last creating request of each edit. A claimed edit may have one under way.
INSERT INTO attempts (edit, act, item, newest_item, sent_at, ended_at, lands_until)
  SELECT id, iif(action = 'create' OR base ->> '$.content.kind' = 'event', 'create', 'move'), item, sent_after, sent_at,
    iif(state = 'claimed' AND resent_at IS NULL AND lands_until IS NOT NULL, NULL, updated_at),
    iif(resent_at IS NULL, lands_until, NULL)
  FROM edits WHERE sent_at IS NOT NULL ORDER BY id;
INSERT INTO attempts (edit, act, repeats, item, newest_item, sent_at, ended_at, lands_until)
  SELECT id, iif(action = 'create' OR base ->> '$.content.kind' = 'event', 'create', 'move'), 1, item, sent_after, resent_at,
    iif(state = 'claimed' AND lands_until IS NOT NULL, NULL, updated_at), lands_until
  FROM edits WHERE sent_at IS NOT NULL AND resent_at IS NOT NULL ORDER BY id;
INSERT INTO attempts (edit, act, item, patch, sent_at, ended_at)
  SELECT id, iif(action = 'delete', 'delete', 'change'), item, patch, left_at, left_at
  FROM edits WHERE left_at IS NOT NULL AND sent_at IS NULL ORDER BY id;
INSERT INTO attempts (edit, act, item, service_id, patch, before, sent_at, ended_at, lands_until, next_look, failures, landed_at)
  SELECT edit, act, item, service_id, patch, before, lost_at, iif(under_way, NULL, lost_at), lands_until, next_look, failures, landed_at
  FROM unanswered ORDER BY id;
INSERT INTO attempts (edit, act, what, known, sent_at, ended_at, lands_until)
  SELECT CAST(iif(what LIKE 'extra:%', (SELECT x.edit FROM edit_extras x WHERE x.id = substr(what, 7)), NULL) AS INTEGER),
    substr(what, 1, 5), what, known, sent_at, iif(under_way, NULL, sent_at), lands_until
  FROM requests;

DROP TABLE unanswered;
DROP TABLE requests;
DROP TRIGGER edit_steps_of_requests;
DROP INDEX edits_moving;
DROP INDEX edits_resent;
DROP INDEX edits_given_up;
DROP INDEX edits_sent;
ALTER TABLE edits DROP COLUMN sent_at;
ALTER TABLE edits DROP COLUMN sent_after;
ALTER TABLE edits DROP COLUMN resent_at;
ALTER TABLE edits DROP COLUMN lands_until;
ALTER TABLE edits DROP COLUMN left_at;
-- Edits of which a request may have left are asked for with every answer, also while ten thousand wait.
CREATE INDEX edits_begun ON edits (action, id) WHERE state IN ('pending', 'claimed') AND begun > 0;

-- Edits with what their creating requests tell: when the first and, where there were several, the last one left, until when one
-- may still be carried out, and the newest handle that was known when the first one left.
CREATE VIEW journal AS
  SELECT e.*,
    (SELECT min(a.sent_at) FROM attempts a WHERE a.edit = e.id AND a.act IN ('create', 'move')) AS sent_at,
    (SELECT max(a.sent_at) FROM attempts a WHERE a.edit = e.id AND a.repeats = 1) AS resent_at,
    (SELECT max(a.lands_until) FROM attempts a WHERE a.edit = e.id AND a.act IN ('create', 'move')) AS lands_until,
    (SELECT a.newest_item FROM attempts a WHERE a.edit = e.id AND a.act IN ('create', 'move') ORDER BY a.id LIMIT 1) AS sent_after
  FROM edits e;

-- Several requests of one try are one step.
CREATE TRIGGER edit_steps_of_attempts AFTER INSERT ON attempts
WHEN new.ended_at IS NULL AND new.what IS NULL
  AND NOT EXISTS (SELECT 1 FROM attempts o WHERE o.edit = new.edit AND o.claim = new.claim AND o.id < new.id AND o.what IS NULL)
BEGIN
  INSERT INTO edit_steps (edit, round, kind, at, last_at)
  VALUES (
    new.edit,
    (SELECT count(*) FROM edit_steps WHERE edit = new.edit AND kind IN ('approved', 'released', 'overtaken')),
    'sent',
    new.sent_at,
    new.sent_at
  )
  ON CONFLICT (edit, round, kind, detail) DO UPDATE SET last_at = excluded.last_at, times = times + 1;
END;
