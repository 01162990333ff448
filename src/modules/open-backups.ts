import { createBackupProcesses } from "../backups/backup-processes.ts";
import { createDailyBackups, type DailyBackups } from "../backups/daily-backups.ts";
import { newestSnapshots } from "../backups/snapshots.ts";
import type { DaemonModule } from "./module.ts";
import type { Modules } from "./open-modules.ts";

/** Daily backups. */
export interface BackupsModule extends DaemonModule {
  readonly backups: DailyBackups;
  /** When the newest backup was made; null if none is due. */
  readonly backedUpAt: () => Temporal.Instant | null;
}

const minute = Temporal.Duration.from({ minutes: 1 });

export function openBackups(
  { config, secrets, store, clock, log }: Modules,
  {
    version,
    onDamage,
  }: { readonly version: string; readonly onDamage?: ((problem: string) => void) | undefined },
): BackupsModule {
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
    // Backups are checked before they get their names.
    backedUpAt() {
      const [newest] = newestSnapshots(config.backups.directory, clock());
      return newest?.madeAt ?? (config.backups.enabled ? installedAt : null);
    },
    jobs: () => [
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
