-- How far a webhook for events of the workspace has read: the newest revision that it was told of, and when it was set up.
CREATE TABLE hook_cursors (
  hook TEXT PRIMARY KEY,
  revision INTEGER NOT NULL,
  began_at TEXT NOT NULL
) STRICT;
