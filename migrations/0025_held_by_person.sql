-- What waits for approval of each person, which is read at every request of that person's calendar programs.
CREATE INDEX edits_held ON edits (actor, id) WHERE state = 'held' AND channel = 'caldav';
