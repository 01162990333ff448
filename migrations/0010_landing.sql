-- Edits: lands_until = until then the service may still carry out the last creating request, whose answer was lost; null when
-- it will not any more. resent_at = when the creation was last sent again. key_refused_at = since when the service refuses
-- the key under which the edit goes out.
ALTER TABLE edits ADD COLUMN lands_until TEXT;
ALTER TABLE edits ADD COLUMN resent_at TEXT;
ALTER TABLE edits ADD COLUMN key_refused_at TEXT;
CREATE INDEX edits_resent ON edits (id) WHERE resent_at IS NOT NULL;
