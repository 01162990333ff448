-- Names that labels, and addresses that people, had before: files that were downloaded then still say them.
CREATE TABLE former_names (
  kind TEXT NOT NULL CHECK (kind IN ('label', 'person')),
  id INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (kind, id, name)
) STRICT, WITHOUT ROWID;
