-- What polling has learned of each source, as far as a source was ever seen to change; without odds it was not, since it was first
-- read at polled_at. Moments are seconds since 1970. form: which layout the numbers have; rows of another one begin anew. odds and
-- hours are 32-bit floats in the machine's order.
CREATE TABLE beliefs (
  source TEXT PRIMARY KEY REFERENCES sources (name) ON DELETE CASCADE,
  form INTEGER NOT NULL,
  polled_at REAL NOT NULL,
  last_change REAL,
  changes REAL NOT NULL,
  gaps REAL NOT NULL,
  gap_seconds REAL NOT NULL,
  odds BLOB,
  hours BLOB
) STRICT;

-- What all sources have in common, as JSON.
CREATE TABLE common_beliefs (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  form INTEGER NOT NULL,
  content TEXT NOT NULL
) STRICT;
