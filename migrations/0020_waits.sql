-- What an edit, or a wish beside one, waits for that may be there before its not_before: the service as a whole, or that it
-- takes the key again. Null where only time can help, and while nothing waits.
ALTER TABLE edits ADD COLUMN waits_for TEXT CHECK (waits_for IN ('service', 'key'));
ALTER TABLE edit_extras ADD COLUMN waits_for TEXT CHECK (waits_for IN ('service', 'key'));
CREATE INDEX edits_waiting ON edits (waits_for) WHERE waits_for IS NOT NULL;
