-- Files of the watched folder whose edits are stored and that are not put away yet: written in the transaction that stores
-- the edits, removed once file and report are in their place. A crash in between puts away, it does not apply again.
CREATE TABLE inbox_files (
  path TEXT PRIMARY KEY,
  stamp TEXT NOT NULL,
  target TEXT NOT NULL,
  report TEXT NOT NULL,
  applied_at TEXT NOT NULL
) STRICT;

-- Subscribed calendars by their configured names. address: a hash of the secret address, so that another calendar under
-- the same name starts anew. baseline_at: when its first whole snapshot was taken; null = none yet. reissues: it was seen
-- to give known items new UIDs.
CREATE TABLE subscriptions (
  name TEXT PRIMARY KEY,
  address TEXT NOT NULL,
  etag TEXT,
  last_modified TEXT,
  body TEXT,
  baseline_at TEXT,
  attempted_at TEXT,
  succeeded_at TEXT,
  changed_at TEXT,
  next_at TEXT,
  failures INTEGER NOT NULL DEFAULT 0,
  problem TEXT,
  notes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(notes)),
  reissues INTEGER NOT NULL DEFAULT 0 CHECK (reissues IN (0, 1))
) STRICT;

-- What a subscribed calendar last showed, one row per UID of its own. known_as: the UID by which the item is known here;
-- null = it is none of ours. project_id: the item's project when the two were linked. missing: how many whole snapshots in a
-- row it was absent from, since missing_at.
CREATE TABLE subscription_items (
  subscription TEXT NOT NULL REFERENCES subscriptions (name) ON DELETE CASCADE,
  uid TEXT NOT NULL,
  known_as TEXT,
  project_id INTEGER,
  shown TEXT NOT NULL,
  missing INTEGER NOT NULL DEFAULT 0 CHECK (missing >= 0),
  missing_at TEXT,
  PRIMARY KEY (subscription, uid)
) STRICT, WITHOUT ROWID;
