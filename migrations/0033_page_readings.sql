-- What pages of all tasks have shown in the round under way, so that a first sweep goes on where it was cut off. It goes with its
-- round, and is forgotten once it was made use of. form: which layout head and content have, which are JSON.
CREATE TABLE page_readings (
  round INTEGER PRIMARY KEY REFERENCES rounds (round) ON DELETE CASCADE,
  form INTEGER NOT NULL,
  head TEXT NOT NULL
) STRICT;

-- page: its number, from 0.
CREATE TABLE kept_pages (
  round INTEGER NOT NULL REFERENCES page_readings (round) ON DELETE CASCADE,
  page INTEGER NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (round, page)
) STRICT;
