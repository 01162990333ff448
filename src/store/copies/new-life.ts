import Database from "better-sqlite3";
import { longestInFlight } from "../../domain/edit.ts";
import { risenSequenceOf } from "../../domain/object-version.ts";
import { messageOf } from "../../domain/result.ts";
import { migrate } from "../migrate.ts";
import { openReadOnly } from "../reading/read-only.ts";
import { instantText, numberColumn, textColumn } from "../rows/item-rows.ts";
import { isOfKinds, reminderKinds } from "../rows/mail-rows.ts";

/** What is known when a copy of the database takes over. */
export interface NewLife {
  readonly migrations: string;
  /** A text that was never used before. */
  readonly epoch: string;
  readonly now: Temporal.Instant;
  /** When the copy was made. It lacks everything done since. */
  readonly madeAt: Temporal.Instant;
  /** The service's request quota: all of it may have been used just now. */
  readonly quota: number;
  /** The database being replaced, if readable: it knows what happened since; null = there is none. */
  readonly replaced: string | null;
}

/** What became of the copy, for people. */
export interface NewLifeReport {
  /** Edits that are looked up in the service before they are sent. */
  readonly lookedUp: number;
  /** Browser sessions that were ended. */
  readonly logInsEnded: number;
  /** App passwords that are valid again, and those dropped because they were changed or cleared since. */
  readonly passwords: { readonly kept: number; readonly dropped: number };
  /** Feeds revoked or rotated since; they stay that way. */
  readonly feedsKeptShut: number;
  /** Mails that the replaced database knows were sent since. */
  readonly mailsKnown: number;
  /** Edits that only the replaced database has, and that had not reached the service. */
  readonly newerEdits: number;
  /** True if the replaced database could be read. */
  readonly knowsSince: boolean;
}

/** More than the items, edits or changes made between a backup and its restore, so that no number is reused. */
const gap = 1_000_000;
/** More than the changes of one item between a backup and its restore. */
const sequenceGap = 1000;

/**
 * Prepares a checked copy of the database to take over. It does not know what programs, people and the service have seen since
 * it was made. Throws if it cannot be migrated to this build.
 */
export function beginNewLife(file: string, life: NewLife): NewLifeReport {
  const db = new Database(file);
  try {
    // One file, as a file moved into place has no log beside it.
    db.pragma("journal_mode = DELETE");
    db.pragma("synchronous = FULL");
    db.pragma("foreign_keys = ON");
    migrate(db, life.migrations);
    const since = openReplaced(db, life.replaced);
    try {
      return db.transaction(() => renew(db, { life, knowsSince: since })).immediate();
    } finally {
      if (since) db.exec("DETACH replaced");
    }
  } finally {
    db.close();
  }
}

/** Opens the replaced database; false unless it is intact and of the same installation and build. */
function openReplaced(db: Database.Database, replaced: string | null): boolean {
  if (replaced === null) return false;
  const opened = openReadOnly(replaced);
  if (!opened.ok) return false;
  try {
    if (opened.value.db.pragma("quick_check(1)", { simple: true }) !== "ok") return false;
  } catch {
    return false;
  } finally {
    opened.value.close();
  }
  try {
    db.prepare("ATTACH ? AS replaced").run(replaced);
  } catch (error) {
    throw new Error(`${replaced} cannot be looked into: ${messageOf(error)}`, { cause: error });
  }
  try {
    const one = (schema: string) =>
      textColumn(
        db
          .prepare(
            `SELECT (SELECT value FROM ${schema}.meta WHERE name = 'installation') || ' ' ||
               (SELECT max(version) FROM ${schema}.schema_migration) AS name`,
          )
          .get(),
        "name",
      );
    if (one("main") !== null && one("main") === one("replaced")) return true;
  } catch {
    // Not a database of this program.
  }
  db.exec("DETACH replaced");
  return false;
}

interface Renewal {
  readonly life: NewLife;
  readonly knowsSince: boolean;
}

