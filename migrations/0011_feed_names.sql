-- feeds: given_name = the name that a person has given the feed, which then no longer follows the project's title; null where
-- nobody has. name is the one that is shown, in either case.
ALTER TABLE feeds ADD COLUMN given_name TEXT;
