-- Edits: begun = how often the edit was taken up, interruptions by the end of the process or by a full disk included, which
-- are no attempts.
ALTER TABLE edits ADD COLUMN begun INTEGER NOT NULL DEFAULT 0;
UPDATE edits SET begun = attempts;

-- What is written to find out whether the disk takes anything again; one row.
CREATE TABLE storage_checks (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  at TEXT NOT NULL,
  filler BLOB NOT NULL
) STRICT;
