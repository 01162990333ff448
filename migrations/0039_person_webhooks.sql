-- Where people have their reminders sent beside or in the place of mail. address and token: sealed by a key that lies beside the
-- database. with_mail: whether mails go as well. What fell due before set_at is not told this way.
CREATE TABLE person_webhooks (
  person INTEGER PRIMARY KEY,
  format TEXT NOT NULL CHECK (format IN ('json', 'ntfy')),
  address TEXT NOT NULL,
  token TEXT,
  with_mail INTEGER NOT NULL CHECK (with_mail IN (0, 1)),
  set_at TEXT NOT NULL
) STRICT;

-- What was told this way, as the tables mails and notices have it of mail.
CREATE TABLE webhook_mails (
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
CREATE INDEX webhook_mails_open ON webhook_mails (kind) WHERE state IN ('claimed', 'deferred');
CREATE INDEX webhook_mails_by_claim ON webhook_mails (claimed_at);
CREATE INDEX webhook_mails_by_person ON webhook_mails (person, settled_at);

-- As above, of edits that were not applied.
CREATE TABLE webhook_notices (
  edit INTEGER NOT NULL REFERENCES edits (id) ON DELETE CASCADE,
  parked_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('claimed', 'sent', 'deferred', 'rejected')),
  message_id TEXT NOT NULL,
  address TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before TEXT,
  problem TEXT,
  code INTEGER,
  claimed_at TEXT NOT NULL,
  settled_at TEXT,
  PRIMARY KEY (edit, parked_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_notices_by_claim ON webhook_notices (claimed_at);
