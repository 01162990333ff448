import { join } from "node:path";
import { createWake, runLoop, type Wake } from "../loop.ts";
import { createClockWatch } from "../store/clock-watch.ts";
import type { StorageHealth } from "../store/storage-health.ts";
import { idleAfter, type JobOptions, type LoopJob } from "./module.ts";
import type { Modules } from "./open-modules.ts";

interface RunOptions extends JobOptions {
  readonly modules: Modules;
  /** Jobs of modules that only a serving daemon has. */
  readonly jobs: readonly LoopJob[];
  /** Announces the daemon's address to commands. */
  readonly announce: () => void;
}

const idle = Temporal.Duration.from({ seconds: 5 });
const storageRest = Temporal.Duration.from({ seconds: 2 });
/** How often the secret files are checked. */
const secretsRest = Temporal.Duration.from({ seconds: 2 });

/** Runs all loops of the daemon concurrently; resolves when each has ended after the signal. */
export async function runJobs(options: RunOptions): Promise<void> {
  const { modules, signal } = options;
  const { sync, drain, feeds, store, random, log } = modules;
  const recovered = createWake();
  const run = ({ name, ...job }: LoopJob) =>
    runLoop({
      idle,
      signal,
      random,
      ...job,
      recovered,
      onFault(error, consecutive) {
        // Only the storage loop reports a failing disk, so that it is reported once.
        if (!store.health.note(error)) log.error(`${name} failed`, { error, consecutive });
        else log.debug(`${name} could not store`, { error, consecutive });
      },
    });
  const onRecovered = () => {
    sync.recover();
    recovered.notify();
  };
  const storage = run(storageJob(options, onRecovered));
  const jobs = [...modules.jobs(options), clockJob(modules), secretsJob(options), ...options.jobs];
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
  await Promise.all([storage, ...jobs.map(run)]);
}

/** The steps before all loops, retried until the disk works. In the meantime, requests are answered from existing data. */
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

/** After the machine's clock was set back, ends the waits for a time of day, because they would take that much longer. */
function clockJob({ clock, monotonic, store, sync, wakes, log }: Modules): LoopJob {
  const clockWatch = createClockWatch({ clock, monotonic });
  return {
    name: "clock",
    step: idleAfter(() => {
      const by = clockWatch.setBack();
      if (by === null) return;
      const waits = store.futureWaits.end();
      log.warn("clock set back", { by, waits });
      // A read time in the future would prevent the next read until then.
      sync.rereadAll();
      sync.recover();
      wakes.drain.notify();
    }),
  };
}

/** Rereads the secret files, and continues everything that waited for a secret. */
function secretsJob({ modules, wakeSecrets }: RunOptions): LoopJob {
  const { secrets, log } = modules;
  return {
    name: "secrets",
    idle: secretsRest,
    ...(wakeSecrets && { wake: wakeSecrets }),
    step: idleAfter(() => {
      const found = secrets.look();
      if (found.kind === "unusable") {
        const { problem } = found;
        log.warn("secret files cannot be loaded; the previous secrets stay active", { problem });
      }
      if (found.kind === "changed") {
        log.info("secrets reloaded", { files: found.keys });
        modules.secretsChanged();
      }
    }),
  };
}

/** Reports when the disk rejects writes, retries until it accepts them, and continues everything then. */
function storageJob({ modules, onDamage }: RunOptions, onRecovered: () => void): LoopJob {
  const { config, log } = modules;
  const { health } = modules.store;
  let reported: string | null = null;
  return {
    name: "storage",
    idle: storageRest,
    step: idleAfter(() => {
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
    }),
  };
}