function renew(db: Database.Database, { life, knowsSince }: Renewal): NewLifeReport {
  const now = instantText(life.now);
  const landing = instantText(life.now.add(longestInFlight));
  const madeAt = life.madeAt.toString();
  const run = (sql: string): number => {
    const named = Object.fromEntries(
      Object.entries({ now, landing, madeAt, epoch: life.epoch }).filter(([name]) =>
        sql.includes(`@${name}`),
      ),
    );
    const statement = db.prepare(sql);
    return (Object.keys(named).length > 0 ? statement.run(named) : statement.run()).changes;
  };
  const count = (sql: string): number => numberColumn(db.prepare(sql).get(), "count");
  if (knowsSince) takeLostCreations(db, run);
  const newerEdits = knowsSince
    ? count(
        `SELECT count(*) AS count FROM replaced.edits r WHERE r.state IN ('pending', 'claimed', 'held', 'parked')
           AND NOT EXISTS (SELECT 1 FROM main.edits e WHERE e.id = r.id AND e.created_at = r.created_at)`,
      )
    : 0;

  if (knowsSince) learnProgress(run);
  const lookedUp = lookUpFirst(run, { knowsSince });
  if (knowsSince) learnNames(run);
  raiseNumbers(db, { knowsSince, run });
  const doors = shutDoors(run, knowsSince);
  const mailsKnown = knowsSince ? takeLedgers(run) : 0;
  if (knowsSince) {
    for (const table of tablesOfChoices) {
      run(`DELETE FROM ${table}`);
      run(`INSERT INTO ${table} SELECT * FROM replaced.${table}`);
    }
  }
  forgetMoments(run, life.quota);
  takeSubscriptions(run, knowsSince);
  for (const [name, value] of [
    ["epoch", life.epoch],
    ["restored_at", now],
    ["reconcile_since", now],
  ]) {
    db.prepare(
      "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
    ).run(name, value);
  }
  return { ...doors, lookedUp, mailsKnown, newerEdits, knowsSince };
}

/** What people have chosen, and what they were told, since the backup still counts. */
const tablesOfChoices = [
  "mail_choices",
  "mail_opt_ins",
  "invitations",
  "person_languages",
  "person_reminders",
];

type Run = (sql: string) => number;

/**
 * Takes over items whose creation was sent since and got no answer, with their edits that wait or have ended. Without them what
 * was created would come in as somebody else's, and would be created again by the program that made it.
 */
