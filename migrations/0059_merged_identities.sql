-- The item that took over this one, which a sweep had made for an event or task that an edit was creating. Calendars may still
-- use the UID. Until now that was derived from the id in the UID, which is lost when the item moves on.
ALTER TABLE identities ADD COLUMN merged_into INTEGER;

CREATE INDEX identities_merged ON identities (merged_into) WHERE merged_into IS NOT NULL;

UPDATE identities SET merged_into = (
  SELECT other.item FROM identities other
  WHERE other.kind = identities.kind AND other.service_id = CAST(substr(identities.uid, instr(identities.uid, '-') + 1) AS INTEGER)
)
WHERE service_id IS NULL AND uid GLOB kind || '-[1-9]*@*';
