import Database from "better-sqlite3";
import { lazy } from "../domain/lazy.ts";
import {
  createCalendarProperties,
  createObjectNames,
  createObjects,
} from "./calendars/dav-resources.ts";
import { createHeldObjects } from "./calendars/held-objects.ts";
import { createPushQueue, createPushRegistrations } from "./calendars/push-registrations.ts";
import { createAppPasswords, createLogIns } from "./calendars/sign-ins.ts";
import { createAccessTokenTable } from "./calendars/token-table.ts";
import { createCachePurges } from "./channels/cache-purges.ts";
import { createFeedFetches, createFeeds } from "./channels/feed-states.ts";
import { createInboxFiles, createSubscriptions } from "./channels/incoming-channels.ts";
import { createFutureWaits } from "./future-waits.ts";
import { createGauges } from "./gauges.ts";
import { createAttempts, createCandidates } from "./journal/attempts.ts";
import { createWaits } from "./journal/claims.ts";
import { createEditSearch } from "./journal/edit-search.ts";
import { createEditSteps } from "./journal/edit-steps.ts";
import { createExtras } from "./journal/extra-states.ts";
import { createJournal } from "./journal/journal.ts";
import { createMoves, createPastEdits } from "./journal/past-edits.ts";
import { createUnanswered } from "./journal/unanswered.ts";
import { createEventHookTable } from "./mails/event-hook-table.ts";
import { createHookCursors } from "./mails/hook-cursors.ts";
import { createInvitationTable } from "./mails/invitation-table.ts";
import { createLedger, createNotices, createWebhookLedger } from "./mails/ledger.ts";
import { createLogInLinks } from "./mails/log-in-links.ts";
import { createOperatorMessages } from "./mails/operator-messages.ts";
import { createMailChoices } from "./mails/opt-outs.ts";
import { createPersonLanguages, createPersonReminders } from "./mails/person-settings.ts";
import { createPersonWebhooks } from "./mails/person-webhooks.ts";
import { migrate, wouldChange } from "./migrate.ts";
import { createBeliefs } from "./mirror/beliefs.ts";
import { createDirectory, createKeyAccessTable } from "./mirror/directory.ts";
import { createKeptBodies } from "./mirror/kept-bodies.ts";
import { createListAges } from "./mirror/list-ages.ts";
import { createMirror } from "./mirror/mirror.ts";
import { createPageReadings, createRounds } from "./mirror/rounds.ts";
import {
  createCommentMirror,
  createFileMirror,
  createHistory,
  createSideSources,
} from "./mirror/side-mirror.ts";
import { createAbsences, createBrakes, createSources } from "./mirror/sources.ts";
import { keepFilePrivate } from "./private-files.ts";
import { gateRestRow, gateSlotRow, textColumn } from "./rows/item-rows.ts";
import { instantOf } from "./rows/row.ts";
import { bound, upsert } from "./rows/write-row.ts";
import { createTransactions, type StoreDeps, storeDatabase } from "./steady-database.ts";
import { createStorageHealth } from "./storage-health.ts";
import { createTopicWatch } from "./topic-watch.ts";
import { createTroubles } from "./troubles.ts";
import { createDateMoves } from "./view/date-moves.ts";
import { createItemSearch } from "./view/item-search.ts";
import { createChanges } from "./view/publish-changes.ts";
import { createView } from "./view/view.ts";

interface StoreOptions {
  /** Path of the database, or its contents, which are opened as a copy in memory. */
  readonly file: string | Buffer;
  readonly migrations: string;
  /** The account's zone. */
  readonly zone: string;
  readonly clock: () => Temporal.Instant;
  readonly randomId: () => string;
  /** Called before an existing database is migrated; throws to prevent it. */
  readonly beforeMigration?: () => void;
}

/** All stored data: one SQLite database, with one property per table or two. */
export type Store = ReturnType<typeof createStore>;

