-- The language of a person's mails, feeds and pages: the chosen one, or that of the browser they last logged in with.
CREATE TABLE person_languages (
  person INTEGER PRIMARY KEY,
  language TEXT NOT NULL,
  is_chosen INTEGER NOT NULL CHECK (is_chosen IN (0, 1))
) STRICT;
