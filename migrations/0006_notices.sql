-- Mails that tell an editor of a parked edit: one row per parking, claimed before the mail is handed over. parked_at: the
-- edit's updated_at, as nothing else moves it while the edit is parked; an edit that is parked again gets another mail.
CREATE TABLE notices (
  edit INTEGER NOT NULL REFERENCES edits (id) ON DELETE CASCADE,
  parked_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('claimed', 'sent', 'deferred', 'rejected')),
  message_id TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before TEXT,
  problem TEXT,
  claimed_at TEXT NOT NULL,
  settled_at TEXT,
  PRIMARY KEY (edit, parked_at)
) STRICT, WITHOUT ROWID;
