import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import type { Rooms, Runtime } from "./build-daemon.ts";
import { createDavRouter } from "./caldav/router.ts";
import { runChannels } from "./channels.ts";
import type { Config } from "./config/config.ts";
import { openableUrl } from "./config/listening.ts";
import { zoneDataOf } from "./domain/zone-data.ts";
import { forgetOld } from "./edits/upkeep.ts";
import { guardConnections } from "./http/connections.ts";
import { continueWhenRead } from "./http/continue.ts";
import { createApp } from "./http/http-app.ts";
import { createLoopDelayMeter, type LoopDelayMeter, measureDelays } from "./http/loop-delay.ts";
import type { Log } from "./log.ts";
import { createWake, type LoopOptions, runLoop, type Wake } from "./loop.ts";
import { chooseMailer, mailSettings, openMailLinks } from "./mailer.ts";
import { createParkingNotices } from "./reminders/notices.ts";
import { createReminders } from "./reminders/reminders.ts";
import { createReportThreads } from "./reports/report-threads.ts";
import type { StorageHealth } from "./store/storage-health.ts";
import type { SweepProgress } from "./sync/sync.ts";

/** A daemon that serves; `done` resolves once everything is closed after the signal. */
export interface RunningDaemon {
  /** An address that can be opened on this machine. */
  readonly url: string;
  readonly adminToken: string;
  readonly rooms: Rooms;
  /** A mail server or service that hangs holds it up for six seconds at most. */
  readonly done: Promise<void>;
}

export interface ServeOptions {
  readonly config: Config;
  readonly rooms: Rooms;
  readonly version: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Told how far the first sweep is; the log says it as well. */
  readonly onProgress?: (progress: SweepProgress) => void;
  /** How long the main thread is at one thing; measured here unless given. */
  readonly loopDelay?: LoopDelayMeter;
}

/** How many drains deliver edits side by side. */
const drains = 4;
const progressEveryMs = 2000;
/** Supervisors give ten seconds or so: this leaves time to close the database in order. */
const patienceMs = 6000;
const idle = Temporal.Duration.from({ seconds: 5 });
/** How often the service is probed while it is out, or refuses a key. */
const wakerRest = Temporal.Duration.from({ seconds: 3 });
const storageRest = Temporal.Duration.from({ seconds: 2 });
const minute = Temporal.Duration.from({ minutes: 1 });
const day = Temporal.Duration.from({ hours: 24 });
/** Below this the drains would ask the journal all the time where its clock and theirs differ by a rounding. */
const shortestRest = Temporal.Duration.from({ milliseconds: 50 });

/** Listens, then sweeps, drains and mails until the signal aborts. Rejects when the address cannot be listened on. */
export async function startDaemon(options: ServeOptions & Runtime): Promise<RunningDaemon> {
  const { config, rooms, log, signal, clock } = options;
  const { loopDelay = createLoopDelayMeter(measureDelays()) } = options;
  let url = "";
  const publicUrl = () => config.http.publicUrl ?? url;
  const app = createApp({
    version: options.version,
    zoneData: zoneDataOf(process.versions),
    ...rooms.accessControl,
    caldav: createDavRouter({ ...rooms.dav, publicUrl, log }),
    store: rooms.store,
    feeds: rooms.feeds,
    editActions: rooms.editActions,
    workspace: rooms.workspace,
    links: rooms.links,
    mailLinks: openMailLinks(config),
    reports: { reports: createReportThreads(), file: join(config.dataDir, "dayferry.sqlite") },
    fastPath: () => rooms.sync.fastPath,
    ready: () => rooms.sync.whole,
    fresh: () => rooms.sync.ready,
    outlook: () => rooms.sync.outlook(),
    gate: rooms.upstream.gate.state,
    clockLead: () => rooms.upstream.clockLead(),
    channels: () => rooms.channels.states(),
    loopDelay: loopDelay.read,
    adminToken: rooms.adminToken,
    baseUrl: publicUrl,
    trustProxy: config.http.trustProxy,
    zone: config.service.timeZone,
    clock,
    randomBytes,
    log,
  });
  const { host, port } = config.http;
  const server = await listen({ app, host, port });
  guardConnections(server, { trustProxy: config.http.trustProxy, log, clock });
  url = openableUrl({ host, port: portOf(server) });
  const addressFile = join(config.dataDir, "daemon.json");
  writeFileSync(addressFile, JSON.stringify({ url }), { mode: 0o600 });
  log.info("serving", { url: config.http.publicUrl ?? url, dataDir: config.dataDir });

  const work = runJobs({ ...options, loopDelay });
  const done = (async () => {
    await aborted(signal);
    log.info("stopping");
    server.close();
    server.closeIdleConnections();
    const lingering = setTimeout(() => server.closeAllConnections(), 1000);
    rmSync(addressFile, { force: true });
    // Requests under way get a few seconds; what is left claimed afterwards is put back.
    const hasEnded = await within(patienceMs, Promise.all([rooms.upstream.close(), work]));
    clearTimeout(lingering);
    server.closeAllConnections();
    if (!hasEnded)
      log.warn("what was under way did not end in time, and is taken up at the next start");
    await rooms.close();
    log.info("stopped");
  })();
  return { url, adminToken: rooms.adminToken, rooms, done };
}

