-- Edits: program = User-Agent of the program that sent it, null where none did; left_at = when its last request was about to
-- leave; project_id = where its item is, or is to go.
ALTER TABLE edits ADD COLUMN program TEXT;
ALTER TABLE edits ADD COLUMN left_at TEXT;
ALTER TABLE edits ADD COLUMN project_id INTEGER GENERATED ALWAYS AS
  (coalesce(patch ->> '$.place.projectId', base ->> '$.content.projectId')) VIRTUAL;
CREATE INDEX edits_by_project ON edits (project_id, id);
CREATE INDEX edits_by_actor ON edits (actor, id);

-- What has happened to an edit since it was accepted, written by the triggers below so that no step can be left out. What
-- repeats itself is counted: at = the first time, last_at = the last one. round = how often a person had let the edit go by then;
-- detail = the problem as it was told, and of a decision what was chosen, in JSON.
CREATE TABLE edit_steps (
  edit INTEGER NOT NULL REFERENCES edits (id) ON DELETE CASCADE,
  round INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('taken-up', 'sent', 'missed', 'found', 'postponed', 'conflict', 'refused', 'failed',
    'unknown-outcome', 'approved', 'released', 'resolved', 'confirmed', 'overtaken', 'discarded', 'undone')),
  detail TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL,
  last_at TEXT NOT NULL,
  times INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (edit, round, kind, detail)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER edit_steps_of_states AFTER UPDATE OF state ON edits WHEN new.state <> old.state BEGIN
  INSERT INTO edit_steps (edit, round, kind, detail, at, last_at)
  VALUES (
    new.id,
    (SELECT count(*) FROM edit_steps WHERE edit = new.id AND kind IN ('approved', 'released', 'overtaken')),
    CASE new.state
      WHEN 'claimed' THEN 'taken-up'
      WHEN 'parked' THEN new.park_reason
      WHEN 'pending' THEN CASE old.state
        WHEN 'held' THEN 'approved' WHEN 'parked' THEN 'released' WHEN 'confirmed' THEN 'overtaken' ELSE 'postponed' END
      ELSE new.state
    END,
    iif(new.state IN ('parked', 'discarded') OR (new.state = 'pending' AND old.state = 'claimed'), coalesce(new.problem, ''), ''),
    new.updated_at,
    new.updated_at
  )
  ON CONFLICT (edit, round, kind, detail) DO UPDATE SET last_at = excluded.last_at, times = times + 1;
END;

CREATE TRIGGER edit_steps_of_requests AFTER UPDATE OF left_at ON edits WHEN new.left_at IS NOT NULL BEGIN
  INSERT INTO edit_steps (edit, round, kind, at, last_at)
  VALUES (
    new.id,
    (SELECT count(*) FROM edit_steps WHERE edit = new.id AND kind IN ('approved', 'released', 'overtaken')),
    'sent',
    new.left_at,
    new.left_at
  )
  ON CONFLICT (edit, round, kind, detail) DO UPDATE SET last_at = excluded.last_at, times = times + 1;
END;

CREATE TRIGGER edit_steps_of_searches AFTER UPDATE OF missed_at ON edits
WHEN (new.missed_at IS NULL) <> (old.missed_at IS NULL) AND new.state = 'claimed' BEGIN
  INSERT INTO edit_steps (edit, round, kind, at, last_at)
  VALUES (
    new.id,
    (SELECT count(*) FROM edit_steps WHERE edit = new.id AND kind IN ('approved', 'released', 'overtaken')),
    iif(new.missed_at IS NULL, 'found', 'missed'),
    coalesce(new.missed_at, new.updated_at),
    coalesce(new.missed_at, new.updated_at)
  )
  ON CONFLICT (edit, round, kind, detail) DO UPDATE SET last_at = excluded.last_at, times = times + 1;
END;
