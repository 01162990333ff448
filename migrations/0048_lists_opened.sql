-- The newest revision of the view when the list was last made public, null if it was never private. The versions of its tasks up to
-- there were private.
ALTER TABLE todolists ADD COLUMN opened_revision INTEGER;

CREATE TRIGGER todolists_opened AFTER UPDATE OF private ON todolists WHEN OLD.private = 1 AND NEW.private = 0
BEGIN
  UPDATE todolists SET opened_revision = (SELECT coalesce(max(revision), 0) FROM changes) WHERE id = NEW.id;
END;
