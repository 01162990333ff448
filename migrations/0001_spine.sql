-- One row per fact about this installation: installation id, epoch, first start.
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- Identity of an event, task or subtask for life: a moved, buried or not yet created item keeps its row and its UID.
-- sequence and modified_at are what calendars are told; they only rise.
CREATE TABLE identities (
  item INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('event', 'task', 'subtask')),
  service_id INTEGER CHECK (service_id > 0),
  uid TEXT NOT NULL UNIQUE,
  sequence INTEGER NOT NULL DEFAULT 0 CHECK (sequence >= 0),
  modified_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  UNIQUE (kind, service_id)
) STRICT;

-- Projects as last seen. gone_at: no longer visible to the account; nothing of it is buried for that.
CREATE TABLE projects (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  description TEXT,
  color TEXT,
  archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
  members TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(members)),
  gone_at TEXT
) STRICT;

-- People as last seen, with what the configuration says of them laid over.
CREATE TABLE people (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT,
  time_zone TEXT,
  suspended INTEGER NOT NULL DEFAULT 0 CHECK (suspended IN (0, 1)),
  gone_at TEXT
) STRICT;

-- Todolists as last seen.
CREATE TABLE todolists (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL,
  title TEXT NOT NULL,
  archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
  private INTEGER NOT NULL DEFAULT 0 CHECK (private IN (0, 1)),
  gone_at TEXT
) STRICT;
CREATE INDEX todolists_by_project ON todolists (project_id);

-- Labels of the account as last seen.
CREATE TABLE labels (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  color TEXT,
  gone_at TEXT
) STRICT;

-- The mirror: items as the service last showed them. Written by a sweep or by the answer to a write, never by a wish.
CREATE TABLE mirror_items (
  item INTEGER PRIMARY KEY REFERENCES identities (item),
  source TEXT NOT NULL,
  content TEXT NOT NULL CHECK (json_valid(content)),
  by_me INTEGER NOT NULL CHECK (by_me IN (0, 1)),
  updated_at TEXT
) STRICT;
CREATE INDEX mirror_items_by_source ON mirror_items (source);

-- The view: the mirror with the pending edits laid over it, kept in the same transaction as either. Everyone reads this.
CREATE TABLE view_items (
  item INTEGER PRIMARY KEY REFERENCES identities (item),
  collection TEXT NOT NULL,
  content TEXT NOT NULL CHECK (json_valid(content)),
  kind TEXT NOT NULL GENERATED ALWAYS AS (content ->> 'kind') STORED,
  project_id INTEGER NOT NULL GENERATED ALWAYS AS (content ->> 'projectId') STORED,
  list_id INTEGER GENERATED ALWAYS AS (content ->> 'listId') STORED,
  parent_id INTEGER GENERATED ALWAYS AS (content ->> 'parentId') STORED,
  title TEXT NOT NULL GENERATED ALWAYS AS (content ->> 'title') STORED,
  completed INTEGER NOT NULL GENERATED ALWAYS AS (content ->> 'completed') STORED,
  starts_at TEXT GENERATED ALWAYS AS (content ->> '$.when.startAt') STORED,
  ends_at TEXT GENERATED ALWAYS AS (content ->> '$.when.endAt') STORED,
  starts_on TEXT GENERATED ALWAYS AS (coalesce(content ->> '$.when.startOn', content ->> 'startOn')) STORED,
  ends_on TEXT GENERATED ALWAYS AS (content ->> '$.when.endOn') STORED,
  due_on TEXT GENERATED ALWAYS AS (content ->> 'dueOn') STORED,
  reminder_minutes INTEGER GENERATED ALWAYS AS (content ->> 'reminderMinutes') STORED
) STRICT;
CREATE INDEX view_items_by_project ON view_items (project_id);
CREATE INDEX view_items_by_reminder ON view_items (reminder_minutes) WHERE reminder_minutes IS NOT NULL;

-- Every version of every item that the view has shown; content is null where it was buried. Bases of edits come from here.
CREATE TABLE versions (
  item INTEGER NOT NULL REFERENCES identities (item),
  revision INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  at TEXT NOT NULL,
  collection TEXT NOT NULL,
  content TEXT CHECK (content IS NULL OR json_valid(content)),
  PRIMARY KEY (item, revision)
) STRICT, WITHOUT ROWID;

-- Append-only log of what the view changed. Revisions only rise, so they are never handed out twice.
CREATE TABLE changes (
  revision INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  collection TEXT NOT NULL,
  item INTEGER,
  act TEXT NOT NULL CHECK (act IN ('put', 'bury'))
) STRICT;
CREATE INDEX changes_by_collection ON changes (collection, revision);

