-- Columns of objects and held objects get names that tell what is in them. The tables are made again: for each column that it
-- renames, SQLite checks every view of the schema, which takes a new database longer than all other migrations.
CREATE TEMP TABLE former_objects AS SELECT * FROM objects;
DROP TABLE objects;
-- The octets of items, as before. rendered: how this build wrote the item when they were kept; null where that is not known.
-- stale: what calendars show of the item has changed since, so that they are never given out as they are, not even when it is
-- as before again. overlaid: the component as another channel gave it after the body came.
CREATE TABLE objects (
  item INTEGER NOT NULL REFERENCES identities (item),
  component TEXT NOT NULL CHECK (component IN ('VEVENT', 'VTODO')),
  channel TEXT NOT NULL,
  uid TEXT NOT NULL,
  raw TEXT NOT NULL,
  body BLOB,
  rendered TEXT,
  stale INTEGER NOT NULL DEFAULT 0 CHECK (stale IN (0, 1)),
  overlaid TEXT,
  actor INTEGER,
  agent TEXT,
  at TEXT NOT NULL,
  PRIMARY KEY (item, component)
) STRICT, WITHOUT ROWID;
INSERT INTO objects (item, component, channel, uid, raw, body, rendered, stale, overlaid, actor, agent, at)
  SELECT item, component, channel, uid, raw, body, said, drifted, laid, actor, agent, at FROM former_objects;
DROP TABLE former_objects;

CREATE TEMP TABLE former_held_objects AS SELECT * FROM held_objects;
DROP TABLE held_objects;
-- What calendar programs have put by edits that wait for approval; the columns are those of objects.
CREATE TABLE held_objects (
  edit INTEGER PRIMARY KEY REFERENCES edits (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  component TEXT CHECK (component IN ('VEVENT', 'VTODO')),
  uid TEXT,
  raw TEXT,
  body BLOB,
  rendered TEXT,
  stale INTEGER NOT NULL DEFAULT 0 CHECK (stale IN (0, 1)),
  agent TEXT,
  at TEXT NOT NULL
) STRICT;
INSERT INTO held_objects (edit, name, component, uid, raw, body, rendered, stale, agent, at)
  SELECT edit, name, component, uid, raw, body, said, drifted, agent, at FROM former_held_objects;
DROP TABLE former_held_objects;
