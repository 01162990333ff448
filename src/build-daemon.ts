import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CaldavServerOptions } from "@dayferry/caldav-server";
import { largestFile } from "@dayferry/ical";
import { backupAtOnce } from "./backups/backup-processes.ts";
import { isInUse } from "./backups/damage.ts";
import { finishRestore } from "./backups/restore-backup.ts";
import { keyFiles } from "./backups/sealed-keys.ts";
import { snapshotName } from "./backups/snapshots.ts";
import { appleProfileFile, calendarsAreProjects, createCaldavBackend } from "./caldav/backend.ts";
import { createCalendars } from "./calendars/create-calendars.ts";
import { type Channels, openChannels } from "./channels.ts";
import type { LocalModules } from "./cli/command-host.ts";
import type { Config } from "./config/config.ts";
import { openableUrl } from "./config/listening.ts";
import { type LiveSecrets, stillSecrets } from "./config/live-secrets.ts";
import { fingerprint } from "./domain/fingerprint.ts";
import { fail, ok, type Result } from "./domain/result.ts";
import { createLinkSigner } from "./domain/signed-links.ts";
import { sourceName, sourceOf } from "./domain/source.ts";
import { createTallies, statusClass, type Tallies } from "./domain/tallies.ts";
import { loggedTrouble } from "./domain/trouble.ts";
import { createEditActions } from "./edits/actions/edit-actions.ts";
import { createDrain } from "./edits/delivery/drain.ts";
import { createEditWaker, type EditWaker } from "./edits/delivery/edit-waker.ts";
import { createRepeatedEdits } from "./edits/delivery/repeated-edits.ts";
import { createAcceptForm, type FormOutcome, type FormRequest } from "./edits/forms/accept-form.ts";
import { type AcceptDeps, createAcceptFile, createAcceptItems } from "./edits/intake/accept.ts";
import { createAcceptMove } from "./edits/intake/accept-move.ts";
import { type ActionLinks, createActionLinks } from "./edits/links/action-links.ts";
import { createServiceActions } from "./edits/workspace/service-actions.ts";
import { createEventLoopBudget, type EventLoopBudget } from "./event-loop-budget.ts";
import { type CachePurger, createCachePurger } from "./feeds/cache-purger.ts";
import { createPublishedFeeds } from "./feeds/published-feeds.ts";
import { createCalendarReader } from "./ics/read/calendar-reader.ts";
import type { Log } from "./log.ts";
import { createWake, type Wake } from "./loop.ts";
import { type AccessControl, createAccessControl } from "./people/people.ts";
import type { Throttle } from "./people/throttle.ts";
import { randomBytes, randomId, timeLimit } from "./runtime.ts";
import { type DataLock, lockDataDirectory } from "./store/data-lock.ts";
import { MigrationError } from "./store/migrate.ts";
import { knownValuesIn } from "./store/mirror/mirror.ts";
import { closeFolder, fileAbove, keepFolderPrivate } from "./store/private-files.ts";
import { programPrint } from "./store/program-print.ts";
import { SpoiltSecretError, secretFile } from "./store/secret-files.ts";
import { openStore } from "./store/store.ts";
import { createKeyAccess } from "./sync/key-access.ts";
import { createSync, type SyncEvent } from "./sync/sync.ts";
import { createTroubleFinder } from "./troubles/find-troubles.ts";
import { createTroubleWatch, type TroubleWatch } from "./troubles/trouble-watch.ts";
import { noteAnswer } from "./troubles/zone-answers.ts";
import { probeZone, type ZoneProof } from "./troubles/zone-probe.ts";
import { createUpstream, type UpstreamEvent } from "./upstream/client.ts";

/** Clocks and randomness of this process, injected by `main`. */
export interface DaemonContext {
  readonly clock: () => Temporal.Instant;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  readonly random: () => number;
}

