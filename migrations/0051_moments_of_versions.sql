-- The version that the rename of a label makes was stored with a revision in place of its moment.
UPDATE versions SET at = coalesce(
  (SELECT c.at FROM changes c WHERE c.revision = versions.revision),
  (SELECT b.at FROM versions b WHERE b.item = versions.item AND b.revision < versions.revision AND b.at GLOB '*-*T*'
   ORDER BY b.revision DESC LIMIT 1),
  (SELECT i.created_at FROM identities i WHERE i.item = versions.item))
WHERE at NOT GLOB '*-*T*';
