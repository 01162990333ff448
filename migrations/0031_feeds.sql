-- The rows of other tables refer to the new ones, which have the same ids, when this ends.
PRAGMA defer_foreign_keys = ON;
CREATE TEMP TABLE former_feeds AS SELECT * FROM feeds;
DROP TABLE feeds;
-- Feeds, anew: as many as are wanted, also over several projects. automatic = the one that each project gets by itself; only those
-- are never made again once they were revoked. person_id = through whose eyes a feed is seen. filter = JSON of what was chosen; null
-- shows everything. colour = #rrggbb, or 'project' for that of the project; null says none, as feeds did before.
CREATE TABLE feeds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('project', 'person', 'all')),
  automatic INTEGER NOT NULL CHECK (automatic IN (0, 1)),
  project_id INTEGER,
  person_id INTEGER,
  filter TEXT CHECK (filter IS NULL OR json_valid(filter)),
  colour TEXT,
  name TEXT NOT NULL,
  given_name TEXT,
  version INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  revoked_at TEXT,
  fetched_at TEXT,
  fetched_by TEXT,
  CHECK ((kind = 'project') = (project_id IS NOT NULL)),
  CHECK (kind <> 'person' OR person_id IS NOT NULL),
  CHECK (kind <> 'all' OR person_id IS NULL)
) STRICT;
INSERT INTO feeds (id, kind, automatic, project_id, person_id, name, given_name, version, created_at, revoked_at, fetched_at, fetched_by)
  SELECT id, kind, 1, project_id, person_id, name, given_name, version, created_at, revoked_at, fetched_at, fetched_by FROM former_feeds;
DROP TABLE former_feeds;
CREATE UNIQUE INDEX automatic_feeds ON feeds (project_id) WHERE automatic = 1 AND revoked_at IS NULL;
CREATE INDEX feeds_of_people ON feeds (person_id) WHERE person_id IS NOT NULL;

-- Which programs fetch a feed: one row per feed and program, a few programs per feed. etag, revision and modified_at name the
-- version that was answered last; gaps = JSON of the last times between two visits, in seconds.
CREATE TABLE feed_fetches (
  feed INTEGER NOT NULL REFERENCES feeds (id),
  program TEXT NOT NULL,
  agent TEXT NOT NULL,
  first_at TEXT NOT NULL,
  last_at TEXT NOT NULL,
  visits INTEGER NOT NULL,
  etag TEXT NOT NULL,
  revision INTEGER NOT NULL,
  modified_at TEXT NOT NULL,
  gaps TEXT NOT NULL CHECK (json_valid(gaps)),
  PRIMARY KEY (feed, program)
) STRICT, WITHOUT ROWID;
