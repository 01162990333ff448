import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listenAsConfigured, openableUrl } from "./config/listening.ts";
import type { LoadedConfig } from "./config/load.ts";
import { isRecent } from "./domain/backoff.ts";
import { messageOf } from "./domain/result.ts";
import { guardConnections } from "./http/connections.ts";
import { continueWhenRead } from "./http/continue.ts";
import type { CopyState } from "./http/daemon-state.ts";
import { createApp } from "./http/http-app.ts";
import { createLoopDelayMeter, measureDelays } from "./http/loop-delay.ts";
import { refuseWrites } from "./http/refuse-writes.ts";
import { createSharedCache } from "./http/shared-cache.ts";
import type { Log } from "./log.ts";
import { runLoop } from "./loop.ts";
import { openMailLinks } from "./modules/mailer.ts";
import type { DaemonContext } from "./modules/module.ts";
import { type Modules, openModules } from "./modules/open-modules.ts";
import { appParts, scraperOf } from "./modules/open-web.ts";
import { createMailedLogIns } from "./people/mailed-log-in.ts";
import { createThrottle, type Throttle } from "./people/throttle.ts";
import { createReportProcesses, reportServer } from "./reports/report-processes.ts";
import { sleep, startTimer } from "./runtime.ts";
import {
  type CopyFacts,
  type CopySource,
  createCopySource,
} from "./store/reading/database-copy.ts";
import type { TroubleWatch } from "./troubles/trouble-watch.ts";

export interface ReadOnlyOptions extends DaemonContext {
  /** Loaded for a reader: without the secrets that only a writing daemon needs. */
  readonly config: LoadedConfig;
  readonly version: string;
  readonly log: Log;
  /** Prints a message to the terminal. */
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  /** Called with the URL once it listens. */
  readonly onListening?: (url: string) => void;
  /** How often to check for a new state. Default: one second. */
  readonly lookEvery?: Temporal.Duration;
}

/** The modules on one state of the database. Requests that start on it finish on it. */
export interface Generation {
  readonly app: ReturnType<typeof createApp>;
  readonly modules: Modules;
  readonly folder: string;
  readonly copy: CopyFacts;
  /** Ends the streams of open pages; browsers reconnect to the next generation. */
  readonly stop: AbortController;
  users: number;
  isRetired: boolean;
}

/** What lasts for the whole life of the process. */
export interface Standing extends ReadOnlyOptions {
  readonly throttle: Throttle;
  readonly publicUrl: () => string;
  readonly primary: string | null;
  readonly loopDelay: ReturnType<typeof createLoopDelayMeter>;
  /** Why the current copy is not served. */
  readonly problem: () => string | null;
  /** Rejects edits, if the reason is not that this is a copy. */
  readonly refusal?: ReturnType<typeof refuseWrites>;
  /** Troubles for the operator, if they are not those in the database. */
  readonly troubles?: (modules: Modules) => TroubleWatch;
}

const usualLook = Temporal.Duration.from({ seconds: 1 });
/**
 * Pause between opening states, as a multiple of the time it took: a copy that changes constantly must not use a whole
 * processor.
 */
const restFactor = 4;

/**
 * Serves feeds, calendars, pages and reports from a copy of the database that another daemon writes, wherever it comes from and
 * however it is replaced. Each complete state is copied into a private folder and served from there: nothing is written to the
 * copy or beside it, no lock is taken there, and two states are never mixed. An incomplete state leaves the last one in place.
 * The render cache belongs to the private state. Returns the exit code.
 */
