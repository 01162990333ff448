import Database from "better-sqlite3";
import { longestInFlight } from "../../domain/edit.ts";
import { risenSequenceOf } from "../../domain/object-version.ts";
import { messageOf } from "../../domain/result.ts";
import { migrate } from "../migrate.ts";
import { openReadOnly } from "../reading/read-only.ts";
import { instantText, numberColumn, textColumn } from "../rows/item-rows.ts";
import { isOfKinds, reminderKinds } from "../rows/mail-rows.ts";
import { copyLostCreations, copyProgress, lookUpFirst, type Run } from "./restored-edits.ts";
import { revokeSince } from "./revocations.ts";

/** Facts about a restore. */
export interface RestoreContext {
  readonly migrations: string;
  /** A new text, which invalidates what clients know. */
  readonly epoch: string;
  readonly now: Temporal.Instant;
  /** When the copy was made. It lacks everything done since. */
  readonly madeAt: Temporal.Instant;
  /** Requests in the service's quota. All of them may have been used just now. */
  readonly quota: number;
  /** Path of the database being replaced, which has what happened since; null = there is none. */
  readonly replaced: string | null;
}

/** What was changed in the copy, for people. */
export interface RestoreReport {
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
 * Prepares a checked copy of the database to replace the present one. Programs, people and the service have seen things since it
 * was made that it does not have. Throws if it cannot be migrated to this build.
 */
export function prepareRestore(file: string, context: RestoreContext): RestoreReport {
  const db = new Database(file);
  try {
    // One file, as a file moved into place has no log beside it.
    db.pragma("journal_mode = DELETE");
    db.pragma("synchronous = FULL");
    db.pragma("foreign_keys = ON");
    migrate(db, context.migrations);
    const since = openReplaced(db, context.replaced);
    try {
      return db.transaction(() => restore(db, { context, knowsSince: since })).immediate();
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

interface Restoration {
  readonly context: RestoreContext;
  readonly knowsSince: boolean;
}

function restore(db: Database.Database, { context, knowsSince }: Restoration): RestoreReport {
  const now = instantText(context.now);
  const landing = instantText(context.now.add(longestInFlight));
  const madeAt = context.madeAt.toString();
  const run = (sql: string): number => {
    const named = Object.fromEntries(
      Object.entries({ now, landing, madeAt, epoch: context.epoch }).filter(([name]) =>
        sql.includes(`@${name}`),
      ),
    );
    const statement = db.prepare(sql);
    return (Object.keys(named).length > 0 ? statement.run(named) : statement.run()).changes;
  };
  const count = (sql: string): number => numberColumn(db.prepare(sql).get(), "count");
  if (knowsSince) copyLostCreations(db, run);
  const newerEdits = knowsSince
    ? count(
        `SELECT count(*) AS count FROM replaced.edits r WHERE r.state IN ('pending', 'claimed', 'held', 'parked')
           AND NOT EXISTS (SELECT 1 FROM main.edits e WHERE e.id = r.id AND e.created_at = r.created_at)`,
      )
    : 0;

  if (knowsSince) copyProgress(run);
  const lookedUp = lookUpFirst(run, { knowsSince });
  if (knowsSince) copyNames(run);
  raiseNumbers(db, { knowsSince, run });
  const revoked = revokeSince(run, knowsSince);
  const mailsKnown = knowsSince ? copySentMails(run) : 0;
  if (knowsSince) {
    for (const table of keptTables) {
      run(`DELETE FROM ${table}`);
      run(`INSERT INTO ${table} SELECT * FROM replaced.${table}`);
    }
  }
  resetOutdated(run, context.quota);
  copySubscriptions(run, knowsSince);
  for (const [name, value] of [
    ["epoch", context.epoch],
    ["restored_at", now],
    ["reconcile_since", now],
  ]) {
    db.prepare(
      "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
    ).run(name, value);
  }
  return { ...revoked, lookedUp, mailsKnown, newerEdits, knowsSince };
}

/** Choices of people, and their invitations, are kept as they are now. */
const keptTables = [
  "mail_choices",
  "mail_opt_ins",
  "invitations",
  "person_languages",
  "person_reminders",
];

/** Copies UIDs and names of items that appeared since, and the ids of items created or recreated since. */
function copyNames(run: Run): void {
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
 * Copies what subscribed calendars have shown. If unknown, they are read as for the first time, so that their items are not
 * created again.
 */
function copySubscriptions(run: Run, knowsSince: boolean): void {
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
  // Each item is stored under its new SEQUENCE, which names the version if a program edits it later.
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
  // Programs may have the versions shown since.
  if (knowsSince) {
    run(
      `INSERT OR IGNORE INTO main.versions (${columns}) SELECT ${columns} FROM replaced.versions v
       WHERE EXISTS (SELECT 1 FROM main.identities i JOIN replaced.identities r USING (item, uid) WHERE i.item = v.item)`,
    );
  }
  // Octets put by programs get the new SEQUENCE, and feeds are written again.
  run("UPDATE objects SET stale = 1");
  run("UPDATE held_objects SET stale = 1");
  run("DELETE FROM fragments");
  run(`UPDATE feed_states SET inputs = '', etag = '', modified_at = max(modified_at, ${second})`);
}

const reminders = isOfKinds(reminderKinds);

/** Copies which mails were sent since; returns how many. */
const copySentMails = (run: Run): number =>
  run(
    `INSERT INTO main.outbox SELECT * FROM replaced.outbox WHERE ${reminders}
     ON CONFLICT DO UPDATE SET state = excluded.state, settled_at = excluded.settled_at, not_before = excluded.not_before
       WHERE outbox.state <> excluded.state`,
  );

/** Resets state that is outdated: rounds of reading, the service's last answers, requests just made. */
function resetOutdated(run: Run, quota: number): void {
  run("DELETE FROM page_readings");
  run("DELETE FROM applied_bodies");
  run("DELETE FROM applied_pages");
  run("DELETE FROM rounds");
  // Looked up again, as no poll would find the tasks of a deleted list.
  run("UPDATE absences SET confirmed_at = NULL");
  run("UPDATE sources SET attempted_at = NULL, failure = NULL, failures = 0, round = NULL");
  run("DELETE FROM reported_troubles");
  run("DELETE FROM gate_slots");
  for (let slot = 0; slot < quota; slot += 1) {
    run(`INSERT INTO gate_slots (slot, started_at, answered_at) VALUES (${slot}, @now, @now)`);
  }
  // A mail that was being sent may have been delivered since. Only reminders due from now on are sent.
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
