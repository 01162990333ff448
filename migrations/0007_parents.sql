-- Creations of to-dos below a task that has no id yet. parent: the task, whose id the creation waits for. uid: where such a
-- task has not come in yet either; until the edit's not_before it may still come. The row goes when the wait ends.
CREATE TABLE parent_waits (
  edit INTEGER PRIMARY KEY REFERENCES edits (id) ON DELETE CASCADE,
  parent INTEGER REFERENCES identities (item),
  uid TEXT,
  CHECK ((parent IS NULL) <> (uid IS NULL))
) STRICT;
CREATE INDEX parent_waits_by_parent ON parent_waits (parent) WHERE parent IS NOT NULL;
CREATE INDEX parent_waits_by_uid ON parent_waits (uid) WHERE uid IS NOT NULL;