function takeLostCreations(db: Database.Database, run: Run): void {
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
    // Generated columns are not among them.
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
 * Learns what was sent since for edits in the copy: a request without an answer may still be carried out. A deletion that was
 * carried out must not delete what was created under the same UID since.
 */
function learnProgress(run: Run): void {
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
  // Whatever a half-done move left behind goes along, with what others have changed of it since.
  run(
    `UPDATE main.edits AS o SET before = (SELECT r.before FROM replaced.edits r WHERE r.id = o.id)
     WHERE patch ->> 'place' IS NOT NULL AND ${isInBoth("o.id")}
       AND EXISTS (SELECT 1 FROM replaced.edits r WHERE r.id = o.id AND r.before IS NOT NULL)`,
  );
}

/**
 * Edits that waited when the copy was made may have been applied since. Creating edits count as sent without an answer, so that
 * their items are looked up first. Changes and deletions read their item first anyway. If nothing is known of the time since, a
 * request may have been sent a moment ago.
 */
function lookUpFirst(run: Run, { knowsSince }: { readonly knowsSince: boolean }): number {
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

/** Items that appeared since keep the UIDs that programs know, and items created or recreated since get their id and kind. */
function learnNames(run: Run): void {
  // An item whose move is in progress is looked for where it may have been created.
  const remade = `SELECT i.item, i.kind AS former_kind, i.service_id AS former, r.kind, r.service_id
    FROM main.identities i JOIN replaced.identities r USING (item, uid)
    WHERE r.service_id IS NOT NULL AND i.service_id IS NOT r.service_id AND NOT EXISTS (
      SELECT 1 FROM main.edits e WHERE e.item = i.item AND e.state IN ('pending', 'claimed', 'held', 'parked')
        AND e.patch ->> 'place' IS NOT NULL AND i.service_id IS NOT NULL)`;
  // Subtasks of a recreated task disappeared with its former id.
  const isBelowFormer = `IN (SELECT 'subtasks:' || former FROM (${remade}) WHERE former_kind = 'task')`;
  run(
    `DELETE FROM main.view_items WHERE item IN (SELECT item FROM main.mirror_items WHERE source ${isBelowFormer})`,
  );
  run(`DELETE FROM main.mirror_items WHERE source ${isBelowFormer}`);
  run(
    `UPDATE identities SET service_id = r.service_id, kind = r.kind FROM (${remade}) r
     WHERE r.item = identities.item
       AND NOT EXISTS (SELECT 1 FROM main.identities o WHERE o.kind = r.kind AND o.service_id = r.service_id)`,
  );
  run(
    `INSERT OR IGNORE INTO identities SELECT * FROM replaced.identities r WHERE r.service_id IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM main.identities o WHERE o.item = r.item)`,
  );
  run(
    `INSERT OR IGNORE INTO object_names SELECT * FROM replaced.object_names n
     WHERE EXISTS (SELECT 1 FROM main.identities i JOIN replaced.identities r USING (item, uid) WHERE i.item = n.item)`,
  );
}

/**
 * Learns what subscribed calendars have shown. If unknown, they are read as for the first time, so that their items are not
 * created again.
 */
function takeSubscriptions(run: Run, knowsSince: boolean): void {
  run("DELETE FROM subscription_items");
  if (knowsSince) {
    run("DELETE FROM subscriptions");
    run("INSERT INTO subscriptions SELECT * FROM replaced.subscriptions");
    run("INSERT INTO subscription_items SELECT * FROM replaced.subscription_items");
  } else {
    run(
      "UPDATE subscriptions SET etag = NULL, last_modified = NULL, body = NULL, baseline_at = NULL, next_at = NULL",
    );
  }
}

/** Raises numbers, so that no id, SEQUENCE or date that somebody has seen is reused or decreases. */
function raiseNumbers(
  db: Database.Database,
  { knowsSince, run }: { readonly knowsSince: boolean; readonly run: Run },
): void {
  run(
    `INSERT INTO sqlite_sequence (name, seq) SELECT name, 0 FROM main.sqlite_schema
     WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%' AND name NOT IN (SELECT name FROM main.sqlite_sequence)`,
  );
  const newest = knowsSince
    ? "max(seq, coalesce((SELECT r.seq FROM replaced.sqlite_sequence r WHERE r.name = main.sqlite_sequence.name), 0))"
    : "seq";
  db.prepare(`UPDATE main.sqlite_sequence SET seq = ${newest} + ${gap}`).run();
  // Objects put by programs have their own SEQUENCE, which may be higher than the item's.
  db.function("shown_sequence", { deterministic: true }, (raw: unknown, version: unknown) =>
    risenSequenceOf(String(raw), Number(version)),
  );
  const shown = knowsSince
    ? `max(sequence, coalesce((SELECT max(r.sequence,
         coalesce((SELECT max(shown_sequence(o.raw, r.sequence)) FROM replaced.objects o WHERE o.item = r.item AND o.body IS NOT NULL), 0),
         coalesce((SELECT max(shown_sequence(h.raw, r.sequence)) FROM replaced.edits e JOIN replaced.held_objects h ON h.edit = e.id
           WHERE e.item = r.item AND h.body IS NOT NULL), 0))
       FROM replaced.identities r WHERE r.uid = main.identities.uid), 0))`
    : "sequence";
  const second = "strftime('%Y-%m-%dT%H:%M:%SZ', @now)";
  run(
    `UPDATE identities SET sequence = ${shown} + ${sequenceGap}, modified_at = max(modified_at, ${second})`,
  );
  // The number identifies what is shown, as a copy that is edited later names it.
  const columns = "item, revision, sequence, at, collection, content, modified_at, had, edited";
  const latest = knowsSince
    ? "max(v.revision, coalesce((SELECT max(r.revision) FROM replaced.versions r WHERE r.item = v.item), 0))"
    : "v.revision";
  run(
    `INSERT INTO versions (${columns})
     SELECT v.item, ${latest} + 1, i.sequence, @now, v.collection, v.content, i.modified_at, v.had, v.edited
     FROM versions v JOIN identities i USING (item)
     WHERE v.content IS NOT NULL AND v.revision = (SELECT max(revision) FROM versions WHERE item = v.item)`,
  );
  // Programs may have copies of what was shown since.
  if (knowsSince) {
    run(
      `INSERT OR IGNORE INTO main.versions (${columns}) SELECT ${columns} FROM replaced.versions v
       WHERE EXISTS (SELECT 1 FROM main.identities i JOIN replaced.identities r USING (item, uid) WHERE i.item = v.item)`,
    );
  }
  // Octets put by programs get the new SEQUENCE, and feeds are written anew.
  run("UPDATE objects SET stale = 1");
  run("UPDATE held_objects SET stale = 1");
  run("DELETE FROM fragments");
  run(`UPDATE feed_states SET inputs = '', etag = '', modified_at = max(modified_at, ${second})`);
}

/** Nothing revoked since the copy was made works again. If that is unknown, only browser sessions are ended. */
function shutDoors(
  run: Run,
  knowsSince: boolean,
): Pick<NewLifeReport, "logInsEnded" | "passwords" | "feedsKeptShut"> {
  const logInsEnded = run("DELETE FROM sessions");
  run("DELETE FROM login_links");
  const dropped = knowsSince
    ? run(
        `DELETE FROM app_passwords WHERE NOT EXISTS (SELECT 1 FROM replaced.app_passwords r
           WHERE r.person = app_passwords.person AND r.digest = app_passwords.digest)`,
      )
    : 0;
  if (knowsSince)
    run("INSERT OR IGNORE INTO app_passwords SELECT * FROM replaced.app_passwords WHERE true");
  if (knowsSince) {
    run(
      "DELETE FROM access_tokens WHERE digest NOT IN (SELECT digest FROM replaced.access_tokens)",
    );
  }
  const kept = run("UPDATE app_passwords SET created_at = created_at");
  const feedsKeptShut = knowsSince
    ? run(
        `UPDATE feeds SET version = r.version, revoked_at = coalesce(feeds.revoked_at, r.revoked_at) FROM replaced.feeds r
         WHERE r.id = feeds.id AND r.created_at = feeds.created_at
           AND (r.version > feeds.version OR (r.revoked_at IS NOT NULL AND feeds.revoked_at IS NULL))`,
      )
    : 0;
  return { logInsEnded, passwords: { kept, dropped }, feedsKeptShut };
}

const reminders = isOfKinds(reminderKinds);

/** Learns which mails the replaced database knows were sent. */
const takeLedgers = (run: Run): number =>
  run(
    `INSERT INTO main.outbox SELECT * FROM replaced.outbox WHERE ${reminders}
     ON CONFLICT DO UPDATE SET state = excluded.state, settled_at = excluded.settled_at, not_before = excluded.not_before
       WHERE outbox.state <> excluded.state`,
  );

/** Forgets state of the moment: rounds of reading, the service's last answers, requests just made. */
function forgetMoments(run: Run, quota: number): void {
  run("DELETE FROM page_readings");
  run("DELETE FROM applied_bodies");
  run("DELETE FROM applied_pages");
  run("DELETE FROM rounds");
  // They are looked up again, as nothing else asks for tasks of a deleted list.
  run("UPDATE absences SET confirmed_at = NULL");
  run("UPDATE sources SET attempted_at = NULL, failure = NULL, failures = 0, round = NULL");
  run("DELETE FROM reported_troubles");
  run("DELETE FROM gate_slots");
  for (let slot = 0; slot < quota; slot += 1) {
    run(`INSERT INTO gate_slots (slot, started_at, answered_at) VALUES (${slot}, @now, @now)`);
  }
  // A mail that was being sent may have gone out since. Reminders that are due from now on are sent.
  const unsettled = "state IN ('claimed', 'deferred')";
  run(`UPDATE outbox SET state = 'dropped', settled_at = @now WHERE ${reminders} AND ${unsettled}`);
  for (const way of ["mail", "webhook"]) {
    run(
      `INSERT OR IGNORE INTO outbox (way, kind, subject, occasion, lead, person, state, message_id, claimed_at, settled_at)
       SELECT '${way}', 'notice', id, updated_at, '', actor, 'sent', 'restored-' || id, @now, @now FROM edits
       WHERE state = 'parked' AND actor IS NOT NULL`,
    );
  }
  run(
    `UPDATE outbox SET state = 'sent', settled_at = @now, not_before = NULL WHERE kind = 'notice' AND ${unsettled}`,
  );
}

/**
 * Nothing revoked since the backup works again, as far as the damaged database can tell: feeds that were revoked or rotated,
 * browser sessions, app passwords. Messages to the operator from then belong to another trouble.
 */
export function takeWhatWasShut(copy: string, damaged: string): void {
  const db = new Database(copy);
  try {
    const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    for (const table of [
      ...["sessions", "login_links", "login_mails", "app_passwords", "access_tokens"],
      // With the messages about them; older backups have tables for these.
      ...["operator_messages", "reported_troubles", "troubles"],
    ]) {
      if (names.includes(table)) db.exec(`DELETE FROM ${table}`);
    }
    const shut = db.prepare(
      `UPDATE feeds SET version = max(version, @version), revoked_at = coalesce(revoked_at, @revoked_at)
       WHERE id = @id AND created_at = @created_at`,
    );
    const opened = openReadOnly(damaged);
    if (!opened.ok) return;
    try {
      const rows = opened.value.db
        .prepare("SELECT id, created_at, version, revoked_at FROM feeds")
        .all();
      for (const row of rows) shut.run(row);
    } catch {
      // As after a restore: what cannot be read keeps its old state.
    } finally {
      opened.value.close();
    }
  } finally {
    db.close();
  }
}
