-- Sessions of the start page that were signed out before their time, until they would have ended by themselves. The name is that
-- of the session alone: without the key that signs sessions it opens nothing.
CREATE TABLE ended_sessions (
  id TEXT PRIMARY KEY,
  until TEXT NOT NULL
) STRICT, WITHOUT ROWID;
