-- Of steps that a person has decided: who, and by which way, in JSON; null where that is not known, and of all other steps.
ALTER TABLE edit_steps ADD COLUMN decided_by TEXT;
