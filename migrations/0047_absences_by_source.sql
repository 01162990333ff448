-- Thousands of questions may wait for a person's agreement: those of one source, and those that nobody has answered yet, are found
-- without reading the others.
CREATE INDEX absences_by_source ON absences (source, confirmed_at);
CREATE INDEX absences_open ON absences (item) WHERE confirmed_at IS NULL;
