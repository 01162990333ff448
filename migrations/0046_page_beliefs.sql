-- Pages of all tasks are no sources, and what polling has learned of them is kept as well. What it has learned of a source still goes
-- with that.
CREATE TABLE beliefs_anew (
  source TEXT PRIMARY KEY,
  form INTEGER NOT NULL,
  polled_at REAL NOT NULL,
  last_change REAL,
  changes REAL NOT NULL,
  gaps REAL NOT NULL,
  gap_seconds REAL NOT NULL,
  odds BLOB,
  hours BLOB
) STRICT;
INSERT INTO beliefs_anew
  SELECT source, form, polled_at, last_change, changes, gaps, gap_seconds, odds, hours FROM beliefs;
DROP TABLE beliefs;
ALTER TABLE beliefs_anew RENAME TO beliefs;
CREATE TRIGGER beliefs_go AFTER DELETE ON sources BEGIN
  DELETE FROM beliefs WHERE source = OLD.name;
END;
