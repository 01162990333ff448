-- Kinds of mail that people get only if they choose them.
CREATE TABLE mail_opt_ins (
  person INTEGER NOT NULL,
  choice TEXT NOT NULL CHECK (choice IN ('invitations')),
  on_at TEXT NOT NULL,
  PRIMARY KEY (person, choice)
) STRICT, WITHOUT ROWID;

-- The last invitation that a person was sent for an event. sequence: the SEQUENCE in it. digest: of what it said. content: the event
-- then, for a cancellation.
CREATE TABLE invitations (
  person INTEGER NOT NULL,
  item INTEGER NOT NULL,
  uid TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  digest TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (person, item)
) STRICT, WITHOUT ROWID;
