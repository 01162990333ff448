import { rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { createCaldavServer } from "@dayferry/caldav-server";
import { createBackupProcesses } from "./backups/backup-processes.ts";
import { createDailyBackups, type DailyBackups } from "./backups/daily-backups.ts";
import { newestSnapshots } from "./backups/snapshots.ts";
import type { DaemonContext, Modules } from "./build-daemon.ts";
import type { Config } from "./config/config.ts";
import { listenFault, openableUrl } from "./config/listening.ts";
import type { LoadedConfig } from "./config/load.ts";
import { type JobsOptions, runJobs } from "./daemon-jobs.ts";
import { openMails, openOperatorMessages } from "./daemon-mails.ts";
import { zoneDataOf } from "./domain/zone-data.ts";
import { guardConnections } from "./http/connections.ts";
import { continueWhenRead } from "./http/continue.ts";
import { createApp } from "./http/http-app.ts";
import { createLoopDelayMeter, type LoopDelayMeter, measureDelays } from "./http/loop-delay.ts";
import { createScraper, metricsServer, type Scraper } from "./http/metrics-routes.ts";
import { createSharedCache } from "./http/shared-cache.ts";
import type { Status } from "./http/status.ts";
import { createWake } from "./loop.ts";
import { openOutbox } from "./mail/outbox.ts";
import { checkMail, openMailLinks } from "./mailer.ts";
import { createMailedLogIns } from "./people/mailed-log-in.ts";
import { createWebhookSettings } from "./people/webhook-settings.ts";
import { testWays } from "./reminders/operator/notify-operator.ts";
import { testMessage } from "./reminders/webhook-mailer.ts";
import { createReportProcesses } from "./reports/report-processes.ts";
import { listen, randomBytes, randomId, sleep, startTimer } from "./runtime.ts";

/** A running daemon; `done` resolves when everything is closed after the signal. */
export interface RunningDaemon {
  /** A URL that works on this machine. */
  readonly url: string;
  readonly adminToken: string;
  readonly modules: Modules;
  /** A mail server or service that hangs delays it by at most six seconds. */
  readonly done: Promise<void>;
}

export interface ServeOptions
  extends Pick<
    JobsOptions,
    "modules" | "log" | "signal" | "onProgress" | "onDamage" | "wakeSecrets"
  > {
  readonly config: Config & Partial<Pick<LoadedConfig, "written">>;
  readonly version: string;
  /** Measures blocking of the event loop. Default: measured here. */
  readonly loopDelay?: LoopDelayMeter;
}

/** Supervisors allow about ten seconds: this leaves time to close the database properly. */
const patienceMs = 6000;

/** Listens, then sweeps, drains and mails until the signal aborts. Rejects if it cannot listen. */
export async function startDaemon(options: ServeOptions & DaemonContext): Promise<RunningDaemon> {
  const { config, modules, log, signal, clock } = options;
  const { loopDelay = createLoopDelayMeter(measureDelays(options.signal)) } = options;
  let url = "";
  const publicUrl = () => config.http.publicUrl ?? url;
  const mailLinks = openMailLinks(config);
  const wakeLogInMails = createWake();
  const webhooks = createWebhookSettings({
    store: modules.store,
    seal: mailLinks.seal,
    listed: (person) =>
      modules.secrets.current().people.find(({ id }) => id === person)?.webhook ?? null,
    hasListed: config.people.some(({ webhook }) => webhook !== null),
    signal,
    clock,
  });
  const mails = openMails({ ...options, mailLinks, webhooks, baseUrl: publicUrl });
  const operator = openOperatorMessages({ ...options, mailer: mails.mailer });
  const databaseFile = join(config.dataDir, "dayferry.sqlite");
  const scrape = config.metrics.enabled
    ? createScraper({
        version: options.version,
        tallies: modules.tallies,
        store: modules.store,
        feeds: modules.feeds,
        ready: () => modules.sync.whole,
        fresh: () => modules.sync.ready,
        forecast: () => modules.sync.forecast(),
        fastPath: () => modules.sync.fastPath,
        gate: modules.upstream.gate.state,
        quotaSpan: config.service.quota.per,
        isOut: () => modules.upstream.isOut(),
        clockLead: () => modules.upstream.clockLead(),
        channels: () => modules.channels.states(),
        loopDelay: loopDelay.read,
        databaseFile,
        backedUpAt: () => lastBackup(config, { ...modules.store.meta, now: clock() }),
        clock,
      })
    : null;
  let metricsUrl: string | null = null;
  const backups = openBackups(options);
  const app = createApp({
    backups,
    version: options.version,
    zoneData: zoneDataOf(process.versions),
    ...modules.accessControl,
    caldav: createCaldavServer({ ...modules.caldav, publicUrl }),
    store: modules.store,
    feeds: modules.feeds,
    sharedCache: createSharedCache({
      config: config.http.sharedCache,
      installation: modules.store.meta.installation,
      onServed: (feed, etag) => modules.cachePurger?.noteServed(feed, etag),
    }),
    editActions: modules.editActions,
    acceptFile: modules.acceptFile,
    acceptForm: modules.acceptForm,
    eventLoop: modules.eventLoop,
    workspace: modules.workspace,
    links: modules.links,
    mailLinks,
    mailsAhead: (most) => mails.reminders.ahead(most),
    webhooks: {
      webhooks,
      testFor: (person) => testMessage({ person, id: `test-${randomId()}` }),
    },
    outbox: config.mail.smtpUrl === null ? openOutbox(config.mail) : null,
    mailedLogIns: createMailedLogIns({
      store: modules.store,
      passwords: modules.accessControl.passwords,
      signer: mailLinks.logInSigner,
      clock,
      onAsked: () => wakeLogInMails.notify(),
    }),
    identityHeader: config.http.identityHeader,
    reports: { reports: createReportProcesses({ signal }), file: databaseFile },
    probeZone: modules.probeZone,
    tallies: modules.tallies,
    scrape: config.metrics.port === null ? scrape : null,
    metricsUrl: () =>
      scrape && config.metrics.port === null ? `${publicUrl()}/metrics` : metricsUrl,
    databaseFile,
    fastPath: () => modules.sync.fastPath,
    ready: () => modules.sync.whole,
    fresh: () => modules.sync.ready,
    forecast: () => modules.sync.forecast(),
    gate: modules.upstream.gate.state,
    clockLead: () => modules.upstream.clockLead(),
    channels: () => modules.channels.states(),
    loopDelay: loopDelay.read,
    troubles: modules.troubleWatch.held,
    adminToken: modules.adminToken,
    baseUrl: publicUrl,
    trustProxy: config.http.trustProxy,
    zone: config.service.timeZone,
    webUrl: config.service.webUrl,
    clock,
    monotonic: options.monotonic,
    randomBytes,
    log,
    sendsMail: config.mail.smtpUrl !== null,
    operator: {
      // Both are rarely used and loaded on first use.
      settings: async () => {
        const { effectiveSettings } = await import("./config/effective.ts");
        return config.written ? effectiveSettings(config.written) : [];
      },
      examine: (status) => examineDaemon(status, { config, clock }),
      test: async () => {
        const { messageFindings } = await import("./cli/daemon-findings.ts");
        return messageFindings(await testWays(operator.ways, { id: randomId(), signal }));
      },
    },
    signal,
  });
  const { host, port } = config.http;
  const server = createServer(app);
  continueWhenRead(server, app);
  const taken = await listen(server, { host, port });
  guardConnections(server, { trustProxy: config.http.trustProxy, log, clock });
  url = openableUrl({ host, port: taken });
  const metrics = scrape && (await openMetrics(scrape, options).catch(closing(server)));
  metricsUrl = metrics?.url ?? null;
  const addressFile = join(config.dataDir, "daemon.json");
  const announce = () => writeFileSync(addressFile, JSON.stringify({ url }), { mode: 0o600 });
  log.info("serving", {
    url: config.http.publicUrl ?? url,
    dataDir: config.dataDir,
    ...(metrics && { metrics: metrics.url }),
  });

  const work = runJobs({
    ...options,
    announce,
    loopDelay,
    mails,
    operator,
    backups,
    wakeLogInMails,
  });
  const done = (async () => {
    await aborted(signal);
    log.info("stopping");
    server.close();
    server.closeIdleConnections();
    metrics?.close();
    const lingering = startTimer(1000, () => server.closeAllConnections());
    try {
      rmSync(addressFile, { force: true });
    } catch (error) {
      // Without the lock, which ends with this process, the file has no meaning.
      log.warn("address file could not be removed", { error });
    }
    // Requests in progress get a few seconds; edits still claimed afterwards are released.
    const hasEnded = await within(patienceMs, Promise.all([modules.upstream.close(), work]));
    lingering.cancel();
    server.closeAllConnections();
    if (!hasEnded) log.warn("work did not finish in time and resumes at the next start");
    await modules.close();
    log.info("stopped");
  })();
  return { url, adminToken: modules.adminToken(), modules, done };
}

/** Listens for metrics scrapers if configured; null if metrics are on the daemon's own port. */
async function openMetrics(
  scrape: Scraper,
  { config, log, clock }: Pick<ServeOptions & DaemonContext, "config" | "log" | "clock">,
): Promise<{ readonly url: string; readonly close: () => void } | null> {
  const { host, port } = config.metrics;
  if (port === null) return null;
  const server = metricsServer(scrape, log);
  let taken = port;
  try {
    taken = await listen(server, { host, port });
  } catch (error) {
    const change = "metrics.host and metrics.port";
    const fault = listenFault(error, { host, port, change });
    throw fault === null ? error : new MetricsPortError(fault, { cause: error });
  }
  guardConnections(server, { trustProxy: false, log, clock });
  return {
    url: `${openableUrl({ host, port: taken })}/metrics`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Closes the server if the start fails. */
const closing = (server: Server) => (error: unknown) => {
  server.close();
  throw error;
};

/** Thrown if the metrics port cannot be listened on; the message is a sentence for people. */
export class MetricsPortError extends Error {
  override readonly name = "MetricsPortError";
}

/** What `doctor` reports about this daemon. */
async function examineDaemon(
  status: Status,
  { config, clock }: Pick<ServeOptions & DaemonContext, "config" | "clock">,
) {
  const { daemonFindings, privacyFinding, settingFindings } = await import(
    "./cli/daemon-findings.ts"
  );
  return [
    // As text, because doctor judges the JSON of `/api/status`.
    ...daemonFindings(JSON.parse(JSON.stringify(status)), {
      zone: config.service.timeZone,
      today: clock().toZonedDateTimeISO("UTC").toPlainDate(),
    }),
    privacyFinding(config),
    ...(await settingFindings(config, checkMail)),
  ];
}

/** Backups are checked before they get their names. */
function lastBackup(
  { backups }: Config,
  { installedAt, now }: Modules["store"]["meta"] & { readonly now: Temporal.Instant },
) {
  const [newest] = newestSnapshots(backups.directory, now);
  return newest?.madeAt ?? (backups.enabled ? installedAt : null);
}

function openBackups({
  config,
  modules,
  version,
  log,
  clock,
  onDamage,
}: Pick<
  ServeOptions & DaemonContext,
  "config" | "modules" | "version" | "log" | "clock" | "onDamage"
>): DailyBackups {
  const { store } = modules;
  return createDailyBackups({
    rules: {
      ...config.backups,
      get passphrase() {
        return modules.secrets.current().backups.passphrase;
      },
    },
    zone: config.service.timeZone,
    dataDir: config.dataDir,
    program: version,
    installedAt: store.meta.installedAt,
    processes: createBackupProcesses(),
    troubles: store.troubles,
    clock,
    onEvent(event) {
      const { kind, ...fields } = event;
      log[kind === "made" ? "info" : "error"](`backup ${kind}`, fields);
      if (event.kind === "damaged") onDamage?.(event.problem);
    },
  });
}

/** True if the work finished in time; a later result is ignored. Rejects if the work does in time. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController();
  try {
    return await Promise.race([work.then(() => true), sleep(ms, ended.signal).then(() => false)]);
  } finally {
    ended.abort();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
