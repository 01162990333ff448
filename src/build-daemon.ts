import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DavDeps } from "./caldav/dav-request.ts";
import { createCalendars } from "./calendars/create-calendars.ts";
import { type Channels, openChannels } from "./channels.ts";
import type { LocalRooms } from "./cli/command-host.ts";
import type { Config } from "./config/config.ts";
import { fail, ok, type Result } from "./domain/result.ts";
import { createLinkSigner } from "./domain/signed-links.ts";
import { sourceOf } from "./domain/source.ts";
import { createEditActions } from "./edits/actions/edit-actions.ts";
import { createDrain } from "./edits/delivery/drain.ts";
import { createEditWaker, type EditWaker } from "./edits/delivery/edit-waker.ts";
import { type AcceptDeps, createAccept, createAcceptItems } from "./edits/intake/accept.ts";
import { createAcceptMove } from "./edits/intake/accept-move.ts";
import { type ActionLinks, createActionLinks } from "./edits/links/action-links.ts";
import { createServiceActions } from "./edits/workspace/service-actions.ts";
import { createPublishedFeeds } from "./feeds/published-feeds.ts";
import { largestFile } from "./ics/lines/octets.ts";
import type { Log } from "./log.ts";
import { createWake, type Wake } from "./loop.ts";
import { type AccessControl, createAccessControl } from "./people/people.ts";
import { type DataLock, lockDataDirectory } from "./store/data-lock.ts";
import { knownValuesIn } from "./store/mirror/mirror.ts";
import { closeFolder, keepFolderPrivate } from "./store/private-files.ts";
import { secretFile } from "./store/secret-files.ts";
import { openStore } from "./store/store.ts";
import { createKeyAccess } from "./sync/key-access.ts";
import { createSync } from "./sync/sync.ts";
import { createUpstream } from "./upstream/client.ts";

/** The clocks and the source of randomness of this process; `main` passes them in. */
export interface Runtime {
  readonly clock: () => Temporal.Instant;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
  readonly random: () => number;
}

/** The rooms that work on one data directory, and what `serve` needs of them beyond what commands do. */
export interface Rooms extends LocalRooms {
  readonly adminToken: string;
  /** Null where feeds have no action links. */
  readonly links: ActionLinks | null;
  readonly channels: Channels;
  readonly accessControl: AccessControl;
  /** Asks the service which projects people's own keys can access. */
  readonly keyAccess: (signal: AbortSignal) => Promise<void>;
  /** The dependencies of the CalDAV router, but for the address and the log. */
  readonly dav: Omit<DavDeps, "publicUrl" | "log">;
  readonly wakeDrain: Wake;
  readonly editWaker: EditWaker;
  readonly wakeEditWaker: Wake;
  readonly wakeReminders: Wake;
  readonly wakeNotices: Wake;
  readonly log: Log;
}

const migrations = fileURLToPath(new URL("../migrations", import.meta.url));

/**
 * Takes the data directory and builds every room on it. Fails with a sentence when another process holds it; throws
 * when the database does not fit this build.
 */
export function openRooms(
  config: Config,
  { clock, monotonic, random, log }: Runtime & { readonly log: Log },
): Result<Rooms, string> {
  keepFolderPrivate(config.dataDir);
  if (config.mail.smtpUrl === null) closeFolder(config.mail.directory);
  const lock = lockDataDirectory(config.dataDir);
  if (!lock) return fail(`another process holds the data directory ${config.dataDir}`);
  try {
    return ok(buildRooms(config, { clock, monotonic, random, log, lock }));
  } catch (error) {
    lock.release();
    throw error;
  }
}

