import { type AppPasswords, createAppPasswords } from "./calendars/app-passwords.ts";
import {
  type CalendarProperties,
  createCalendarProperties,
} from "./calendars/calendar-properties.ts";
import { createHeldObjects, type HeldObjects } from "./calendars/held-objects.ts";
import { createObjectNames, type ObjectNames } from "./calendars/object-names.ts";
import { createObjects, type Objects } from "./calendars/objects.ts";
import { createFeeds, type Feeds } from "./channels/feeds.ts";
import { createInboxFiles, type InboxFiles } from "./channels/inbox-files.ts";
import { createSubscriptions, type Subscriptions } from "./channels/subscriptions.ts";
import { createEndedSessions, type EndedSessions } from "./ended-sessions.ts";
import { createGateSlots, type GateSlots } from "./gate-slots.ts";
import { type Candidates, createCandidates } from "./journal/candidates.ts";
import { createExtras, type Extras } from "./journal/extras.ts";
import { createJournal, type Journal } from "./journal/journal.ts";
import { createMoves, type Moves } from "./journal/moves.ts";
import { createPastEdits, type PastEdits } from "./journal/past-edits.ts";
import { createRequests, type Requests } from "./journal/requests.ts";
import { createUnanswered, type Unanswered } from "./journal/unanswered.ts";
import { createWaits, type Waits } from "./journal/waits.ts";
import { createLedger, type Ledger } from "./mails/ledger.ts";
import { createMailChoices, type MailChoices } from "./mails/mail-choices.ts";
import { createNotices, type Notices } from "./mails/notices.ts";
import { type Meta, readMeta } from "./meta.ts";
import { migrate } from "./migrate.ts";
import { type Comments, createComments } from "./mirror/comments.ts";
import { createDirectory, type Directory } from "./mirror/directory.ts";
import { createFiles, type Files } from "./mirror/files.ts";
import { createHistory, type History } from "./mirror/history.ts";
import { createKeySights, type KeySights } from "./mirror/key-sights.ts";
import { createMirror, type Mirror } from "./mirror/mirror.ts";
import { createRounds, type Rounds } from "./mirror/rounds.ts";
import { createSideSources, type SideSources } from "./mirror/side-sources.ts";
import {
  type Absences,
  type Brakes,
  createAbsences,
  createBrakes,
  createSources,
  type Sources,
} from "./mirror/sources.ts";
import { keepFilePrivate } from "./private-files.ts";
import { SteadyDatabase } from "./steady-database.ts";
import { createStorageHealth, type StorageHealth } from "./storage-health.ts";
import { createTransactions, type Transactions } from "./transactions.ts";
import { type Changes, createChanges, type StoreDeps } from "./view/changes.ts";
import { createDateMoves, type DateMoves } from "./view/date-moves.ts";
import { createView, type View } from "./view/view.ts";

export interface StoreOptions {
  /** Path of the database, or ":memory:". */
  readonly file: string;
  readonly migrations: string;
  /** The account's zone. */
  readonly zone: string;
  readonly clock: () => Temporal.Instant;
  readonly randomId: () => string;
}

/** Everything that is kept: one SQLite database with one room per table or two. */
export interface Store extends Transactions {
  readonly health: StorageHealth;
  /** The account's, on whose clocks times are told. */
  readonly zone: string;
  readonly meta: Meta;
  readonly mirror: Mirror;
  readonly view: View;
  readonly changes: Changes;
  readonly journal: Journal;
  readonly unanswered: Unanswered;
  readonly candidates: Candidates;
  readonly requests: Requests;
  readonly moves: Moves;
  readonly waits: Waits;
  readonly pastEdits: PastEdits;
  readonly directory: Directory;
  readonly keySights: KeySights;
  readonly sources: Sources;
  readonly rounds: Rounds;
  readonly absences: Absences;
  readonly brakes: Brakes;
  readonly ledger: Ledger;
  readonly notices: Notices;
  readonly mailChoices: MailChoices;
  readonly dateMoves: DateMoves;
  readonly feeds: Feeds;
  readonly gateSlots: GateSlots;
  readonly inboxFiles: InboxFiles;
  readonly subscriptions: Subscriptions;
  readonly sideSources: SideSources;
  readonly comments: Comments;
  readonly history: History;
  readonly files: Files;
  readonly objects: Objects;
  readonly objectNames: ObjectNames;
  readonly heldObjects: HeldObjects;
  readonly appPasswords: AppPasswords;
  readonly endedSessions: EndedSessions;
  readonly calendarProperties: CalendarProperties;
  readonly extras: Extras;
  close(): void;
}

/** Opens the database and brings it up to date. Throws `MigrationError` when it does not fit this build. */
export function openStore({ file, migrations, zone, clock, randomId }: StoreOptions): Store {
  // The log beside it gets the rights of the database.
  if (file !== ":memory:") keepFilePrivate(file);
  const db = new SteadyDatabase(file, { timeout: 5000 });
  try {
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = NORMAL");
    db.pragma("foreign_keys = ON");
    // A transaction inside another one would open a file to be undone from.
    db.pragma("temp_store = MEMORY");
    migrate(db, migrations);
    return assemble({ db, zone, clock }, randomId);
  } catch (error) {
    db.close();
    throw error;
  }
}

function assemble(deps: StoreDeps, randomId: () => string): Store {
  const meta = readMeta({ ...deps, randomId });
  const changes = createChanges(deps);
  const unanswered = createUnanswered(deps);
  const { installation } = meta;
  const mirror = createMirror({ ...deps, changes, installation, unanswered });
  const view = createView(deps);
  const objectNames = createObjectNames(deps);
  const heldObjects = createHeldObjects(deps);
  return {
    health: createStorageHealth(deps),
    zone: deps.zone,
    meta,
    mirror,
    changes,
    view,
    journal: createJournal({ ...deps, changes, mirror, objectNames, heldObjects, unanswered }),
    unanswered,
    candidates: createCandidates(deps),
    requests: createRequests(deps),
    moves: createMoves(deps),
    waits: createWaits(deps),
    pastEdits: createPastEdits(deps),
    directory: createDirectory({ ...deps, changes }),
    keySights: createKeySights({ ...deps, changes }),
    sources: createSources(deps),
    rounds: createRounds(deps),
    absences: createAbsences(deps),
    brakes: createBrakes(deps),
    ledger: createLedger(deps),
    notices: createNotices(deps),
    mailChoices: createMailChoices(deps),
    dateMoves: createDateMoves({ ...deps, view }),
    feeds: createFeeds(deps),
    gateSlots: createGateSlots(deps),
    inboxFiles: createInboxFiles(deps),
    subscriptions: createSubscriptions(deps),
    sideSources: createSideSources(deps),
    comments: createComments(deps),
    history: createHistory(deps),
    files: createFiles(deps),
    objects: createObjects(deps),
    objectNames,
    heldObjects,
    appPasswords: createAppPasswords(deps),
    endedSessions: createEndedSessions(deps),
    calendarProperties: createCalendarProperties(deps),
    extras: createExtras(deps),
    ...createTransactions(deps.db),
    close: () => deps.db.close(),
  };
}