/** The modules of one data directory, with what `serve` needs beyond what commands do. */
export interface Modules extends LocalModules {
  /** The current admin token. */
  readonly adminToken: () => string;
  readonly secrets: LiveSecrets;
  /** Called when secrets have changed: whatever waited for a key continues at once. */
  readonly secretsChanged: () => void;
  /** null if feeds have no action links. */
  readonly links: ActionLinks | null;
  readonly channels: Channels;
  readonly accessControl: AccessControl;
  /** Asks the service which projects people's own keys can access. */
  readonly keyAccess: (signal: AbortSignal) => Promise<void>;
  /** Handles forms that people submit on pages. */
  readonly acceptForm: (request: FormRequest) => FormOutcome;
  /** Dependencies of the CalDAV router, except the URL and the log. */
  readonly caldav: Omit<CaldavServerOptions, "publicUrl">;
  readonly wakeDrain: Wake;
  readonly editWaker: EditWaker;
  readonly wakeEditWaker: Wake;
  readonly wakeReminders: Wake;
  readonly wakeNotices: Wake;
  /** null if no cache is configured. */
  readonly cachePurger: CachePurger | null;
  readonly wakeCachePurger: Wake;
  readonly troubleWatch: TroubleWatch;
  /** Shares the main thread among everything that can wait. */
  readonly eventLoop: EventLoopBudget;
  /** Counts since the start, for metrics. */
  readonly tallies: Tallies;
  readonly log: Log;
}

/** How long shutdown may wait for a cache. */
const lastPurgeMs = 2000;

const migrations = fileURLToPath(new URL("../migrations", import.meta.url));

/** Created with the first link, so its absence means nothing. */
const onDemand = "link-key";

/** How long the loss of a key file is reported to the operator. */
const lossReportedFor = Temporal.Duration.from({ hours: 24 * 7 });

const endedWith = (name: string): string =>
  keyFiles.find((key) => key.name === name)?.without ?? "what it has opened is void";

/** Reports a lost key: without it, people would look in the wrong place for the reason their feeds are gone. */
function reportLostKey({
  dataDir,
  name,
  log,
}: {
  readonly dataDir: string;
  readonly name: string;
  readonly log: Log;
}): void {
  log.error("key file missing; created a new one", {
    file: join(dataDir, name),
    ended: endedWith(name),
    remedy:
      "stop Dayferry, run `dayferry restore --keys-only` with a backup that holds the keys, and start it again",
  });
}

/** Length of 32 bytes in base64url; feed URLs are derived from it. */
const feedKeyLength = 43;

interface Surroundings {
  readonly log: Log;
  readonly throttle?: Throttle;
  /** Version of this program, recorded in backups. */
  readonly version?: string | undefined;
  /** Watches the secret files. Default: the secrets of `config`. */
  readonly secrets?: LiveSecrets | undefined;
}

/**
 * Locks the data directory and builds every module on it. Errors are sentences: another process holds the lock, or the database
 * does not fit this build, for example because it is newer.
 */
export function openModules(
  config: Config,
  ambient: DaemonContext & Surroundings,
): Result<Modules, string> {
  const misplaced = misplacedFolder(config);
  if (misplaced !== null) return fail(misplaced);
  keepFolderPrivate(config.dataDir);
  if (config.mail.smtpUrl === null) closeFolder(config.mail.directory);
  const lock = lockDataDirectory(config.dataDir);
  if (!lock)
    return fail(`another process uses the data directory ${config.dataDir}; stop that one first`);
  try {
    if (finishRestore(config.dataDir)) {
      ambient.log.info("interrupted restore completed");
    }
    return ok(buildModules(config, { ...ambient, lock }));
  } catch (error) {
    lock.release();
    if (error instanceof MigrationError) return fail(`${config.dataDir}: ${error.message}`);
    if (error instanceof SpoiltSecretError) return fail(error.message);
    throw error;
  }
}

/** A sentence if a file is in the place of a folder that is to be written to. */
function misplacedFolder({ dataDir, mail }: Config): string | null {
  const folders = [
    ["dataDir", dataDir],
    ...(mail.smtpUrl === null ? [["mail.directory", mail.directory] as const] : []),
  ] as const;
  for (const [key, folder] of folders) {
    const file = fileAbove(join(folder, "a file in it"));
    if (file !== null)
      return `${key} ${folder} cannot be written to: ${file} is a file, not a folder`;
  }
  return null;
}

/** What feed items depend on besides the response's bytes. */
function readerOf({ service }: Config): string | undefined {
  const program = programPrint(process.argv[1], process.versions);
  return program === null ? undefined : `${program} ${service.timeZone} ${service.baseUrl}`;
}

