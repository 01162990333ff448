-- Edits: before = the item as the service had it when the edit was carried out, or when it was parked as a conflict;
-- conflicts = fields that both sides changed, with every value; insisted = a person wants it sent all the same;
-- frozen = parked because its item would not settle; undoes = the edit of which this one is the inverse; missed_at = the
-- item was not found where it should be, and may have been moved.
ALTER TABLE edits ADD COLUMN before TEXT CHECK (before IS NULL OR json_valid(before));
ALTER TABLE edits ADD COLUMN conflicts TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(conflicts));
ALTER TABLE edits ADD COLUMN insisted INTEGER NOT NULL DEFAULT 0 CHECK (insisted IN (0, 1));
ALTER TABLE edits ADD COLUMN frozen INTEGER NOT NULL DEFAULT 0 CHECK (frozen IN (0, 1));
ALTER TABLE edits ADD COLUMN undoes INTEGER REFERENCES edits (id) ON DELETE SET NULL;
ALTER TABLE edits ADD COLUMN confirmed_at TEXT;
ALTER TABLE edits ADD COLUMN missed_at TEXT;
UPDATE edits SET confirmed_at = updated_at WHERE state = 'confirmed';
CREATE INDEX edits_by_item ON edits (item, id);
CREATE INDEX edits_by_undone ON edits (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX edits_deleting ON edits (created_at) WHERE action = 'delete';

-- Versions: the LAST-MODIFIED under which calendars were shown one; null for those of an earlier build.
ALTER TABLE versions ADD COLUMN modified_at TEXT;
CREATE INDEX versions_by_age ON versions (at);