export async function runReadOnly(options: ReadOnlyOptions): Promise<0 | 1> {
  const { config, log, say, signal, clock, monotonic } = options;
  const into = mkdtempSync(join(tmpdir(), "dayferry-reader-"));
  let url = "";
  let problem: string | null = null;
  const standing: Standing = {
    ...options,
    throttle: createThrottle({ clock }),
    publicUrl: () => config.http.publicUrl ?? url,
    primary: config.http.primaryUrl ?? config.http.publicUrl,
    loopDelay: createLoopDelayMeter(measureDelays(signal)),
    problem: () => problem,
  };
  const file = join(config.dataDir, "dayferry.sqlite");
  const source = createCopySource({ file, into, clock, monotonic });
  try {
    const missing = missingKeys(config);
    if (missing.length > 0) {
      say(
        `${missing.join(" and ")} must be in the folder of the database, ${config.dataDir}: copy it from the daemon that writes, so that addresses are the same\n`,
      );
      return 1;
    }
    const first = await openFirst(source, standing);
    if (typeof first === "string") {
      say(`${file} cannot be served: ${first}\n`);
      return 1;
    }
    let current = first;
    const serve = (request: IncomingMessage, response: ServerResponse) => {
      const generation = current;
      generation.users += 1;
      response.once("close", () => {
        generation.users -= 1;
        void closeIfDone(generation);
      });
      generation.app(request, response);
    };
    const server = createServer(serve);
    continueWhenRead(server, serve);
    const listened = await listenAsConfigured(server, config.http);
    if (!listened.ok) {
      await retire(current);
      say(`${listened.failure}\n`);
      return 1;
    }
    guardConnections(server, { trustProxy: config.http.trustProxy, log, clock });
    url = openableUrl({ host: config.http.host, port: listened.value });
    log.info("serving", {
      url: config.http.publicUrl ?? url,
      dataDir: config.dataDir,
      readOnly: true,
    });
    say(`Dayferry serves a copy at ${config.http.publicUrl ?? url}/ (Ctrl-C stops it)\n`);
    options.onListening?.(url);

    let restUntilMs = 0;
    await runLoop({
      signal,
      random: options.random,
      idle: options.lookEvery ?? usualLook,
      onFault: (error, consecutive) => log.error("copying failed", { error, consecutive }),
      async step() {
        if (monotonic() < restUntilMs) return "idle";
        const began = monotonic();
        const next = await openNext(source, standing);
        if (next.kind === "opened") {
          const before = current;
          current = next.generation;
          await retire(before);
          restUntilMs = monotonic() + (monotonic() - began) * restFactor;
          noteNew(before.copy, { copy: current.copy, log });
        }
        const now =
          next.kind === "unusable" ? next.problem : next.kind === "waiting" ? problem : null;
        if (now !== null && now !== problem) {
          log.warn("copy cannot be served; keeping the last good one", { problem: now });
        }
        problem = now;
        return "idle";
      },
    });
    log.info("stopping");
    current.stop.abort();
    server.close();
    server.closeIdleConnections();
    const lingering = startTimer(1000, () => server.closeAllConnections());
    await new Promise((resolve) => server.once("close", resolve));
    lingering.cancel();
    await retire(current);
    log.info("stopped");
    return 0;
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
}

type Opened =
  | { readonly kind: "opened"; readonly generation: Generation }
  | { readonly kind: "unchanged" | "waiting" }
  | { readonly kind: "unusable"; readonly problem: string };

async function openNext(source: CopySource, standing: Standing): Promise<Opened> {
  const taken = await source.take();
  if (taken.kind !== "taken") return taken;
  try {
    return { kind: "opened", generation: openGeneration(taken, standing) };
  } catch (error) {
    // For example a database of a newer build.
    rmSync(taken.folder, { recursive: true, force: true });
    return { kind: "unusable", problem: messageOf(error) };
  }
}

const firstTries = 5;

/** The first state, or why there is none: a copy may just be in progress. */
async function openFirst(source: CopySource, standing: Standing): Promise<Generation | string> {
  let problem = "";
  for (let tried = 1; tried <= firstTries && !standing.signal.aborted; tried += 1) {
    const opened = await openNext(source, standing);
    if (opened.kind === "opened") return opened.generation;
    if (opened.kind === "unusable") problem = opened.problem;
    await sleep(1000);
  }
  return problem;
}

/** A restored backup or an older copy is accepted, and logged. */
function noteNew(
  before: CopyFacts,
  { copy, log }: { readonly copy: CopyFacts; readonly log: Log },
): void {
  const { revision, epoch, installation } = copy;
  const isOther = epoch !== before.epoch || installation !== before.installation;
  if (isOther) log.warn("copy is from a restored database", { revision, before: before.revision });
  else if (revision < before.revision) {
    log.warn("copy is older than the previous one", { revision, before: before.revision });
  } else log.debug("serving a new state", { revision, before: before.revision });
}

/** Secrets that feed URLs depend on: new ones would change the URLs. */
function missingKeys({ dataDir, feeds, http }: LoadedConfig): readonly string[] {
  const hasLinks = feeds.actionLinks && http.publicUrl !== null;
  return ["feed-key", ...(hasLinks ? ["link-key"] : [])].filter(
    (name) => !existsSync(join(dataDir, name)),
  );
}

/** Opens a state in a folder of its own and everything that serves it; keys come from the data directory. */
export function openGeneration(
  { folder, copy }: { readonly folder: string; readonly copy: CopyFacts },
  standing: Standing,
): Generation {
  const { config: written, clock, throttle, publicUrl } = standing;
  const { dataDir, http } = written;
  for (const name of readdirSync(dataDir)) {
    if (/^[a-z-]+-(?:key|token)$/.test(name)) copyFileSync(join(dataDir, name), join(folder, name));
  }
  const config: LoadedConfig = {
    ...written,
    dataDir: folder,
    backups: { ...written.backups, directory: join(folder, "backups") },
    mail: { ...written.mail, smtpUrl: null, directory: join(folder, "mail") },
    http: {
      ...http,
      sharedCache: http.sharedCache && { ...http.sharedCache, purge: null },
    },
  };
  const opened = openModules(config, { ...standing, throttle });
  if (!opened.ok) throw new Error(opened.failure);
  const modules = opened.value;
  const stop = new AbortController();
  const mailLinks = openMailLinks(config, modules.keys);
  const fresh = () =>
    copy.readAt !== null && isRecent(copy.readAt, { length: config.polling.maxAge, now: clock() });
  const web = { ...standing, fresh, clockLead: () => null };
  const more = { isOut: () => false, backedUpAt: () => null, copy: () => stateOf(copy, standing) };
  // A separate metrics port belongs to the writing daemon.
  const hasMetrics = config.metrics.enabled && config.metrics.port === null;
  const common = appParts(modules, web);
  const app = createApp({
    ...common,
    scrape: hasMetrics ? scraperOf(modules, { ...web, more }) : null,
    metricsUrl: () => (hasMetrics ? `${publicUrl()}/metrics` : null),
    sharedCache: createSharedCache({
      config: config.http.sharedCache,
      installation: modules.store.meta.installation,
      onServed() {},
    }),
    refuseWrites: standing.refusal ?? refuseWrites(standing.primary),
    copy: more.copy,
    workspace: null,
    mailLinks,
    outbox: null,
    mailedLogIns: createMailedLogIns({
      ...{ store: modules.store, clock },
      passwords: modules.accessControl.passwords,
      signer: mailLinks.logInSigner,
      onAsked() {},
    }),
    reports: reportServer(createReportProcesses({ signal: stop.signal }), {
      file: common.databaseFile,
      zone: common.zone,
      clock,
    }),
    troubles: (standing.troubles?.(modules) ?? modules.troubleWatch).held,
    sendsMail: false,
    operator: {
      settings: async () => {
        const { effectiveSettings } = await import("./config/effective.ts");
        return effectiveSettings(written.written);
      },
      examine: async (status) => {
        const { daemonFindings } = await import("./cli/daemon-findings.ts");
        const today = clock().toZonedDateTimeISO("UTC").toPlainDate();
        return daemonFindings(JSON.parse(JSON.stringify(status)), {
          ...{ zone: config.service.timeZone, today },
        });
      },
    },
    signal: stop.signal,
  });
  return { app, modules, folder, copy, stop, users: 0, isRetired: false };
}

function stateOf(copy: CopyFacts, { clock, problem, primary }: Standing): CopyState {
  const { readAt, fileAt, takenAt, revision } = copy;
  const ageSeconds = readAt && Math.max(0, Math.round(clock().since(readAt).total("seconds")));
  return { ageSeconds, readAt, fileAt, takenAt, revision, problem: problem(), primary };
}

/** Accepts nothing new; requests in progress finish on it. */
async function retire(generation: Generation): Promise<void> {
  generation.isRetired = true;
  generation.stop.abort();
  await closeIfDone(generation);
}

async function closeIfDone(generation: Generation): Promise<void> {
  if (!generation.isRetired || generation.users > 0) return;
  generation.isRetired = false;
  await generation.modules.close();
  rmSync(generation.folder, { recursive: true, force: true });
}
