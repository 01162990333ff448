-- Edits that were made from one repeating item: each but the first, with the first.
CREATE TABLE edit_series (
  edit INTEGER PRIMARY KEY REFERENCES edits (id) ON DELETE CASCADE,
  first INTEGER NOT NULL
) STRICT;

CREATE INDEX edit_series_by_first ON edit_series (first);
