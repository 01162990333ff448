-- Browsers that people have logged in with. digest: the cookie's HMAC under the admin token, so that a copy of the database opens
-- nothing and another token ends them all. person: null is the admin. way: how it began. proxied: whom a proxy said the browser was
-- of when it began; it counts only while the proxy says so. A log-in that has ended has no row.
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  digest TEXT NOT NULL UNIQUE,
  person INTEGER,
  way TEXT NOT NULL CHECK (way IN ('token', 'password', 'link')),
  proxied TEXT,
  agent TEXT NOT NULL,
  began_at TEXT NOT NULL,
  used_at TEXT NOT NULL,
  until TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_person ON sessions (person);
DROP TABLE ended_sessions;

-- Links by mail with which people log in: each opens once, before until. The link itself is signed by a key that lies beside the
-- database. next: where it leads, from the start page on.
CREATE TABLE login_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  person INTEGER NOT NULL,
  next TEXT NOT NULL,
  asked_at TEXT NOT NULL,
  until TEXT NOT NULL,
  used_at TEXT
) STRICT;

-- The mails that carry them, claimed before they are handed over.
CREATE TABLE login_mails (
  link INTEGER PRIMARY KEY REFERENCES login_links (id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('claimed', 'sent', 'deferred', 'rejected')),
  message_id TEXT NOT NULL,
  address TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before TEXT,
  problem TEXT,
  code INTEGER,
  claimed_at TEXT NOT NULL,
  settled_at TEXT
) STRICT;
