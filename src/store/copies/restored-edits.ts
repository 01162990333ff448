import type Database from "better-sqlite3";

/** Runs a statement with the values that it names; returns the number of changed rows. */
export type Run = (sql: string) => number;

/**
 * Copies items from the replaced database whose creation was sent since and got no answer, with their waiting and ended edits.
 * Otherwise the created items would count as somebody else's, and their program would create them again.
 */
export function copyLostCreations(db: Database.Database, run: Run): void {
  run(`CREATE TEMP TABLE taken AS SELECT e.item FROM replaced.edits e JOIN replaced.identities r USING (item)
    WHERE e.action = 'create' AND e.state IN ('pending', 'claimed') AND r.service_id IS NULL
      AND EXISTS (SELECT 1 FROM replaced.attempts a WHERE a.edit = e.id AND a.act = 'create')
      AND NOT EXISTS (SELECT 1 FROM replaced.parent_waits w WHERE w.edit = e.id)
      AND NOT EXISTS (SELECT 1 FROM main.edits o WHERE o.id = e.id)
      AND NOT EXISTS (SELECT 1 FROM main.identities o WHERE (o.item = r.item) <> (o.uid = r.uid))`);
  run("DELETE FROM main.mirror_items WHERE item IN (SELECT item FROM taken)");
  const decided = "state NOT IN ('held', 'parked') AND item IN (SELECT item FROM taken)";
  for (const [table, which] of [
    ["identities", "true"],
    ["object_names", "true"],
    ["objects", "true"],
    ["view_items", "true"],
    ["versions", "true"],
    [
      "edits",
      `${decided} AND (undoes IS NULL OR undoes IN (SELECT id FROM replaced.edits WHERE ${decided}))`,
    ],
  ]) {
    // Without generated columns.
    const columns = db
      .prepare("SELECT name FROM pragma_table_info(?)")
      .pluck()
      .all(table)
      .map(String);
    const replaced = columns.map((name) => `${name} = excluded.${name}`).join();
    run(
      `INSERT INTO main.${table} (${columns.join()}) SELECT ${columns.join()} FROM replaced.${table}
       WHERE item IN (SELECT item FROM taken) AND ${which} ON CONFLICT DO UPDATE SET ${replaced}`,
    );
  }
  run("DROP TABLE temp.taken");
}

/** An edit that both databases have. */
const isInBoth = (edit: string): string =>
  `EXISTS (SELECT 1 FROM main.edits e JOIN replaced.edits r USING (id, created_at) WHERE e.id = ${edit})`;

/**
 * Copies the requests sent since for edits of the copy: one without an answer may still be carried out. A deletion that was
 * carried out must not delete an item created with the same UID since.
 */
export function copyProgress(run: Run): void {
  const updated = [
    "before",
    "known",
    "ended_at",
    "lands_until",
    "next_look",
    "failures",
    "landed_at",
  ];
  const columns = `id, edit, act, what, claim, repeats, item, service_id, patch, newest_item, sent_at, ${updated.join(", ")}`;
  run(
    `INSERT INTO main.attempts (${columns})
     SELECT ${columns} FROM replaced.attempts a WHERE ${isInBoth("a.edit")} ORDER BY id
     ON CONFLICT (id) DO UPDATE SET ${updated.map((name) => `${name} = excluded.${name}`).join(", ")}`,
  );
  const outcome = "state, problem, before, conflicts, updated_at, confirmed_at";
  run(
    `UPDATE main.edits AS o SET (${outcome}) = (SELECT ${outcome} FROM replaced.edits r WHERE r.id = o.id)
     WHERE action = 'delete' AND state IN ('pending', 'claimed') AND ${isInBoth("o.id")}
       AND (SELECT r.state FROM replaced.edits r WHERE r.id = o.id) = 'confirmed'`,
  );
  // The item that a half-done move left behind, with changes by others since.
  run(
    `UPDATE main.edits AS o SET before = (SELECT r.before FROM replaced.edits r WHERE r.id = o.id)
     WHERE patch ->> 'place' IS NOT NULL AND ${isInBoth("o.id")}
       AND EXISTS (SELECT 1 FROM replaced.edits r WHERE r.id = o.id AND r.before IS NOT NULL)`,
  );
}

/**
 * Edits that waited when the copy was made may have been applied since. Creations are marked as sent without an answer, so that
 * their items are looked up first; changes and deletions read their item anyway. Without the replaced database, a request may
 * have been sent a moment ago. Returns how many edits are looked up.
 */
export function lookUpFirst(run: Run, { knowsSince }: { readonly knowsSince: boolean }): number {
  const makes = `((state IN ('pending', 'claimed') AND (action = 'create' OR (patch ->> 'place') IS NOT NULL))
    OR (state IN ('held', 'parked') AND action = 'create'))`;
  const creating = "act IN ('create', 'move')";
  const until = knowsSince ? "@now" : "@landing";
  run(
    `UPDATE attempts SET ended_at = coalesce(ended_at, @now), lands_until = max(coalesce(lands_until, ${until}), ${until})
     WHERE ${creating} AND edit IN (SELECT id FROM edits WHERE ${makes})`,
  );
  run(
    `INSERT INTO attempts (edit, act, item, newest_item, sent_at, ended_at, lands_until)
     SELECT id, iif(action = 'create' OR base ->> '$.content.kind' = 'event', 'create', 'move'), item, (SELECT max(item) FROM identities),
       created_at, @now, ${until} FROM edits e
     WHERE ${makes} AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.edit = e.id AND ${creating})`,
  );
  const waiting = run(
    `UPDATE edits SET state = 'claimed', begun = max(begun, 1) WHERE state IN ('pending', 'claimed') AND ${makes}`,
  );
  const known = (table: string) =>
    `(SELECT json_group_array(id) FROM ${table} WHERE created_at IS NULL OR created_at > strftime('%Y-%m-%dT%H:%M:%SZ', x.created_at, '-30 hours'))`;
  const extras = run(
    `INSERT INTO attempts (edit, act, what, known, sent_at, ended_at, lands_until)
     SELECT x.edit, 'extra', 'extra:' || x.id, iif(x.kind = 'comment', ${known("comments")}, ${known("files")}), x.created_at, @now, ${until}
       FROM edit_extras x WHERE x.kind <> 'kept' AND x.state IN ('pending', 'claimed', 'parked')
         AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.what = 'extra:' || x.id)`,
  );
  return waiting + extras;
}
