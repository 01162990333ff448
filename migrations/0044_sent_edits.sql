-- Edits of which a request has left and that are not settled are asked for with every answer, also while ten thousand wait.
CREATE INDEX edits_sent ON edits (id) WHERE sent_at IS NOT NULL AND state IN ('pending', 'claimed');
