-- Which projects the own keys of people open, where the service does not say who is on a project. opened: whether one ever
-- did; refusals: in a row, 0 while it is open. at: when it was asked last.
CREATE TABLE key_sights (
  person INTEGER NOT NULL,
  project_id INTEGER NOT NULL,
  opened INTEGER NOT NULL CHECK (opened IN (0, 1)),
  refusals INTEGER NOT NULL CHECK (refusals >= 0),
  at TEXT NOT NULL,
  PRIMARY KEY (person, project_id)
) STRICT, WITHOUT ROWID;
