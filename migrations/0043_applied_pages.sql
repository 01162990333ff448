-- Pages of all tasks that said what the mirror has, by the hash of their body. reader: what has made items of it, of which projects.
-- elements: the ids of its tasks and, below zero, of its subtasks, as JSON. said: a hash of the rows of all of them as they were then; a page
-- counts only as long as they are so.
CREATE TABLE applied_pages (
  page INTEGER PRIMARY KEY,
  reader TEXT NOT NULL,
  digest TEXT NOT NULL,
  total INTEGER NOT NULL,
  elements TEXT NOT NULL,
  said TEXT NOT NULL
) STRICT;
