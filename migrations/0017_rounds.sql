-- Rounds: each is one reading of all sources, begun by a start or by the command `sync`. Null in ended_at: it is under way,
-- or was cut off and goes on at the next start. Only the last one is kept.
CREATE TABLE rounds (
  round INTEGER PRIMARY KEY AUTOINCREMENT,
  begun_at TEXT NOT NULL,
  ended_at TEXT
) STRICT;

-- sources: round = the last round in which the source was read, or refused by the service; null where none did.
ALTER TABLE sources ADD COLUMN round INTEGER;

-- projects: read_at = when all its lists had been read for the first time; null before, as a part would look like the whole.
ALTER TABLE projects ADD COLUMN read_at TEXT;

-- Meta: all_read_at = when all projects of that moment had been read.
UPDATE projects SET read_at = (
  SELECT max(s.succeeded_at) FROM sources s
  WHERE s.project_id = projects.id AND s.kind IN ('todolists', 'events', 'tasks')
) WHERE NOT EXISTS (
  SELECT 1 FROM sources s WHERE s.project_id = projects.id AND s.kind IN ('todolists', 'events', 'tasks')
    AND s.succeeded_at IS NULL
    AND NOT (s.failures > 1 AND EXISTS (SELECT 1 FROM meta WHERE name = 'complete_at'))
);
INSERT INTO meta (name, value) SELECT 'all_read_at', value FROM meta WHERE name = 'complete_at';
