-- Changes, moves and deletions that have left for the service and whose answer is not known: each may be carried out until
-- lands_until, also after newer ones. A row stands before the first byte leaves (under_way = 1) and goes with a usable
-- answer; each try without one has a row of its own. patch = what the request sets, empty for a deletion; before = the item as
-- it was when the request left. next_look = when the item is read again for it; null once it cannot be carried out any
-- more. landed_at = when it was seen to have been.
CREATE TABLE unanswered (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  edit INTEGER NOT NULL REFERENCES edits (id) ON DELETE CASCADE,
  item INTEGER NOT NULL REFERENCES identities (item),
  act TEXT NOT NULL CHECK (act IN ('change', 'delete')),
  service_id INTEGER NOT NULL CHECK (service_id > 0),
  patch TEXT NOT NULL CHECK (json_valid(patch)),
  before TEXT NOT NULL CHECK (json_valid(before)),
  under_way INTEGER NOT NULL CHECK (under_way IN (0, 1)),
  lost_at TEXT NOT NULL,
  lands_until TEXT NOT NULL,
  next_look TEXT,
  failures INTEGER NOT NULL DEFAULT 0,
  landed_at TEXT
) STRICT;
CREATE INDEX unanswered_by_item ON unanswered (item);
CREATE INDEX unanswered_by_edit ON unanswered (edit);
CREATE INDEX unanswered_by_look ON unanswered (next_look) WHERE next_look IS NOT NULL;

-- Edits: restores = what a request that was carried out late has undone and this edit puts back: the fields as they are to be
-- (patch), as the late request left them (over), and whose request that was (by).
ALTER TABLE edits ADD COLUMN restores TEXT CHECK (restores IS NULL OR json_valid(restores));