/** Runs all loops of the daemon side by side; resolves when each has ended after the signal. */
async function runJobs(
  options: ServeOptions & Runtime & { readonly loopDelay: LoopDelayMeter },
): Promise<void> {
  const { config, rooms, log, signal, clock, random } = options;
  const { sync, drain, feeds, store, wakeDrain, wakeReminders } = rooms;
  const mailer = chooseMailer(config.mail);
  const { publicUrl } = config.http;
  const mailDeps = {
    ...mailSettings(config, openMailLinks(config)),
    store,
    mailer,
    clock,
    random,
  };
  const { links } = rooms;
  const reminders = createReminders({
    ...mailDeps,
    options: config.reminders,
    webUrl: config.service.webUrl,
    actions:
      links && publicUrl !== null
        ? (shown, person) => links.ofMail(shown, { person, address: publicUrl })
        : null,
    swept: () => sync.readSinceStart && sync.settled,
    rereadAll: () => sync.rereadAll(),
    onEvent: ({ kind, ...fields }) => log.info(`mail ${kind}`, fields),
  });
  const notices = createParkingNotices({
    ...mailDeps,
    publicUrl,
    onEvent: ({ kind, ...fields }) => log.info(`notice ${kind}`, fields),
  });
  const resumed = drain.recover();
  if (resumed > 0) log.info("edits of an earlier run are taken up again", { edits: resumed });
  feeds.ensure();

  const recovered = createWake();
  const loop = (
    name: string,
    step: LoopOptions["step"],
    rest: Partial<Pick<LoopOptions, "idle" | "wake">> = {},
  ) =>
    runLoop({
      step,
      idle,
      signal,
      random,
      ...rest,
      recovered,
      onFault(error, consecutive) {
        // The storage loop reports a failing disk, once and not for every loop.
        if (!store.health.note(error)) log.error(`${name} failed`, { error, consecutive });
        else log.debug(`${name} could not store`, { error, consecutive });
      },
    });
  await Promise.all([
    ...Array.from({ length: drains }, () =>
      loop("drain", drain.step, {
        wake: wakeDrain,
        idle: () => restUntil([store.journal.nextAt(), store.unanswered.nextLookAt()], clock()),
      }),
    ),
    loop("sweep", async () => {
      if (!sync.ready) await firstSweep(options);
      await sync.run(signal);
      return "idle";
    }),
    loop("feeds", () => {
      feeds.ensure();
      return Promise.resolve("idle");
    }),
    loop(
      "loop delay",
      () => {
        options.loopDelay.turnOver();
        return Promise.resolve("idle");
      },
      { idle: minute },
    ),
    loop(
      "upkeep",
      () => {
        const edits = forgetOld({ store, clock });
        if (edits > 0) log.info("old edits were forgotten", { edits });
        return Promise.resolve("idle");
      },
      { idle: day },
    ),
    loop("edit waker", rooms.editWaker.step, { wake: rooms.wakeEditWaker, idle: wakerRest }),
    loop("storage", watchStorage({ health: store.health, recovered, log }), { idle: storageRest }),
    loop(
      "key sights",
      async () => {
        await rooms.keyAccess(signal);
        return "idle";
      },
      { idle: Temporal.Duration.from({ seconds: 1 }) },
    ),
    loop("reminders", reminders.step, { wake: wakeReminders }),
    loop("notices", notices.step, { wake: rooms.wakeNotices }),
    runChannels(rooms.channels, loop),
  ]);
  mailer.close();
}

/** Tells when the disk refuses what is to be stored, tries until it takes it again, and lets everything go on then. */
function watchStorage({
  health,
  recovered,
  log,
}: {
  readonly health: StorageHealth;
  readonly recovered: Wake;
  readonly log: Log;
}): LoopOptions["step"] {
  let told: string | null = null;
  return () => {
    const { problem = null } = health.trouble() ?? {};
    if (problem !== null && problem !== told) log.error("storage fails", { problem });
    if (problem !== null && health.check()) {
      log.info("storage works again");
      told = null;
      recovered.notify();
    } else told = problem;
    return Promise.resolve("idle");
  };
}

/** The rest until the earliest moment that something is due, such as the next try of an edit; between `shortestRest` and `idle`. */
function restUntil(
  due: readonly (Temporal.Instant | null)[],
  now: Temporal.Instant,
): Temporal.Duration {
  const waits = due.flatMap((at) => (at ? [now.until(at)] : []));
  const [left = idle] = waits.toSorted((a, b) => Temporal.Duration.compare(a, b));
  if (Temporal.Duration.compare(left, shortestRest) < 0) return shortestRest;
  return Temporal.Duration.compare(left, idle) < 0 ? left : idle;
}

async function firstSweep({
  rooms,
  log,
  signal,
  monotonic,
  onProgress,
}: Pick<
  ServeOptions & Runtime,
  "rooms" | "log" | "signal" | "monotonic" | "onProgress"
>): Promise<void> {
  let told = Number.NEGATIVE_INFINITY;
  const {
    changes: _,
    failures,
    ...summary
  } = await rooms.sync.sweep({
    signal,
    onProgress(progress) {
      rooms.feeds.ensure();
      if (monotonic() - told < progressEveryMs) return;
      told = monotonic();
      const { done, total, remaining } = progress;
      log.info("first sweep", { done, total, remaining });
      onProgress?.(progress);
    },
  });
  if (!signal.aborted) log.info("first sweep ended", { ...summary, failed: failures.length });
}

function listen({
  app,
  host,
  port,
}: {
  readonly app: ReturnType<typeof createApp>;
  readonly host: string;
  readonly port: number;
}): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = app.listen(port, host, (error?: Error) => {
      if (error) reject(error);
      else resolve(server);
    });
    continueWhenRead(server, app);
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

/** Whether the work ended in that time; a later outcome is ignored. Rejects when the work does in time. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
