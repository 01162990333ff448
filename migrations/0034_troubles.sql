-- What the operator must hear of, one row from its beginning to its end. identity: the same for the same trouble whatever its facts
-- are. trouble: the facts as they were seen last, as JSON. gone_at: since when nothing was seen of it; one that comes back in time
-- is the same trouble. over_at: when that was taken for its end.
CREATE TABLE troubles (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  identity TEXT NOT NULL,
  trouble TEXT NOT NULL CHECK (json_valid(trouble)),
  since TEXT NOT NULL,
  gone_at TEXT,
  over_at TEXT
) STRICT;
CREATE UNIQUE INDEX troubles_open ON troubles (identity) WHERE over_at IS NULL;
CREATE INDEX troubles_over ON troubles (over_at);

-- What was found by a look that is not taken all the time (a probe of the zone, a backup, a check of the database): it holds until
-- another look finds otherwise.
CREATE TABLE reported_troubles (
  identity TEXT PRIMARY KEY,
  trouble TEXT NOT NULL CHECK (json_valid(trouble))
) STRICT, WITHOUT ROWID;

-- Whether mails fail is looked at all the time.
CREATE INDEX mails_deferred ON mails (settled_at) WHERE state = 'deferred';
CREATE INDEX mails_rejected ON mails (settled_at) WHERE state = 'rejected';
