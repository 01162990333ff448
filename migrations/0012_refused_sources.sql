-- sources: refused_at = since when the service refuses every poll of the source; null when the last one ended otherwise.
ALTER TABLE sources ADD COLUMN refused_at TEXT;
