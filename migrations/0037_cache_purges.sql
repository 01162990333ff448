-- What HTTP caches in front are still to be told: that a feed says something else, or that an address of it has ended. A row goes
-- once the cache has said yes. version, slug: by which the address is made again; no secret is kept. asks: how often it was
-- wanted, so that what changes while a request is under way is told again. ended: the address opens nothing any more, which is told
-- twice; told: how often it was.
CREATE TABLE cache_purges (
  feed INTEGER NOT NULL,
  version INTEGER NOT NULL,
  slug TEXT NOT NULL,
  ended INTEGER NOT NULL CHECK (ended IN (0, 1)),
  asks INTEGER NOT NULL DEFAULT 1,
  told INTEGER NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0,
  asked_at TEXT NOT NULL,
  due_at TEXT NOT NULL,
  problem TEXT,
  PRIMARY KEY (feed, version)
) STRICT;

CREATE INDEX cache_purges_due ON cache_purges (due_at);