-- The newest revision of each collection, by the projects that its items were in; project_id is 0 for what the whole
-- account shares. A todolist that changes projects has a row for each of them, so neither project's revision goes back.
CREATE TABLE collections (
  name TEXT NOT NULL,
  project_id INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (name, project_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collections_by_project ON collections (project_id, revision);

-- What is polled: one row per list that the service can be asked for, with how the last tries ended.
CREATE TABLE sources (
  name TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('projects', 'people', 'labels', 'todolists', 'events', 'tasks', 'subtasks')),
  project_id INTEGER,
  list_id INTEGER,
  task_id INTEGER,
  attempted_at TEXT,
  succeeded_at TEXT,
  failure TEXT,
  failures INTEGER NOT NULL DEFAULT 0,
  items INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Items that a complete snapshot no longer held. Absence is a question: a row waits for the answer of a single GET,
-- and for a task also until every other list was read, as a move looks like a deletion from where it left.
CREATE TABLE absences (
  item INTEGER PRIMARY KEY REFERENCES identities (item),
  source TEXT NOT NULL,
  noticed_at TEXT NOT NULL,
  confirmed_at TEXT
) STRICT;

-- Sources of which so much vanished at once that nothing is buried before all of it is confirmed, or a person agrees.
CREATE TABLE brakes (
  source TEXT PRIMARY KEY,
  held_at TEXT NOT NULL,
  missing INTEGER NOT NULL,
  total INTEGER NOT NULL,
  needs_person INTEGER NOT NULL CHECK (needs_person IN (0, 1)),
  released_at TEXT
) STRICT;

-- The journal: what people want, durable before any request leaves.
CREATE TABLE edits (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  channel TEXT NOT NULL CHECK (channel IN ('upload', 'cli', 'inbox', 'subscription', 'link', 'caldav', 'dashboard')),
  actor INTEGER,
  item INTEGER NOT NULL REFERENCES identities (item),
  action TEXT NOT NULL CHECK (action IN ('create', 'update', 'complete', 'reopen', 'delete')),
  base TEXT NOT NULL CHECK (json_valid(base)),
  patch TEXT NOT NULL CHECK (json_valid(patch)),
  new_labels TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(new_labels)),
  state TEXT NOT NULL CHECK (state IN ('pending', 'claimed', 'confirmed', 'parked', 'held', 'discarded', 'undone')),
  park_reason TEXT CHECK (park_reason IN ('conflict', 'refused', 'failed', 'unknown-outcome')),
  problem TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before TEXT,
  sent_at TEXT,
  answer TEXT CHECK (answer IS NULL OR json_valid(answer)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((state = 'parked') = (park_reason IS NOT NULL))
) STRICT;
CREATE INDEX edits_open ON edits (item, id) WHERE state IN ('pending', 'claimed');
CREATE INDEX edits_by_state ON edits (state, id);

-- Mails: one row per item, occurrence, lead and person, claimed before the mail is handed over.
CREATE TABLE mails (
  item INTEGER NOT NULL REFERENCES identities (item),
  occurrence TEXT NOT NULL,
  lead TEXT NOT NULL,
  person INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('claimed', 'sent', 'deferred', 'rejected')),
  message_id TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before TEXT,
  problem TEXT,
  claimed_at TEXT NOT NULL,
  settled_at TEXT,
  PRIMARY KEY (item, occurrence, lead, person)
) STRICT;

-- Feeds: the secret of an address is derived from a key outside the database, the id and the version.
CREATE TABLE feeds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('project')),
  project_id INTEGER,
  person_id INTEGER,
  name TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  revoked_at TEXT,
  fetched_at TEXT,
  fetched_by TEXT
) STRICT;
CREATE UNIQUE INDEX feeds_of_projects ON feeds (project_id) WHERE kind = 'project' AND revoked_at IS NULL;

-- What a feed last said, so that an unchanged one is answered with 304 before anything is rendered, also after a restart.
CREATE TABLE feed_states (
  feed INTEGER PRIMARY KEY REFERENCES feeds (id),
  inputs TEXT NOT NULL,
  etag TEXT NOT NULL,
  modified_at TEXT NOT NULL,
  items INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;

-- Rendered components: one per feed and item, with what they were rendered from.
CREATE TABLE fragments (
  feed INTEGER NOT NULL REFERENCES feeds (id),
  item INTEGER NOT NULL REFERENCES identities (item),
  inputs TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (feed, item)
) STRICT, WITHOUT ROWID;

-- The last requests to the service, so that a restart cannot break its limit.
CREATE TABLE gate_slots (
  slot INTEGER PRIMARY KEY,
  started_at TEXT NOT NULL,
  answered_at TEXT
) STRICT;
