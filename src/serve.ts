import { rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import type { Config } from "./config/config.ts";
import { listenFault, openableUrl } from "./config/listening.ts";
import type { LoadedConfig } from "./config/load.ts";
import { guardConnections } from "./http/connections.ts";
import { continueWhenRead } from "./http/continue.ts";
import { createApp } from "./http/http-app.ts";
import type { DemoProgress } from "./http/http-deps.ts";
import { createLoopDelayMeter, type LoopDelayMeter, measureDelays } from "./http/loop-delay.ts";
import { metricsServer, type Scraper } from "./http/metrics-routes.ts";
import { createSharedCache } from "./http/shared-cache.ts";
import type { Status } from "./http/status.ts";
import { openOutbox } from "./mail/outbox.ts";
import { checkMail } from "./modules/mailer.ts";
import { idleAfter, type JobOptions, type LoopJob } from "./modules/module.ts";
import { type BackupsModule, openBackups } from "./modules/open-backups.ts";
import { type MailsModule, openMails } from "./modules/open-mails.ts";
import type { Modules } from "./modules/open-modules.ts";
import { appParts, scraperOf } from "./modules/open-web.ts";
import { runJobs } from "./modules/run-jobs.ts";
import { createMailedLogIns } from "./people/mailed-log-in.ts";
import { testWays } from "./reminders/operator/notify-operator.ts";
import { testMessage } from "./reminders/webhook-mailer.ts";
import { createReportProcesses, reportServer } from "./reports/report-processes.ts";
import { listen, randomId, sleep, startTimer } from "./runtime.ts";

/** A running daemon; `done` resolves when everything is closed after the signal. */
export interface RunningDaemon {
  /** A URL that works on this machine. */
  readonly url: string;
  readonly adminToken: string;
  readonly modules: Modules;
  /** A mail server or service that hangs delays it by at most six seconds. */
  readonly done: Promise<void>;
}

export interface ServeOptions extends JobOptions {
  readonly modules: Modules;
  readonly config: Config & Partial<Pick<LoadedConfig, "written">>;
  readonly version: string;
  /** Measures blocking of the event loop. Default: measured here. */
  readonly loopDelay?: LoopDelayMeter;
  /** Only in the demo. */
  readonly demo?: DemoProgress;
}

/** Supervisors allow about ten seconds: this leaves time to close the database properly. */
const patienceMs = 6000;
const minute = Temporal.Duration.from({ minutes: 1 });

/** Listens, then sweeps, drains and mails until the signal aborts. Rejects if it cannot listen. */
export async function startDaemon(options: ServeOptions): Promise<RunningDaemon> {
  const { config, modules, version, signal } = options;
  const { log, clock } = modules;
  const { loopDelay = createLoopDelayMeter(measureDelays(signal)) } = options;
  let url = "";
  const publicUrl = () => config.http.publicUrl ?? url;
  const mails = openMails(modules, { version, baseUrl: publicUrl, signal });
  const backups = openBackups(modules, options);
  const parts: Parts = { ...options, loopDelay, mails, backups, publicUrl, metricsUrl: null };
  const { app, scrape } = openApp(parts);
  const { host, port } = config.http;
  const server = createServer(app);
  continueWhenRead(server, app);
  const taken = await listen(server, { host, port });
  guardConnections(server, { trustProxy: config.http.trustProxy, log, clock });
  url = openableUrl({ host, port: taken });
  const metrics = scrape && (await openMetrics(scrape, modules).catch(closing(server)));
  parts.metricsUrl = metrics?.url ?? null;
  log.info("serving", {
    url: config.http.publicUrl ?? url,
    dataDir: config.dataDir,
    ...(metrics && { metrics: metrics.url }),
  });

  const addressFile = join(config.dataDir, "daemon.json");
  const loopDelayJob: LoopJob = {
    name: "loop delay",
    step: idleAfter(() => loopDelay.turnOver()),
    idle: minute,
  };
  const work = runJobs({
    ...options,
    announce: () => writeFileSync(addressFile, JSON.stringify({ url }), { mode: 0o600 }),
    jobs: [...mails.jobs(), ...backups.jobs(), loopDelayJob],
  }).then(mails.closeMails);
  const done = aborted(signal).then(() =>
    stop(modules, { servers: [server, ...(metrics ? [metrics.server] : [])], addressFile, work }),
  );
  return { url, adminToken: modules.adminToken(), modules, done };
}

/** What the application of a serving daemon is made of. */
interface Parts extends ServeOptions {
  readonly loopDelay: LoopDelayMeter;
  readonly mails: MailsModule;
  readonly backups: BackupsModule;
  readonly publicUrl: () => string;
  /** Set once a port of its own is open. */
  metricsUrl: string | null;
}

function openApp(parts: Parts): {
  readonly app: ReturnType<typeof createApp>;
  readonly scrape: Scraper | null;
} {
  const { config, modules, mails, publicUrl, signal } = parts;
  const { upstream, sync, store, clock, wakes } = modules;
  const web = { ...parts, fresh: () => sync.ready, clockLead: () => upstream.clockLead() };
  const { backups } = parts;
  const backedUpAt = () => backups.backedUpAt();
  const scrape = config.metrics.enabled
    ? scraperOf(modules, { ...web, more: { isOut: () => upstream.isOut(), backedUpAt } })
    : null;
  const isOnOwnPort = config.metrics.port !== null;
  const common = appParts(modules, web);
  const app = createApp({
    ...common,
    backups: backups.backups,
    sharedCache: createSharedCache({
      config: config.http.sharedCache,
      installation: store.meta.installation,
      onServed: (feed, etag) => modules.cachePurger?.noteServed(feed, etag),
    }),
    workspace: modules.workspace,
    eventWebhooks: modules.eventWebhooks,
    mailLinks: mails.mailLinks,
    mailsAhead: (most) => mails.reminders.ahead(most),
    webhooks: {
      webhooks: mails.webhooks,
      testFor: (person) => testMessage({ person, id: `test-${randomId()}` }),
    },
    outbox: config.mail.smtpUrl === null ? openOutbox(config.mail) : null,
    mailedLogIns: createMailedLogIns({
      store,
      passwords: modules.accessControl.passwords,
      signer: mails.mailLinks.logInSigner,
      clock,
      onAsked: () => wakes.logInMails.notify(),
    }),
    reports: reportServer(createReportProcesses({ signal }), {
      file: common.databaseFile,
      zone: config.service.timeZone,
      clock,
    }),
    probeZone: (aborted) => modules.probeZone(aborted),
    scrape: isOnOwnPort ? null : scrape,
    metricsUrl: () => (scrape && !isOnOwnPort ? `${publicUrl()}/metrics` : parts.metricsUrl),
    troubles: modules.troubleWatch.held,
    sendsMail: config.mail.smtpUrl !== null,
    ...(parts.demo && { demo: parts.demo }),
    operator: {
      // Both are rarely used and loaded on first use.
      settings: async () => {
        const { effectiveSettings } = await import("./config/effective.ts");
        return config.written ? effectiveSettings(config.written) : [];
      },
      examine: (status) => examineDaemon(status, modules),
      test: async () => {
        const { messageFindings } = await import("./cli/daemon-findings.ts");
        return messageFindings(await testWays(mails.operatorWays, randomId(), signal));
      },
    },
    signal,
  });
  return { app, scrape };
}

/** Ends requests and work in progress, and closes the modules. */
async function stop(
  modules: Modules,
  {
    servers,
    addressFile,
    work,
  }: {
    readonly servers: readonly Server[];
    readonly addressFile: string;
    readonly work: Promise<void>;
  },
): Promise<void> {
  const { log } = modules;
  log.info("stopping");
  for (const server of servers) {
    server.close();
    server.closeIdleConnections();
  }
  const lingering = startTimer(1000, () => {
    for (const server of servers) server.closeAllConnections();
  });
  try {
    rmSync(addressFile, { force: true });
  } catch (error) {
    // Without the lock, which ends with this process, the file has no meaning.
    log.warn("address file could not be removed", { error });
  }
  // Requests in progress get a few seconds; edits still claimed afterwards are released.
  const hasEnded = await within(patienceMs, Promise.all([modules.upstream.close(), work]));
  lingering.cancel();
  for (const server of servers) server.closeAllConnections();
  if (!hasEnded) log.warn("work did not finish in time and resumes at the next start");
  await modules.close();
  log.info("stopped");
}

/** Listens for metrics scrapers if configured; null if metrics are on the daemon's own port. */
async function openMetrics(
  scrape: Scraper,
  { config, log, clock }: Modules,
): Promise<{ readonly url: string; readonly server: Server } | null> {
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
  return { url: `${openableUrl({ host, port: taken })}/metrics`, server };
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
async function examineDaemon(status: Status, { config, clock }: Modules) {
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
