-- Programs that want messages about changes of a calendar (WebDAV-Push), or of the home (calendar ''). name: last path segment of its
-- address. resource: a hash of the address at the push service. sealed: that address and the keys, encrypted. content, properties:
-- what it wants to hear of. token, look: the calendar's sync-token and description that it was last told.
CREATE TABLE push_registrations (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  person INTEGER NOT NULL,
  calendar TEXT NOT NULL,
  resource TEXT NOT NULL,
  sealed TEXT NOT NULL,
  content INTEGER NOT NULL CHECK (content IN (0, 1)),
  properties INTEGER NOT NULL CHECK (properties IN (0, 1)),
  expires_at TEXT NOT NULL,
  token TEXT NOT NULL,
  look TEXT NOT NULL,
  sent_at TEXT,
  UNIQUE (person, calendar, resource)
) STRICT;

-- A registration ends with the password that it was made with, and takes its messages along.
CREATE TRIGGER push_without_password AFTER DELETE ON app_passwords BEGIN
  DELETE FROM push_registrations WHERE person = old.person;
END;
CREATE TRIGGER push_with_another_password AFTER UPDATE OF digest ON app_passwords BEGIN
  DELETE FROM push_registrations WHERE person = new.person;
END;
CREATE TRIGGER outbox_without_registration AFTER DELETE ON push_registrations BEGIN
  DELETE FROM outbox WHERE kind = 'push' AND subject = old.id;
END;
