import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { remedyFor, rescueEdits, standInName } from "./backups/damage.ts";
import { unpack } from "./backups/restore-backup.ts";
import { newestSnapshots } from "./backups/snapshots.ts";
import { listenAsConfigured, openableUrl } from "./config/listening.ts";
import { messageOf } from "./domain/result.ts";
import type { Trouble } from "./domain/trouble-kinds.ts";
import { guardConnections } from "./http/connections.ts";
import { createDamagedApp, refuseWhileDamaged } from "./http/damaged-app.ts";
import { createLoopDelayMeter, measureDelays } from "./http/loop-delay.ts";
import { createWake, runLoop } from "./loop.ts";
import { chooseMailer, openOperatorWays } from "./modules/mailer.ts";
import type { Modules } from "./modules/open-modules.ts";
import { createThrottle } from "./people/throttle.ts";
import { createOperatorNotifier } from "./reminders/operator/notify-operator.ts";
import { type Generation, openGeneration, type ReadOnlyOptions } from "./serve-read-only.ts";
import { keepRevoked } from "./store/copies/revocations.ts";
import { lockDataDirectory } from "./store/data-lock.ts";
import { createTroubleWatch, type TroubleWatch } from "./troubles/trouble-watch.ts";

export interface DamagedOptions extends Omit<ReadOnlyOptions, "lookEvery"> {
  /** What is wrong with the database, as a sentence. */
  readonly problem: string;
}

const databaseName = "dayferry.sqlite";
const messageRest = Temporal.Duration.from({ seconds: 10 });

/**
 * Serves while the database is damaged, until shutdown: feeds and pages have the content of the newest good backup, everything
 * else is answered with 503 and the reason, and the operator is told once which command helps. The damaged file is searched for
 * undelivered edits and not written to. No requests go to the service and no mails to people. Returns the exit code.
 */
export async function serveDamaged(options: DamagedOptions): Promise<0 | 1> {
  const { config, log, say, clock } = options;
  const { dataDir, http } = config;
  const lock = lockDataDirectory(dataDir);
  if (!lock) {
    say(`another process uses the data directory ${dataDir}; stop that one first\n`);
    return 1;
  }
  const state: { app: RequestListener; standIn: StandIn | null; remedy: string } = {
    app: createDamagedApp({ problem: options.problem, remedy: "", asOf: null, standIn: null }),
    standIn: null,
    remedy: "",
  };
  const server = createServer((request, response) => state.app(request, response));
  const addressFile = join(dataDir, "daemon.json");
  try {
    const listened = await listenAsConfigured(server, http);
    if (!listened.ok) {
      say(`${listened.failure}\n`);
      return 1;
    }
    guardConnections(server, { trustProxy: http.trustProxy, log, clock });
    const rescued = rescueEdits(dataDir);
    const good = await findGood(options);
    const known = rescued
      ? `; ${rescued.edits} edits that had not arrived are written out in ${rescued.file}`
      : "";
    const remedy = `${remedyFor(config, { good: good?.file ?? null, now: clock() })}${known}`;
    const { problem } = options;
    log.error("database damaged", { problem, remedy });
    say(`${problem}\nWhat to do: ${remedy}\n`);
    const port = listened.value;
    const url = http.publicUrl ?? openableUrl({ host: http.host, port });
    const trouble: Trouble = { kind: "database-damaged", problem, remedy };
    const standIn = openStandIn(options, { good, trouble, url });
    state.standIn = standIn;
    state.app = createDamagedApp({
      problem,
      remedy,
      asOf: good?.madeAt ?? null,
      standIn: {
        app: standIn.generation.app,
        opens: (secret) => standIn.generation.modules.feeds.open(secret) !== null,
      },
    });
    writeFileSync(addressFile, JSON.stringify({ url: openableUrl({ host: http.host, port }) }), {
      mode: 0o600,
    });
    log.info("serving", { url, dataDir, damaged: true, backup: good?.file ?? null });
    options.onListening?.(url);
    await notifyOperator(options, standIn);
    log.info("stopping");
    return 0;
  } finally {
    rmSync(addressFile, { force: true });
    server.close();
    server.closeAllConnections();
    state.standIn?.generation.stop.abort();
    await state.standIn?.generation.modules.close();
    lock.release();
  }
}

