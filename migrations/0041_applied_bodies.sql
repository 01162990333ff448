-- Lists of which the mirror has everything that their last body says, by the hash of that body: read again, the same octets
-- would change nothing. reader: what makes items of octets; by another one they are read anew. followed: how many of its tasks
-- are asked for subtasks, and on which day. Whoever writes a row of a list deletes the list's row here in the same transaction.
CREATE TABLE applied_bodies (
  source TEXT PRIMARY KEY REFERENCES sources (name) ON DELETE CASCADE,
  reader TEXT NOT NULL,
  digest TEXT NOT NULL,
  items INTEGER NOT NULL,
  followed TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A list that has moved, or could not be read, is read again as a whole.
CREATE TRIGGER bodies_of_moved_lists AFTER UPDATE OF project_id, list_id, failures ON sources
WHEN NEW.failures > 0 OR NEW.project_id IS NOT OLD.project_id OR NEW.list_id IS NOT OLD.list_id
BEGIN
  DELETE FROM applied_bodies WHERE source = OLD.name;
END;
