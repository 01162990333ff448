-- Mails, anew: one row per thing that a person is told of once, claimed before the mail is handed over. kind: `reminder` = an
-- event's own, `lead` = a day before something is due, `overdue`, `digest`. item: 0 where the mail is about no single one.
-- occurrence: the start, the day that something is due, or the day of the digest. Several rows may have one Message-ID, where
-- one mail told of them all. address and code: to whom it went, and the server's answer where it took it or refused it.
-- dropped: it was begun, and is not to be sent as things are. empty: a digest with nothing to tell.
CREATE TABLE mails_anew (
  kind TEXT NOT NULL CHECK (kind IN ('reminder', 'lead', 'overdue', 'digest')),
  item INTEGER NOT NULL,
  occurrence TEXT NOT NULL,
  lead TEXT NOT NULL,
  person INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('claimed', 'sent', 'deferred', 'rejected', 'dropped', 'empty')),
  message_id TEXT NOT NULL,
  address TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before TEXT,
  problem TEXT,
  code INTEGER,
  claimed_at TEXT NOT NULL,
  settled_at TEXT,
  PRIMARY KEY (kind, item, occurrence, lead, person),
  CHECK ((kind = 'digest') = (item = 0))
) STRICT;
INSERT INTO mails_anew (kind, item, occurrence, lead, person, state, message_id, attempts, not_before, problem, claimed_at,
    settled_at)
  SELECT 'reminder', item, occurrence, lead, person, state, message_id, attempts, not_before, problem, claimed_at, settled_at
  FROM mails;
DROP TABLE mails;
ALTER TABLE mails_anew RENAME TO mails;
CREATE INDEX mails_open ON mails (kind) WHERE state IN ('claimed', 'deferred');
CREATE INDEX mails_by_claim ON mails (claimed_at);
CREATE INDEX mails_by_digest ON mails (person, occurrence) WHERE kind = 'digest';
CREATE INDEX mails_refused ON mails (settled_at) WHERE state = 'rejected';

-- Notices get the same two columns.
ALTER TABLE notices ADD COLUMN address TEXT;
ALTER TABLE notices ADD COLUMN code INTEGER;
CREATE INDEX notices_by_claim ON notices (claimed_at);

-- What people have turned off by the link in a mail; `all` = every mail.
CREATE TABLE mail_choices (
  person INTEGER NOT NULL,
  choice TEXT NOT NULL CHECK (choice IN ('events', 'milestones', 'tasks', 'overdue', 'digest', 'notices', 'all')),
  off_at TEXT NOT NULL,
  PRIMARY KEY (person, choice)
) STRICT, WITHOUT ROWID;

-- When this installation had read the whole workspace for the first time: nothing is mailed before that.
CREATE TABLE mail_opening (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  opened_at TEXT NOT NULL
) STRICT;
