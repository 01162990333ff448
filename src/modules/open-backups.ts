import { createBackupProcesses } from "../backups/backup-processes.ts";
import { createDailyBackups } from "../backups/daily-backups.ts";
import { newestSnapshots } from "../backups/snapshots.ts";
import type { LoopJob } from "./module.ts";
import type { Modules } from "./open-modules.ts";

/** Daily backups. */
export type BackupsModule = ReturnType<typeof openBackups>;

interface BackupsOptions {
  readonly version: string;
  /** Called when the database is found damaged. */
  readonly onDamage?: ((problem: string) => void) | undefined;
}

const minute = Temporal.Duration.from({ minutes: 1 });

export function openBackups(
  { config, secrets, store, clock, log }: Modules,
  { version, onDamage }: BackupsOptions,
) {
  const { installedAt } = store.meta;
  const backups = createDailyBackups({
    rules: {
      ...config.backups,
      get passphrase() {
        return secrets.current().backups.passphrase;
      },
    },
    zone: config.service.timeZone,
    dataDir: config.dataDir,
    program: version,
    installedAt,
    processes: createBackupProcesses(),
    troubles: store.troubles,
    clock,
    onEvent(event) {
      const { kind, ...fields } = event;
      log[kind === "made" ? "info" : "error"](`backup ${kind}`, fields);
      if (event.kind === "damaged") onDamage?.(event.problem);
    },
  });
  return {
    backups,
    /** When the newest backup was made; if there is none, the time of the installation, or null if backups are off. */
    backedUpAt: (): Temporal.Instant | null => {
      const [newest] = newestSnapshots(config.backups.directory, clock());
      return newest?.madeAt ?? (config.backups.enabled ? installedAt : null);
    },
    jobs: (): readonly LoopJob[] => [
      {
        name: "backups",
        idle: minute,
        async step(signal) {
          await backups.step(signal);
          return "idle";
        },
      },
    ],
  };
}
