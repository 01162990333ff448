-- Webhooks for events that a person or the admin (owner NULL) created. address and secret are encrypted.
CREATE TABLE event_hooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner INTEGER,
  name TEXT NOT NULL,
  address TEXT NOT NULL,
  secret TEXT NOT NULL,
  events TEXT NOT NULL,
  project INTEGER,
  person INTEGER,
  created_at TEXT NOT NULL
) STRICT;

-- When changes were skipped because they were no longer recorded; NULL if that never happened.
ALTER TABLE hook_cursors ADD COLUMN skipped_at TEXT;