/** Opens the database and migrates it. Throws `MigrationError` if it does not fit this build. */
export function openStore({
  file,
  migrations,
  zone,
  clock,
  randomId,
  beforeMigration,
}: StoreOptions): Store {
  // The log beside it gets the database's permissions.
  if (typeof file === "string" && file !== ":memory:") keepFilePrivate(file);
  const db = new Database(file, { timeout: 5000 });
  try {
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = NORMAL");
    db.pragma("foreign_keys = ON");
    // A nested transaction would open a temporary file for its rollback.
    db.pragma("temp_store = MEMORY");
    // 4 MB of cache instead of 16. The operating system caches pages too, and nothing is slower.
    db.pragma("cache_size = -4000");
    if (beforeMigration && wouldChange(db, migrations)) beforeMigration();
    migrate(db, migrations);
    return createStore({ db: storeDatabase(db), zone, clock }, randomId);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The repositories of a migrated database. */
export function createStore(deps: StoreDeps, randomId: () => string) {
  const meta = readMeta({ ...deps, randomId });
  const changes = createChanges(deps);
  const attempts = createAttempts(deps);
  const unanswered = createUnanswered(deps);
  const { installation } = meta;
  const bodies = createKeptBodies(deps);
  const mirror = createMirror({ ...deps, changes, installation, unanswered, bodies });
  const view = createView({ ...deps, findIdentity: (uid) => mirror.findUid(uid) });
  const objectNames = createObjectNames(deps);
  const heldObjects = createHeldObjects({ ...deps, changes });
  return {
    health: createStorageHealth(deps),
    /** The account's zone, in which times are shown. */
    zone: deps.zone,
    meta,
    keyLosses: createKeyLosses(deps),
    mirror,
    bodies,
    changes,
    view,
    itemSearch: createItemSearch(deps),
    journal: createJournal({
      ...{ ...deps, changes, mirror, objectNames, heldObjects },
      ...{ attempts, unanswered },
    }),
    attempts,
    unanswered,
    candidates: createCandidates(deps),
    moves: createMoves(deps),
    waits: createWaits(deps),
    futureWaits: createFutureWaits(deps),
    pastEdits: createPastEdits(deps),
    editSteps: createEditSteps(deps),
    editSearch: createEditSearch(deps),
    directory: createDirectory({ ...deps, changes }),
    keyAccess: createKeyAccessTable({ ...deps, changes }),
    sources: createSources(deps),
    rounds: createRounds(deps),
    pageReadings: createPageReadings(deps),
    beliefs: createBeliefs(deps),
    absences: createAbsences(deps),
    brakes: createBrakes(deps),
    invitations: createInvitationTable(deps),
    eventHooks: createEventHookTable(deps),
    hookCursors: createHookCursors(deps),
    ledger: createLedger(deps),
    notices: createNotices(deps),
    mailChoices: createMailChoices(deps),
    personLanguages: createPersonLanguages(deps),
    pushRegistrations: createPushRegistrations(deps),
    pushQueue: createPushQueue(deps),
    personReminders: createPersonReminders(deps),
    personWebhooks: createPersonWebhooks(deps),
    /** Messages to people by webhook; created at first use, as most installations have none. */
    byWebhook: lazy(() => ({
      ledger: createWebhookLedger(deps),
      notices: createNotices(deps, "webhook"),
    })),
    dateMoves: createDateMoves({ ...deps, view }),
    feeds: createFeeds(deps),
    feedFetches: createFeedFetches(deps),
    cachePurges: createCachePurges(deps),
    gateSlots: createGateSlots(deps),
    inboxFiles: createInboxFiles(deps),
    subscriptions: createSubscriptions(deps),
    sideSources: createSideSources(deps),
    comments: createCommentMirror(deps),
    history: createHistory(deps),
    files: createFileMirror(deps),
    objects: createObjects(deps),
    objectNames,
    heldObjects,
    appPasswords: createAppPasswords(deps),
    accessTokens: createAccessTokenTable(deps),
    logIns: createLogIns(deps),
    logInLinks: createLogInLinks(deps),
    calendarProperties: createCalendarProperties(deps),
    extras: createExtras(deps),
    troubles: createTroubles(deps),
    operatorMessages: createOperatorMessages(deps),
    topics: createTopicWatch(deps),
    listAges: createListAges(deps),
    /** Created at first use, as most daemons serve no metrics. */
    gauges: () => createGauges(deps),
    ...createTransactions(deps.db),
    close: (): void => void deps.db.close(),
  };
}

/** Facts about this installation that only a restore changes. */
interface Meta {
  /** Right side of the UIDs; made once. */
  readonly installation: string;
  /** Changes when a backup is restored, which invalidates what clients know from before. */
  readonly epoch: string;
  /** When this installation first ran. */
  readonly installedAt: Temporal.Instant;
  /** When it was last restored from a backup, after which programs may have seen more than it knows. Null = never. */
  readonly restoredAt: Temporal.Instant | null;
}

/** A key file that was missing at startup, so that another key was made. */
export interface KeyLoss {
  readonly name: string;
  readonly print: string;
  readonly at: Temporal.Instant;
}

function readMeta({ db, clock, randomId }: StoreDeps & { readonly randomId: () => string }): Meta {
  const get = db.prepare("SELECT value FROM meta WHERE name = ?");
  const set = db.prepare("INSERT OR IGNORE INTO meta (name, value) VALUES (?, ?)");
  const fact = (name: string, first: () => string): string => {
    set.run(name, first());
    return textColumn(get.get(name), "value") ?? "";
  };
  return {
    installation: fact(
      "installation",
      () => `${randomId().replaceAll("-", "").slice(0, 16)}.dayferry`,
    ),
    epoch: fact("epoch", randomId),
    installedAt: Temporal.Instant.from(fact("installed_at", () => clock().toString())),
    restoredAt: instantOf(textColumn(get.get("restored_at"), "value")),
  };
}

/** Key files of an existing installation that were missing at startup. */
function createKeyLosses({ db, clock }: StoreDeps) {
  const prefix = "key_lost:";
  const replace = db.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)");
  const losses = db.rows(
    `SELECT name, value FROM meta WHERE name LIKE '${prefix}%' ORDER BY name`,
    (row) => {
      const [at = "", print = ""] = (textColumn(row, "value") ?? "").split(" ");
      const name = (textColumn(row, "name") ?? "").slice(prefix.length);
      return { name, print, at: Temporal.Instant.from(at) };
    },
  );
  return {
    /** `print`: hash of the key made instead. */
    note: (name: string, print: string): void =>
      void replace.run(`${prefix}${name}`, `${clock().toString()} ${print}`),
    all: (): readonly KeyLoss[] => losses.all(),
  };
}

type GateSlot = ReturnType<typeof gateSlotRow>;
type GateRest = ReturnType<typeof gateRestRow>;

/** The requests and the pause that the rate limiter remembers across a restart. */
function createGateSlots({ db }: StoreDeps) {
  const all = db.rows("SELECT * FROM gate_slots ORDER BY slot", gateSlotRow);
  const clear = db.prepare("DELETE FROM gate_slots WHERE slot >= ?");
  const put = db.prepare(
    upsert("gate_slots", { key: ["slot"], columns: ["started_at", "answered_at"] }),
  );
  const rest = db.rows("SELECT * FROM gate_rest", gateRestRow);
  const putRest = db.prepare(
    upsert("gate_rest", {
      key: ["id"],
      columns: ["noted_at", "paused_until", "share", "quiet_since"],
    }),
  );
  return {
    loadRest: (): GateRest | null => rest.find(),
    saveRest: (rest: GateRest): void => void putRest.run(bound({ ...rest, id: 1 })),
    load: (): readonly GateSlot[] => all.all(),
    save: db.transaction((slots: readonly GateSlot[]): void => {
      for (const [slot, { startedAt, answeredAt }] of slots.entries())
        put.run({
          slot,
          startedAt: startedAt.toString(),
          answeredAt: answeredAt?.toString() ?? null,
        });
      clear.run(slots.length);
    }),
  };
}

export type { TransactionState, Transactions } from "./steady-database.ts";
