-- What is polled, anew: folders, files, comments and histories are polled as well. `seen` is what was known of the task
-- when its comments or its history were last read whole, so that they are asked for again only when that has moved.
CREATE TABLE sources_anew (
  name TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('projects', 'people', 'labels', 'todolists', 'events', 'tasks', 'subtasks',
                                     'folders', 'files', 'comments', 'history')),
  project_id INTEGER,
  list_id INTEGER,
  task_id INTEGER,
  folder_id INTEGER,
  seen TEXT,
  attempted_at TEXT,
  succeeded_at TEXT,
  failure TEXT,
  failures INTEGER NOT NULL DEFAULT 0,
  items INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO sources_anew (name, kind, project_id, list_id, task_id, attempted_at, succeeded_at, failure, failures, items)
  SELECT name, kind, project_id, list_id, task_id, attempted_at, succeeded_at, failure, failures, items
  FROM sources ORDER BY rowid;
DROP TABLE sources;
ALTER TABLE sources_anew RENAME TO sources;

-- Comments of tasks as last seen; description may be HTML. gone_at: a complete list no longer had it.
CREATE TABLE comments (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL,
  list_id INTEGER NOT NULL,
  task_id INTEGER NOT NULL,
  description TEXT NOT NULL,
  creator_id INTEGER,
  by_me INTEGER NOT NULL CHECK (by_me IN (0, 1)),
  created_at TEXT,
  gone_at TEXT
) STRICT;
CREATE INDEX comments_by_task ON comments (task_id);

-- What the service says happened to tasks. content is the markup of previous and new values: null until detailed_at,
-- and afterwards where the service does not show it.
CREATE TABLE history_entries (
  task_id INTEGER NOT NULL,
  id INTEGER NOT NULL,
  project_id INTEGER NOT NULL,
  list_id INTEGER NOT NULL,
  person_id INTEGER,
  action TEXT NOT NULL,
  activity_at TEXT,
  activity_on TEXT,
  content TEXT,
  detailed_at TEXT,
  PRIMARY KEY (task_id, id)
) STRICT, WITHOUT ROWID;

-- Folders of projects as last seen, or as configured. A folder without a parent is at the project's root.
CREATE TABLE folders (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  parent_id INTEGER,
  type TEXT,
  gone_at TEXT
) STRICT;
CREATE INDEX folders_by_project ON folders (project_id);

-- Files in folders as last seen; byte_size in octets.
CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL,
  folder_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  byte_size INTEGER,
  file_type TEXT,
  url TEXT,
  creator_id INTEGER,
  by_me INTEGER NOT NULL CHECK (by_me IN (0, 1)),
  created_at TEXT,
  updated_at TEXT,
  gone_at TEXT
) STRICT;
CREATE INDEX files_by_folder ON files (folder_id);

-- What a client last said of an item in its own octets, for what the service cannot hold. fingerprint is that of the
-- item's content which the octets describe; null where nobody is shown the item yet.
CREATE TABLE objects (
  item INTEGER PRIMARY KEY REFERENCES identities (item),
  channel TEXT NOT NULL,
  uid TEXT NOT NULL,
  raw TEXT NOT NULL,
  fingerprint TEXT,
  at TEXT NOT NULL
) STRICT;

-- What an edit asks for beside its fields: a comment on the task, an inline file, a property that is only kept here.
-- A file for 'item' is uploaded before the creation that takes it along; everything else goes after its edit is
-- confirmed. sent_at: the request that must not be repeated blindly has left. content is let go once it is done.
CREATE TABLE edit_extras (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  edit INTEGER NOT NULL REFERENCES edits (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('comment', 'attachment', 'kept')),
  target TEXT NOT NULL CHECK (target IN ('task', 'item', 'folder', 'here')),
  name TEXT NOT NULL,
  media_type TEXT,
  text TEXT,
  content BLOB,
  digest TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'claimed', 'done', 'parked')),
  problem TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before TEXT,
  sent_at TEXT,
  file_id TEXT,
  answer_id INTEGER,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX edit_extras_by_edit ON edit_extras (edit);
CREATE INDEX edit_extras_open ON edit_extras (state) WHERE state IN ('pending', 'claimed');

-- Rendered components, anew: one per feed, item and custom field; field 0 is the item itself.
CREATE TABLE fragments_anew (
  feed INTEGER NOT NULL REFERENCES feeds (id),
  item INTEGER NOT NULL REFERENCES identities (item),
  field INTEGER NOT NULL DEFAULT 0,
  inputs TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (feed, item, field)
) STRICT, WITHOUT ROWID;
INSERT INTO fragments_anew (feed, item, inputs, sequence, body) SELECT feed, item, inputs, sequence, body FROM fragments;
DROP TABLE fragments;
ALTER TABLE fragments_anew RENAME TO fragments;