interface Good {
  readonly file: string;
  readonly madeAt: Temporal.Instant;
  readonly folder: string;
}

/**
 * The newest valid backup, unpacked below the data directory; it stays there across restarts, with the record of who was
 * notified.
 */
async function findGood({ config, log, clock }: DamagedOptions): Promise<Good | null> {
  const { dataDir, backups } = config;
  const place = join(dataDir, standInName);
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const draft = join(place, "draft");
  for (const { file, madeAt, name } of newestSnapshots(backups.directory, clock())) {
    const folder = join(place, name);
    if (existsSync(join(folder, databaseName))) return { file, madeAt, folder };
    try {
      rmSync(draft, { recursive: true, force: true });
      mkdirSync(draft, { mode: 0o700 });
      const unpacked = await unpack(file, draft);
      if (!unpacked.ok) throw new Error(unpacked.failure);
      keepRevoked(join(draft, databaseName), join(dataDir, databaseName));
      for (const other of readdirSync(place)) {
        if (other !== "draft") rmSync(join(place, other), { recursive: true, force: true });
      }
      renameSync(draft, folder);
      return { file, madeAt, folder };
    } catch (error) {
      log.warn("backup cannot be served", { file, problem: messageOf(error) });
      rmSync(draft, { recursive: true, force: true });
    }
  }
  return null;
}

interface StandIn {
  readonly generation: Generation;
  readonly watch: TroubleWatch;
}

/** Opens the modules on the backup, or on an empty database if there is none: pages and operator messages work in any case. */
function openStandIn(
  options: DamagedOptions,
  {
    good,
    trouble,
    url,
  }: { readonly good: Good | null; readonly trouble: Trouble; readonly url: string },
): StandIn {
  const { config, clock, signal } = options;
  const folder = good?.folder ?? join(config.dataDir, standInName, "empty");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const readAt = good?.madeAt ?? null;
  const now = clock();
  let watch: TroubleWatch | null = null;
  const watchOf = ({ store }: Modules): TroubleWatch => {
    watch ??= createTroubleWatch({
      store,
      find: () => ({ present: [trouble], isUnsure: () => false }),
      clock,
      onEvent() {},
    });
    return watch;
  };
  const generation = openGeneration(
    {
      folder,
      copy: {
        ...{ installation: "", epoch: null, revision: 0 },
        ...{ readAt, fileAt: readAt ?? now, takenAt: now },
      },
    },
    {
      ...options,
      throttle: createThrottle({ clock }),
      publicUrl: () => url,
      primary: null,
      loopDelay: createLoopDelayMeter(measureDelays(signal)),
      problem: () => trouble.kind,
      refusal: refuseWhileDamaged,
      troubles: watchOf,
    },
  );
  return { generation, watch: watchOf(generation.modules) };
}

/** Sends the one message by each channel, until shutdown. */
async function notifyOperator(options: DamagedOptions, { generation, watch }: StandIn) {
  const { config, log, signal, clock, random, version } = options;
  const { store } = generation.modules;
  const mailer = chooseMailer(config.mail);
  const { installation } = store.meta;
  const messages = createOperatorNotifier({
    store,
    ways: openOperatorWays(config, { mailer, installation, version, clock }),
    again: config.operator.again,
    held: watch.held,
    clock,
    random,
    onEvent: ({ kind, ...fields }) => log.info(`operator message ${kind}`, fields),
  });
  await runLoop({
    signal,
    random,
    idle: messageRest,
    wake: createWake(),
    onFault: (error, consecutive) => log.error("notification failed", { error, consecutive }),
    step() {
      watch.look();
      return messages.step(signal);
    },
  });
  mailer.close();
}
