-- Who is told of a change, as a JSON array of people; null = whoever has the collection. What is private is told to its people alone.
ALTER TABLE changes ADD COLUMN audience TEXT CHECK (audience IS NULL OR json_valid(audience));
-- Whether two-way calendars show the item as before: a new comment, a logged hour, the id of an item that was made here.
ALTER TABLE changes ADD COLUMN quiet INTEGER NOT NULL DEFAULT 0 CHECK (quiet IN (0, 1));

-- The newest change of each two-way calendar as a person sees it; person 0 = everybody who has it. Collection 'assigned': what is
-- assigned to the person.
CREATE TABLE seen_changes (
  collection TEXT NOT NULL,
  person INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (collection, person)
) STRICT, WITHOUT ROWID;
INSERT INTO seen_changes SELECT name, 0, max(revision) FROM collections GROUP BY name;
INSERT INTO seen_changes SELECT 'assigned', 0, coalesce(max(revision), 0) FROM changes;
