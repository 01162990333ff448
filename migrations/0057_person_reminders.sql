-- When a person is reminded, as JSON, if it differs from the configuration.
CREATE TABLE person_reminders (
  person INTEGER PRIMARY KEY,
  times TEXT NOT NULL
) STRICT;
