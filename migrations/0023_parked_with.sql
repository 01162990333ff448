-- Edits: parked_with = the creation that waits for a person, and with it this edit: of the same item, or of a to-do below the task.
-- It goes on with that one. Null where the edit is parked for a reason of its own, or not at all.
ALTER TABLE edits ADD COLUMN parked_with INTEGER REFERENCES edits (id) ON DELETE SET NULL;
CREATE INDEX edits_parked_with ON edits (parked_with) WHERE parked_with IS NOT NULL;
