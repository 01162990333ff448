-- Edits are looked for by what their item is called, or was to be called, without reading each of them.
CREATE INDEX edits_by_title ON edits (id, item, base ->> '$.content.title', patch ->> 'title');
