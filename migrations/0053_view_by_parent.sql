-- The subtasks of a task are looked up wherever they are shown: their task may have moved, or come back elsewhere.
CREATE INDEX view_items_by_parent ON view_items (parent_id) WHERE parent_id IS NOT NULL;
