import { join } from "node:path";
import type { DailyBackups } from "./backups/daily-backups.ts";
import type { DaemonContext, Modules } from "./build-daemon.ts";
import { runChannels } from "./channels.ts";
import type { Config } from "./config/config.ts";
import type { Mails, OperatorMessaging } from "./daemon-mails.ts";
import { forgetOld } from "./edits/upkeep.ts";
import { inTurns } from "./event-loop-budget.ts";
import type { LoopDelayMeter } from "./http/loop-delay.ts";
import type { Log } from "./log.ts";
import { createWake, type LoopOptions, runLoop, type Wake } from "./loop.ts";
import { createClockWatch } from "./store/clock-watch.ts";
import type { StorageHealth } from "./store/storage-health.ts";
import type { SweepProgress } from "./sync/sync.ts";

export interface JobsOptions extends DaemonContext {
  readonly config: Config;
  readonly modules: Modules;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called with the progress of the first sweep; the log has it as well. */
  readonly onProgress?: (progress: SweepProgress) => void;
  /** Called when the database is found damaged, possibly more than once; without it the daemon goes on as on a failing disk. */
  readonly onDamage?: (problem: string) => void;
  /** Notified when somebody asks for the secret files to be read again. */
  readonly wakeSecrets?: Wake;
  /** Publishes the daemon's address for commands. */
  readonly announce: () => void;
  readonly loopDelay: LoopDelayMeter;
  readonly mails: Mails;
  readonly operator: OperatorMessaging;
  readonly backups: DailyBackups;
  readonly wakeLogInMails: Wake;
}

/** How many loops deliver edits concurrently. */
const drains = 4;
const progressEveryMs = 2000;
const idle = Temporal.Duration.from({ seconds: 5 });
/** How often the service is probed while it is down or rejects a key. */
const wakerRest = Temporal.Duration.from({ seconds: 3 });
/** Changes within this time are purged together; a revoked URL wakes the loop. */
const purgeRest = Temporal.Duration.from({ seconds: 1 });
const storageRest = Temporal.Duration.from({ seconds: 2 });
/** How often certificates are checked. */
const certificatesRest = Temporal.Duration.from({ hours: 6 });
/** Delay of the first check, because a start is busy. */
const firstCertificates = Temporal.Duration.from({ minutes: 1 });
/** How often the secret files are checked. */
const secretsRest = Temporal.Duration.from({ seconds: 2 });
const troubleRest = Temporal.Duration.from({ seconds: 10 });
const hour = Temporal.Duration.from({ hours: 1 });
const minute = Temporal.Duration.from({ minutes: 1 });
const day = Temporal.Duration.from({ hours: 24 });
/** Below this, drains would poll the journal constantly when its clock and theirs differ by rounding. */
const shortestRest = Temporal.Duration.from({ milliseconds: 50 });

/** Runs all loops of the daemon concurrently; resolves when each has ended after the signal. */
export async function runJobs(options: JobsOptions): Promise<void> {
  const { modules, log, signal, clock, random } = options;
  const { sync, drain, feeds, store, wakeDrain, wakeReminders } = modules;
  const { mailer, reminders, notices, logInMails, webhookStep } = options.mails;
  const recovered = createWake();
  const clockWatch = createClockWatch(options);
  let isUpkept = false;
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
        // The storage loop reports a failing disk once, instead of every loop.
        if (!store.health.note(error)) log.error(`${name} failed`, { error, consecutive });
        else log.debug(`${name} could not store`, { error, consecutive });
      },
    });
  const onRecovered = () => {
    sync.recover();
    recovered.notify();
  };
  const storage = loop("storage", watchStorage({ ...options, health: store.health, onRecovered }), {
    idle: storageRest,
  });
  await onceStorable(
    () => {
      options.announce();
      const resumed = drain.recover();
      if (resumed > 0) log.info("resuming edits of an earlier run", { edits: resumed });
      store.futureWaits.end();
      feeds.ensure();
    },
    { health: store.health, recovered, signal },
  );
  await Promise.all([
    storage,
    ...Array.from({ length: drains }, () =>
      loop("drain", drain.step, {
        wake: wakeDrain,
        idle: () =>
          modules.upstream.isOut() || modules.upstream.takesNoWrites()
            ? idle
            : restUntil([store.journal.nextAt(), store.unanswered.nextLookAt()], clock()),
      }),
    ),
    loop("sweep", async () => {
      if (!sync.ready && !sync.goesOn) await firstSweep(options);
      await sync.run(signal);
      return "idle";
    }),
    loop("feeds", () => {
      feeds.ensure();
      feeds.keepFetches();
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
      async () => {
        // A clock that is years ahead would make everything old, so it must agree with the service's.
        const lead = modules.upstream.clockLead();
        isUpkept = lead !== null && Temporal.Duration.compare(lead.abs(), day) < 0;
        if (!isUpkept) return "idle";
        const edits = await inTurns(forgetOld({ store, clock }), modules.eventLoop);
        if (edits > 0) log.info("old edits deleted", { edits });
        return "idle";
      },
      { idle: () => (isUpkept ? day : minute) },
    ),
    loop(
      "clock",
      () => {
        const by = clockWatch.setBack();
        if (by === null) return Promise.resolve("idle");
        const waits = store.futureWaits.end();
        log.warn("clock set back", { by, waits });
        // A read time in the future would prevent the next read until then.
        modules.sync.rereadAll();
        modules.sync.recover();
        wakeDrain.notify();
        return Promise.resolve("idle");
      },
      { idle },
    ),
    loop(
      "backups",
      async () => {
        await options.backups.step(signal);
        return "idle";
      },
      { idle: minute },
    ),
    loop(
      "troubles",
      () => {
        modules.troubleWatch.look();
        return Promise.resolve("idle");
      },
      { idle: troubleRest },
    ),
    loop("certificates", ...watchCertificates(options)),
    loop("secrets", followSecretFiles(options), {
      idle: secretsRest,
      ...(options.wakeSecrets && { wake: options.wakeSecrets }),
    }),
    loop("operator messages", options.operator.messages.step, { idle: troubleRest }),
    modules.cachePurger &&
      loop("cache purges", modules.cachePurger.step, {
        wake: modules.wakeCachePurger,
        idle: purgeRest,
      }),
    loop("edit waker", modules.editWaker.step, { wake: modules.wakeEditWaker, idle: wakerRest }),
    loop(
      "key access",
      async () => {
        await modules.keyAccess(signal);
        return "idle";
      },
      { idle: Temporal.Duration.from({ seconds: 1 }) },
    ),
    loop("messages to people", webhookStep),
    loop("reminders", reminders.step, { wake: wakeReminders }),
    loop("notices", notices.step, { wake: modules.wakeNotices }),
    loop("log-in mails", logInMails.step, { wake: options.wakeLogInMails }),
    runChannels(modules.channels, loop),
  ]);
  mailer.close();
}

