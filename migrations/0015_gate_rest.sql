-- The rest that the service asked for by its last 429, and the own share of the quota since; one row. paused_until: nothing is
-- sent before. share: requests per window when quiet_since began, one more for each quiet window after it.
CREATE TABLE gate_rest (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  noted_at TEXT NOT NULL,
  paused_until TEXT NOT NULL,
  share INTEGER NOT NULL,
  quiet_since TEXT NOT NULL
) STRICT;
