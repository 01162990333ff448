-- The messages to the operator, claimed before they are handed over. phase: 'begun', 'again-1' and so on, or 'over'. way: 'mail:' with
-- an address, or 'webhook:' with the name of one. Several troubles may be told in one message, of the same message_id.
CREATE TABLE operator_messages (
  trouble INTEGER NOT NULL REFERENCES troubles (id) ON DELETE CASCADE,
  phase TEXT NOT NULL,
  way TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('claimed', 'sent', 'deferred', 'rejected', 'dropped')),
  message_id TEXT NOT NULL,
  address TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before TEXT,
  problem TEXT,
  code INTEGER,
  claimed_at TEXT NOT NULL,
  settled_at TEXT,
  PRIMARY KEY (trouble, phase, way)
) STRICT, WITHOUT ROWID;
