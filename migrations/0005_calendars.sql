-- App passwords, by which a person's calendar programs log in. digest: SHA-256 of salt and password, which has 128 random
-- bits, so that a slow hash would protect nothing and cost every request.
CREATE TABLE app_passwords (
  person INTEGER PRIMARY KEY,
  salt TEXT NOT NULL,
  digest TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

-- What a person's programs have set on a calendar (name, colour, order, dead properties): local, one row per property.
-- calendar: the last part of its address; property: namespace and local name as {namespace}name; value: the text, or the
-- XML inside the element for properties that Dayferry does not know.
CREATE TABLE calendar_properties (
  person INTEGER NOT NULL,
  calendar TEXT NOT NULL,
  property TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (person, calendar, property)
) STRICT, WITHOUT ROWID;

-- The last part of an item's address where somebody chose it; all others have one made of their UID. A name stays for
-- life, also after the item is gone or was renamed, so that it can be told as gone. revision: from which on it counts; 0
-- from the first. person: who alone is to be told of the name, as the item never was in the view; null = everybody.
CREATE TABLE object_names (
  item INTEGER NOT NULL REFERENCES identities (item),
  revision INTEGER NOT NULL,
  name TEXT NOT NULL,
  person INTEGER,
  PRIMARY KEY (item, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX object_names_by_name ON object_names (name);

-- What a client last said of an item in its own octets, anew: one row per component, as a milestone is an event to some
-- programs and a to-do to others. body: the octets of the whole calendar object as CalDAV got them; null for other
-- channels, of which `raw` has the component. said: how this build wrote the item when the octets were kept; null where
-- that is not known. drifted: the item said something else since, so that the octets are never given out as they are,
-- not even when it says the same again. laid: the component as another channel said of it after the body came. agent: the
-- program that sent the body.
CREATE TABLE objects_anew (
  item INTEGER NOT NULL REFERENCES identities (item),
  component TEXT NOT NULL CHECK (component IN ('VEVENT', 'VTODO')),
  channel TEXT NOT NULL,
  uid TEXT NOT NULL,
  raw TEXT NOT NULL,
  body BLOB,
  said TEXT,
  drifted INTEGER NOT NULL DEFAULT 0 CHECK (drifted IN (0, 1)),
  laid TEXT,
  actor INTEGER,
  agent TEXT,
  at TEXT NOT NULL,
  PRIMARY KEY (item, component)
) STRICT, WITHOUT ROWID;
INSERT INTO objects_anew (item, component, channel, uid, raw, at)
  SELECT o.item, CASE i.kind WHEN 'event' THEN 'VEVENT' ELSE 'VTODO' END, o.channel, o.uid, o.raw, o.at
  FROM objects o JOIN identities i USING (item);
DROP TABLE objects;
ALTER TABLE objects_anew RENAME TO objects;

-- A calendar is read by its collection.
CREATE INDEX view_items_by_collection ON view_items (collection);

-- Edits that have asked the service to take an item to another place: of all changes only those note when they were sent.
CREATE INDEX edits_moving ON edits (item) WHERE action = 'update' AND sent_at IS NOT NULL;
