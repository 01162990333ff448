-- When the next edit may go is asked after each one, also while ten thousand wait.
CREATE INDEX edits_next ON edits (not_before) WHERE state = 'pending';
-- Edits under a refused key hold back all others of the same person.
CREATE INDEX edits_key_refused ON edits (actor) WHERE key_refused_at IS NOT NULL AND state IN ('pending', 'claimed');
