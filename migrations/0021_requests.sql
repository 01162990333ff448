-- Requests that create what has no identity here: labels, comments, files in folders. A row stands before the first byte leaves,
-- and goes once the service is known to have made it. what = label:<name> or extra:<number of edit_extras>. known = ids of what
-- looked alike before the first request. Until lands_until the last one may still be carried out; under_way: its answer is
-- awaited.
CREATE TABLE requests (
  what TEXT PRIMARY KEY,
  known TEXT NOT NULL CHECK (json_valid(known)),
  sent_at TEXT NOT NULL,
  lands_until TEXT NOT NULL,
  under_way INTEGER NOT NULL CHECK (under_way IN (0, 1))
) STRICT, WITHOUT ROWID;
INSERT INTO requests (what, known, sent_at, lands_until, under_way)
  SELECT 'extra:' || id, '[]', sent_at, sent_at, state = 'claimed' FROM edit_extras
  WHERE sent_at IS NOT NULL AND state <> 'done';
