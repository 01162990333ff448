-- What calendar programs have put by edits that wait for approval, until they are let go or discarded: whoever has put it
-- is shown it. name: the last part of the address where it was put. The other columns are those of `objects`; they are
-- null for what was only moved there.
CREATE TABLE held_objects (
  edit INTEGER PRIMARY KEY REFERENCES edits (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  component TEXT CHECK (component IN ('VEVENT', 'VTODO')),
  uid TEXT,
  raw TEXT,
  body BLOB,
  said TEXT,
  drifted INTEGER NOT NULL DEFAULT 0 CHECK (drifted IN (0, 1)),
  agent TEXT,
  at TEXT NOT NULL
) STRICT;
