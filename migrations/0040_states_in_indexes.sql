-- Edits of a project or of a person that are in some states are found without reading the others: the index tells the states.
DROP INDEX edits_by_project;
CREATE INDEX edits_by_project ON edits (project_id, id, state);
DROP INDEX edits_by_actor;
CREATE INDEX edits_by_actor ON edits (actor, id, state);