/** What precedes all loops, retried until the disk works; requests are answered from existing data meanwhile. */
async function onceStorable(
  begin: () => void,
  {
    health,
    recovered,
    signal,
  }: { readonly health: StorageHealth; readonly recovered: Wake; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      begin();
      return;
    } catch (error) {
      if (!health.note(error)) throw error;
      await recovered.wait(storageRest.total("milliseconds"), signal);
    }
  }
}

/** Checks the certificates of the service, the mail server and this daemon's public URL. */
function watchCertificates({
  config,
  modules,
  clock,
}: Pick<JobsOptions, "config" | "modules" | "clock">): readonly [
  LoopOptions["step"],
  Pick<LoopOptions, "idle">,
] {
  const { troubles } = modules.store;
  let rest = firstCertificates;
  let isFirst = true;
  return [
    async (signal) => {
      if (isFirst) {
        isFirst = false;
        return "idle";
      }
      const { createCertificateWatch, tlsServers } = await import(
        "./troubles/certificate-watch.ts"
      );
      const servers = tlsServers(config);
      await createCertificateWatch({ servers, troubles, clock }).look(signal);
      const isNear = troubles.reported().some(({ kind }) => kind === "certificate");
      rest = isNear ? hour : certificatesRest;
      return "idle";
    },
    { idle: () => rest },
  ];
}

/** Rereads the secret files, and continues whatever waited for a secret. */
function followSecretFiles({
  modules,
  log,
}: Pick<JobsOptions, "modules" | "log">): LoopOptions["step"] {
  return () => {
    const found = modules.secrets.look();
    if (found.kind === "unusable") {
      const { problem } = found;
      log.warn("secret files cannot be loaded; the previous secrets stay active", {
        problem,
      });
    }
    if (found.kind === "changed") {
      log.info("secrets reloaded", { files: found.keys });
      modules.secretsChanged();
    }
    return Promise.resolve("idle");
  };
}

/** Reports when the disk rejects writes, retries until it accepts them, and continues everything then. */
function watchStorage({
  health,
  onRecovered,
  log,
  config,
  onDamage,
}: Pick<JobsOptions, "log" | "config" | "onDamage"> & {
  readonly health: StorageHealth;
  readonly onRecovered: () => void;
}): LoopOptions["step"] {
  let reported: string | null = null;
  return () => {
    const { kind = null, problem = null } = health.trouble() ?? {};
    if (kind === "damaged") {
      onDamage?.(
        `${join(config.dataDir, "dayferry.sqlite")} is damaged: a part of it cannot be read`,
      );
    }
    if (problem !== null && problem !== reported) log.error("storage failing", { problem });
    if (problem !== null && health.check()) {
      log.info("storage recovered");
      reported = null;
      onRecovered();
    } else reported = problem;
    return Promise.resolve("idle");
  };
}

/** Time until something is due, such as the next attempt of an edit; between `shortestRest` and `idle`. */
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
  modules,
  log,
  signal,
  monotonic,
  onProgress,
}: Pick<JobsOptions, "modules" | "log" | "signal" | "monotonic" | "onProgress">): Promise<void> {
  let reported = Number.NEGATIVE_INFINITY;
  const beganMs = monotonic();
  const {
    changes: _,
    failures,
    ...summary
  } = await modules.sync.sweep({
    signal,
    onProgress(progress) {
      modules.feeds.ensure();
      if (monotonic() - reported < progressEveryMs) return;
      reported = monotonic();
      const { done, total, remaining } = progress;
      log.info("first sweep", { done, total, remaining });
      onProgress?.(progress);
    },
  });
  if (signal.aborted) return;
  modules.tallies.sweeps.add((monotonic() - beganMs) / 1000);
  log.info("first sweep ended", { ...summary, failed: failures.length });
}
