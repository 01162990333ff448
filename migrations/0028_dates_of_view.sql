-- What stands between two days is found without reading every item: events by their span, tasks by their due date.
CREATE INDEX view_events_by_span ON view_items (starts_at, ends_at, starts_on, ends_on) WHERE kind = 'event';
CREATE INDEX view_tasks_by_due ON view_items (due_on) WHERE due_on IS NOT NULL;
