-- Edits: sent_after = the newest handle of an item that was known when the first creating request left: what has an older one
-- was there before, whatever the service's clock says.
ALTER TABLE edits ADD COLUMN sent_after INTEGER;

-- Items that lists have shown since a creating request left, unknown before and alike what it was to make: one of them may be
-- what it has made. content = the item as it was last shown.
CREATE TABLE candidates (
  edit INTEGER NOT NULL REFERENCES edits (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('event', 'task', 'subtask')),
  service_id INTEGER NOT NULL CHECK (service_id > 0),
  content TEXT NOT NULL CHECK (json_valid(content)),
  seen_at TEXT NOT NULL,
  PRIMARY KEY (edit, kind, service_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX edits_given_up ON edits (lands_until) WHERE state = 'discarded' AND lands_until IS NOT NULL;