function buildModules(
  config: Config,
  {
    clock,
    monotonic,
    random,
    log,
    lock,
    throttle: counted,
    version = "unknown",
    secrets = stillSecrets(config),
  }: DaemonContext & Surroundings & { readonly lock: DataLock },
): Modules {
  const { dataDir, service } = config;
  const zone = service.timeZone;
  const wasInUse = isInUse(dataDir);
  const lost = new Set<string>();
  const prints = new Map<string, string>();
  const secret = (name: string, least?: number) => {
    const text = secretFile({ dataDir, name, ...(least !== undefined && { least }) }, () => {
      if (wasInUse && name !== onDemand) {
        reportLostKey({ dataDir, name, log });
        lost.add(name);
      }
      return randomBytes(32).toString("base64url");
    });
    prints.set(name, fingerprint(text));
    return text;
  };
  const madeToken = config.adminToken === null ? secret("admin-token") : "";
  const adminToken = () => secrets.current().adminToken ?? madeToken;
  const feedKey = Buffer.from(secret("feed-key", feedKeyLength), "base64url");
  // Created here with the others, so that a start on a full disk fails before anything is opened.
  secret("mail-key");
  const wakeDrain = createWake();
  const wakeReminders = createWake();
  const wakeEditWaker = createWake();
  const wakeNotices = createWake();
  const wakeCachePurger = createWake();
  const eventLoop = createEventLoopBudget({ monotonic });
  const tallies = createTallies();

  const file = join(dataDir, "dayferry.sqlite");
  const store = openStore({
    file,
    migrations,
    zone,
    clock,
    randomId,
    beforeMigration: () => backUpFirst(config, { now: clock(), program: version, log }),
  });
  for (const name of lost) store.keyLosses.note(name, prints.get(name) ?? "");
  // A loss is over once a backup has restored the old key or another key exists.
  const losses = store.keyLosses.all().filter(({ name, print }) => prints.get(name) === print);
  const upstream = createUpstream({
    baseUrl: service.baseUrl,
    uploadUrl: service.uploadUrl,
    apiKey: () => secrets.current().service.apiKey,
    keyOf: (person) => secrets.current().people.find(({ id }) => id === person)?.apiKey ?? null,
    hide: secrets.hide,
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
    pause: () => eventLoop.share(),
    onEvent(event) {
      if (event.kind === "answered" || event.kind === "broken") tallyAnswer(tallies, event);
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
    reader: readerOf(config),
    eventLoop,
    onPolled: ({ kind, isRead }) => tallies.polls.add({ kind, ending: isRead ? "read" : "failed" }),
    onEvent(event) {
      if (event.kind === "fault" && store.health.note(event.error)) return;
      logSync(log, event);
    },
  });
  const { assignees, tasks } = config.feeds;
  const { webUrl } = service;
  // Action links need a URL that works wherever the calendar is read.
  const address = config.feeds.actionLinks ? config.http.publicUrl : null;
  const linkKey = () => Buffer.from(secret("link-key"), "base64url");
  const linkMaker = address === null ? null : { signer: createLinkSigner(linkKey()), address };
  const { sharedCache } = config.http;
  const purge = sharedCache?.purge ?? null;
  const feeds = createPublishedFeeds({
    store,
    ...(purge && {
      onTurned(address) {
        store.cachePurges.want(address);
        wakeCachePurger.notify();
      },
    }),
    hasRead: (project) => sync.hasRead(project),
    onOpened: (project) => sync.noteReading(project),
    key: feedKey,
    links: linkMaker,
    options: { ...config.feeds, zone, webUrl },
    clock,
    eventLoop,
  });
  const cachePurger =
    sharedCache &&
    purge &&
    createCachePurger({
      store,
      config: {
        ...sharedCache,
        purge: {
          ...purge,
          get token() {
            return secrets.current().http.sharedCache?.purge?.token ?? null;
          },
        },
      },
      versionOf: (feed) => feeds.versionOf(feed),
      pathOf: (address) => feeds.pathOf(address),
      publicUrl: () => config.http.publicUrl ?? openableUrl(config.http),
      // Loaded on first use: most installations have no cache in front.
      send: async (request, signal) =>
        (await import("./remote/send-purge.ts")).sendPurge(request, signal),
      clock,
      random,
      onPurged: (ending) => tallies.purges.add({ ending }),
      onTurn(problem) {
        if (problem === null) log.info("cache purge recovered");
        else log.warn("cache purge failing", { problem });
      },
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
  const reader = createCalendarReader({ zone, pause: () => eventLoop.share() });
  const acceptFile = createAcceptFile({ ...acceptDeps, eventLoop, reader });
  const drain = createDrain({
    store,
    upstream,
    conflicts: config.edits.conflicts,
    clock,
    random,
    onEvent({ kind, ...fields }) {
      tallies.edits.add({ ending: kind });
      log.info(`edit ${kind}`, fields);
      if (kind === "parked" || kind === "frozen") wakeNotices.notify();
    },
    onMissing({ base }, sources) {
      for (const source of sources) sync.hurry(source);
      sync.hurry(sourceOf(base));
    },
    onApplied(edit) {
      const { answer, base, before, patch, createdAt } = edit;
      noteAnswer(edit, { troubles: store.troubles, zone });
      tallies.editDelays.add(createdAt.until(clock()).total("seconds"));
      sync.hurry(sourceOf(answer ?? base));
      // Until the old source is read again, it may still show what was moved away.
      if (patch.place) sync.hurry(sourceOf(before ?? base));
      wakeReminders.notify();
    },
  });
  const editWaker = createEditWaker({
    store,
    upstream,
    clock,
    onWoken(edits) {
      log.info("service reachable again; delivering edits", { edits });
      wakeDrain.notify();
    },
    onBack() {
      sync.recover();
      wakeDrain.notify();
    },
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
    mode: config.edits.mode,
    onReleased: () => wakeDrain.notify(),
  });
  const accessControl = createAccessControl({
    ...{ store, clock, randomBytes },
    listed: config.people,
    ...(counted && { throttle: counted }),
  });
  const { passwords, throttle, readOnly } = accessControl;
  let keyAccess = createKeyAccess({ store, upstream, people: withOwnKey, clock });
  const calendars = createCalendars({
    store,
    zone,
    hasRead: (project) => sync.hasRead(project) && sync.hasReadSinceRestore(project),
    onOpened: (project) => sync.noteReading(project),
    milestones: config.calendars.milestones,
    readOnly,
    eventLoop,
  });
  const channels = openChannels({
    config,
    secrets,
    accept: acceptDeps,
    acceptFile,
    reader,
    monotonic,
    random,
    known: () => sync.hasRead(null),
    log,
  });
  const findTroubles = createTroubleFinder({
    store,
    upstream,
    dataDir,
    host: new URL(service.baseUrl).host,
    withOwnKey,
    advice: () => sync.forecast().advice,
    channels: () => channels.states(),
    repeated: createRepeatedEdits(store),
    lostKeys() {
      const since = clock().subtract(lossReportedFor);
      return losses
        .filter(({ at }) => Temporal.Instant.compare(at, since) > 0)
        .map(({ name }) => ({ file: name, ended: endedWith(name) }));
    },
    webhooks: config.operator.webhooks.map(({ name }) => name),
    listedWebhooks: config.people.flatMap(({ id, webhook }) => (webhook ? [id] : [])),
    clock,
  });
  let probing: Promise<ZoneProof> | null = null;
  return {
    probeZone(signal) {
      probing ??= probeZone({
        upstream,
        zone,
        projects: config.projects === "discover" ? null : config.projects.map(({ id }) => id),
        known: () => store.directory.projects().map(({ id }) => id),
        troubles: store.troubles,
        clock,
        signal,
        onTouched: (projectId) => sync.hurry(sourceName({ kind: "events", projectId })),
      }).finally(() => {
        probing = null;
      });
      return probing;
    },
    config,
    store,
    upstream,
    sync,
    feeds,
    editActions,
    acceptFile,
    acceptForm: createAcceptForm(acceptDeps),
    drain,
    workspace: createServiceActions({ store, upstream, hurry: (source) => sync.hurry(source) }),
    links,
    channels,
    cachePurger,
    wakeCachePurger,
    troubleWatch: createTroubleWatch({
      store,
      find: findTroubles,
      clock,
      onEvent: ({ kind, trouble, since }) =>
        log[kind === "begun" ? "warn" : "info"](`trouble ${kind}`, {
          ...loggedTrouble(trouble, kind),
          since,
        }),
    }),
    accessControl,
    people: accessControl.people,
    rights: accessControl.rights,
    keyAccess: (signal) => keyAccess(signal),
    secrets,
    secretsChanged() {
      // Results for earlier keys, and how long they pause, say nothing about these.
      keyAccess = createKeyAccess({ store, upstream, people: withOwnKey, clock });
      editWaker.keysChanged();
      store.operatorMessages.retryRefused();
      for (const sort of [store.ledger, store.notices, store.operatorMessages])
        sort.retryDeferred();
      sync.recover();
      wakeEditWaker.notify();
      wakeReminders.notify();
      wakeNotices.notify();
      wakeCachePurger.notify();
    },
    caldav: {
      backend: createCaldavBackend({
        store,
        calendars,
        acceptItems: createAcceptItems(acceptDeps),
        acceptMove: createAcceptMove(acceptDeps),
        passwords,
        throttle,
        zone,
        mode: config.edits.mode,
        clock,
      }),
      name: "Dayferry",
      fixedCalendars: calendarsAreProjects,
      file: appleProfileFile(store),
      zone,
      readObject: reader.object,
      maxSize: largestFile,
      clock,
      randomId,
      eventLoop,
      onError: (event, about) => log.error(event, about),
    },
    adminToken,
    wakeDrain,
    editWaker,
    wakeEditWaker,
    wakeReminders,
    wakeNotices,
    eventLoop,
    tallies,
    log,
    async close() {
      await upstream.close();
      // A URL that a command has just revoked must not stay cached until the next start.
      if (store.cachePurges.state().waiting > 0) {
        await cachePurger?.step(timeLimit(lastPurgeMs));
      }
      // Recording of fetches is best effort: a failing disk must not stop anything else from closing.
      try {
        feeds.keepFetches(true);
      } catch (error) {
        log.error("last feed fetches could not be recorded", { error });
      }
      try {
        drain.close();
      } catch (error) {
        // The next start settles edits whose responses could not be stored, as after a crash.
        log.error("last responses could not be stored", { error });
      } finally {
        store.close();
        lock.release();
      }
    },
  };
}

function tallyAnswer(
  tallies: Tallies,
  { request, ...answer }: Extract<UpstreamEvent, { readonly kind: "answered" | "broken" }>,
): void {
  const [method = ""] = request.split(" ", 1);
  const status = answer.kind === "answered" ? statusClass(answer.status) : "none";
  tallies.serviceRequests.add({ method, status });
  if (answer.kind === "answered") {
    tallies.serviceLengths.add(answer.took.total("seconds"), { method });
  }
}

/** What polls report all day; an info log has a summary per sweep, and anything unusual. */
const everyday: ReadonlySet<SyncEvent["kind"]> = new Set([
  "polled",
  "found",
  "buried",
  "directory-changed",
  "side-changed",
]);

/** Titles do not belong in a log: it has counts instead. */
function logSync(log: Log, event: SyncEvent): void {
  const { kind, ...fields } = event;
  const logged = {
    ...fields,
    ...("changes" in fields && { changes: fields.changes.length }),
    ...("title" in fields && { title: undefined }),
  };
  log[everyday.has(kind) ? "debug" : "info"](`sync ${kind}`, logged);
}

/** Backs up before a migration, so that there is a way back. Throws if no backup can be made. */
function backUpFirst(
  { dataDir, backups }: Config,
  {
    now,
    program,
    log,
  }: { readonly now: Temporal.Instant; readonly program: string; readonly log: Log },
): void {
  const { directory, passphrase } = backups;
  const file = join(directory, snapshotName(now, "before-migration"));
  const made = backupAtOnce({
    dataDir,
    file,
    ifTaken: "number",
    // A service manager restarts a process that crashes during a migration again and again.
    unlessKept: true,
    passphrase,
    program,
    now: now.toString(),
  });
  if (!made.ok) {
    throw new MigrationError(
      `the database is of an earlier version and is not changed, as it cannot be backed up first: ${made.failure.problem}`,
    );
  }
  log.info("backing up the database before migrating it", {
    file: made.value.file,
  });
}
