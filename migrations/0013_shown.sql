-- edits: shown = the item as everybody was shown it when the edit came in, where its editor saw another version of it (base);
-- null where base is that version, or nobody was shown the item.
ALTER TABLE edits ADD COLUMN shown TEXT CHECK (shown IS NULL OR json_valid(shown));
