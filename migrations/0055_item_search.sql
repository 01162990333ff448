-- The words of each item in the view: title; description and ticket. It stores no text of its own, and rowid is the item.
CREATE VIRTUAL TABLE item_words USING fts5 (
  title, text, content = '', contentless_delete = 1, prefix = '2 3', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER item_words_of_new AFTER INSERT ON view_items BEGIN
  INSERT INTO item_words (rowid, title, text)
    VALUES (new.item, new.title, concat_ws(' ', new.content ->> 'description', new.content ->> 'ticket'));
END;
CREATE TRIGGER item_words_of_changed AFTER UPDATE OF content ON view_items
  WHEN new.title <> old.title OR new.content ->> 'description' IS NOT old.content ->> 'description'
    OR new.content ->> 'ticket' IS NOT old.content ->> 'ticket'
BEGIN
  DELETE FROM item_words WHERE rowid = old.item;
  INSERT INTO item_words (rowid, title, text)
    VALUES (new.item, new.title, concat_ws(' ', new.content ->> 'description', new.content ->> 'ticket'));
END;
CREATE TRIGGER item_words_of_old AFTER DELETE ON view_items BEGIN
  DELETE FROM item_words WHERE rowid = old.item;
END;
INSERT INTO item_words (rowid, title, text)
  SELECT item, title, concat_ws(' ', content ->> 'description', content ->> 'ticket') FROM view_items;