function buildRooms(
  config: Config,
  { clock, monotonic, random, log, lock }: Runtime & { readonly log: Log; readonly lock: DataLock },
): Rooms {
  const { dataDir, service } = config;
  const zone = service.timeZone;
  const secret = (name: string) =>
    secretFile({ dataDir, name }, () => randomBytes(32).toString("base64url"));
  const adminToken = config.adminToken ?? secret("admin-token");
  const feedKey = Buffer.from(secret("feed-key"), "base64url");
  const wakeDrain = createWake();
  const wakeReminders = createWake();
  const wakeEditWaker = createWake();
  const wakeNotices = createWake();

  const file = join(dataDir, "dayferry.sqlite");
  const store = openStore({ file, migrations, zone, clock, randomId: randomUUID });
  const keys = new Map(config.people.map(({ id, apiKey }) => [id, apiKey]));
  const upstream = createUpstream({
    baseUrl: service.baseUrl,
    uploadUrl: service.uploadUrl,
    apiKey: service.apiKey,
    keyOf: (person) => keys.get(person) ?? null,
    contact: service.contact,
    timeZone: zone,
    quota: service.quota,
    readShare: config.polling.share,
    timeout: service.timeout,
    clock,
    monotonic,
    random,
    history: store.gateSlots,
    known: knownValuesIn(store),
    onEvent(event) {
      if (event.kind === "back") {
        editWaker.ended();
        wakeEditWaker.notify();
      }
      if (event.kind === "history-unkept" && store.health.note(event.error)) return;
      const { kind, ...fields } = event;
      log.debug(`upstream ${kind}`, fields);
    },
  });
  const sync = createSync({
    store,
    upstream,
    scope: {
      projects: config.projects,
      people: config.people.map(({ id, name, email, timeZone }) => ({
        id,
        name: name ?? `Person ${id}`,
        email,
        timeZone,
        suspended: false,
      })),
      discoverPeople: config.discoverPeople,
    },
    clock,
    maxAge: config.polling.maxAge,
    quota: service.quota,
    share: config.polling.share,
    side: config.polling,
    onEvent(event) {
      if (event.kind === "fault" && store.health.note(event.error)) return;
      const { kind, ...fields } = event;
      log.info(`sync ${kind}`, fields);
    },
  });
  const { assignees, tasks } = config.feeds;
  const { webUrl } = service;
  // Action links need an address that works wherever the calendar is read.
  const address = config.feeds.actionLinks ? config.http.publicUrl : null;
  const linkKey = () => Buffer.from(secret("link-key"), "base64url");
  const linkMaker = address === null ? null : { signer: createLinkSigner(linkKey()), address };
  const feeds = createPublishedFeeds({
    store,
    hasRead: (project) => sync.hasRead(project),
    onOpened: (project) => sync.noteReading(project),
    key: feedKey,
    links: linkMaker,
    options: { ...config.feeds, zone, webUrl },
    clock,
  });
  const withOwnKey = new Set(
    config.people.filter(({ apiKey }) => apiKey !== null).map(({ id }) => id),
  );
  const acceptDeps: AcceptDeps = {
    store,
    zone,
    policy: { labels: config.edits.labels, mode: config.edits.mode },
    withOwnKey,
    clock,
    feeds: { assignees, tasks, webUrl },
    onAccepted: () => wakeDrain.notify(),
  };
  const accept = createAccept(acceptDeps);
  const drain = createDrain({
    store,
    upstream,
    conflicts: config.edits.conflicts,
    timeout: service.timeout,
    clock,
    random,
    onEvent({ kind, ...fields }) {
      log.info(`edit ${kind}`, fields);
      if (kind === "parked" || kind === "frozen") wakeNotices.notify();
    },
    onMissing({ base }, sources) {
      for (const source of sources) sync.hurry(source);
      sync.hurry(sourceOf(base));
    },
    onApplied({ answer, base, before, patch }) {
      sync.hurry(sourceOf(answer ?? base));
      // Until the old place is read again it may still show what was moved away.
      if (patch.place) sync.hurry(sourceOf(before ?? base));
      wakeReminders.notify();
    },
  });
  const editWaker = createEditWaker({
    store,
    upstream,
    clock,
    onWoken(edits) {
      log.info("edits that waited for the service may go", { edits });
      wakeDrain.notify();
    },
    onBack: () => sync.recover(),
  });
  const links =
    linkMaker &&
    createActionLinks({
      store,
      signer: linkMaker.signer,
      zone,
      clock,
      mode: config.edits.mode,
      private: config.feeds.private,
      onAccepted: () => wakeDrain.notify(),
    });
  const editActions = createEditActions({
    store,
    accept,
    mode: config.edits.mode,
    onReleased: () => wakeDrain.notify(),
  });
  const accessControl = createAccessControl({ store, clock, randomBytes, listed: config.people });
  const { passwords, throttle, readOnly } = accessControl;
  const keyAccess = createKeyAccess({ store, upstream, people: withOwnKey, clock });
  const calendars = createCalendars({
    store,
    zone,
    hasRead: (project) => sync.hasRead(project),
    onOpened: (project) => sync.noteReading(project),
    milestones: config.calendars.milestones,
    readOnly,
  });
  return {
    config,
    store,
    upstream,
    sync,
    feeds,
    editActions,
    drain,
    workspace: createServiceActions({ store, upstream, hurry: (source) => sync.hurry(source) }),
    links,
    channels: openChannels({
      config,
      accept: acceptDeps,
      monotonic,
      random,
      known: () => sync.hasRead(null),
      log,
    }),
    accessControl,
    people: accessControl.people,
    keyAccess,
    dav: {
      store,
      calendars,
      acceptItems: createAcceptItems(acceptDeps),
      acceptMove: createAcceptMove(acceptDeps),
      passwords,
      throttle,
      zone,
      mode: config.edits.mode,
      maxSize: largestFile,
      clock,
      randomId: randomUUID,
    },
    adminToken,
    wakeDrain,
    editWaker,
    wakeEditWaker,
    wakeReminders,
    wakeNotices,
    log,
    async close() {
      await upstream.close();
      try {
        drain.close();
      } catch (error) {
        // The next start settles the edits whose answers could not be stored, as after a crash.
        log.error("the last answers could not be stored", { error });
      } finally {
        store.close();
        lock.release();
      }
    },
  };
}
