-- What an own edit has just done is not undone by a list that is older: which edits were confirmed lately is asked at each change.
CREATE INDEX edits_confirmed ON edits (confirmed_at) WHERE confirmed_at IS NOT NULL;
