-- Everything that is sent to somebody once, in place of six tables: one row per reason to write, claimed before the message is handed
-- over. way: `mail` or `webhook` for people; `mail:` with an address or `webhook:` with a name for the operator. kind and subject: a
-- `reminder`, `lead`, `overdue` or `digest` about an item (0: no single one), a `notice` about an edit, a `log-in` with a link, a
-- `trouble`. occasion: the start, the day something is due, the day of the digest, when the edit was parked, or the phase of the
-- trouble. lead: an ISO 8601 duration, or ''. person: who gets it, 0 for the operator. Several rows may have one message_id, as one
-- message may be about several things. dropped: it was begun, and is not to be sent for now. empty: a digest without contents.
CREATE TABLE outbox (
  way TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject INTEGER NOT NULL,
  occasion TEXT NOT NULL,
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
  PRIMARY KEY (way, kind, subject, occasion, lead, person)
) STRICT;

INSERT INTO outbox
  SELECT 'mail', kind, item, occurrence, lead, person, state, message_id, address, attempts, not_before, problem, code, claimed_at,
    settled_at FROM mails;
INSERT INTO outbox
  SELECT 'webhook', kind, item, occurrence, lead, person, state, message_id, address, attempts, not_before, problem, code, claimed_at,
    settled_at FROM webhook_mails;
INSERT INTO outbox
  SELECT 'mail', 'notice', n.edit, n.parked_at, '', coalesce(e.actor, 0), n.state, n.message_id, n.address, n.attempts, n.not_before,
    n.problem, n.code, n.claimed_at, n.settled_at FROM notices n JOIN edits e ON e.id = n.edit;
INSERT INTO outbox
  SELECT 'webhook', 'notice', n.edit, n.parked_at, '', coalesce(e.actor, 0), n.state, n.message_id, n.address, n.attempts,
    n.not_before, n.problem, n.code, n.claimed_at, n.settled_at FROM webhook_notices n JOIN edits e ON e.id = n.edit;
INSERT INTO outbox
  SELECT 'mail', 'log-in', m.link, '', '', l.person, m.state, m.message_id, m.address, m.attempts, m.not_before, m.problem, m.code,
    m.claimed_at, m.settled_at FROM login_mails m JOIN login_links l ON l.id = m.link;
INSERT INTO outbox
  SELECT way, 'trouble', trouble, phase, '', 0, state, message_id, address, attempts, not_before, problem, code, claimed_at, settled_at
    FROM operator_messages;

DROP TABLE mails;
DROP TABLE webhook_mails;
DROP TABLE notices;
DROP TABLE webhook_notices;
DROP TABLE login_mails;
DROP TABLE operator_messages;

CREATE INDEX outbox_open ON outbox (way, kind) WHERE state IN ('claimed', 'deferred');
CREATE INDEX outbox_by_claim ON outbox (claimed_at);
CREATE INDEX outbox_by_digest ON outbox (way, person, occasion) WHERE kind = 'digest';
CREATE INDEX outbox_refused ON outbox (settled_at) WHERE state = 'rejected';
CREATE INDEX outbox_by_subject ON outbox (kind, subject);
CREATE INDEX outbox_by_person ON outbox (way, person, settled_at);

-- What a message is about takes it along.
CREATE TRIGGER outbox_without_edit AFTER DELETE ON edits BEGIN
  DELETE FROM outbox WHERE kind = 'notice' AND subject = old.id;
END;
CREATE TRIGGER outbox_without_link AFTER DELETE ON login_links BEGIN
  DELETE FROM outbox WHERE kind = 'log-in' AND subject = old.id;
END;
CREATE TRIGGER outbox_without_trouble AFTER DELETE ON troubles BEGIN
  DELETE FROM outbox WHERE kind = 'trouble' AND subject = old.id;
END;
