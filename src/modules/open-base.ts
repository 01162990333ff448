import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createEventLoopBudget, type EventLoopBudget } from "@dayferry/event-loop";
import { backupAtOnce } from "../backups/backup-processes.ts";
import { snapshotName } from "../backups/snapshots.ts";
import type { Config } from "../config/config.ts";
import { type LiveSecrets, stillSecrets } from "../config/live-secrets.ts";
import { createTallies, type Tallies } from "../domain/tallies.ts";
import type { Log } from "../log.ts";
import { createWake } from "../loop.ts";
import { inNextTurn, randomId } from "../runtime.ts";
import { MigrationError } from "../store/migrate.ts";
import { openStore, type Store } from "../store/store.ts";
import { type DataKeys, openDataKeys } from "./data-keys.ts";
import type { DaemonContext } from "./module.ts";

/** What a process may pass to the modules that it opens. */
export interface ModulesOptions {
  readonly log: Log;
  /** Version of this program, recorded in backups. */
  readonly version?: string | undefined;
  /** Watches the secret files. Default: the secrets of `config`. */
  readonly secrets?: LiveSecrets | undefined;
}

/** What all other modules need. */
export interface Base extends DaemonContext {
  readonly config: Config;
  readonly log: Log;
  readonly store: Store;
  readonly secrets: LiveSecrets;
  readonly keys: DataKeys;
  /** The current admin token. */
  readonly adminToken: () => string;
  /** Divides the time of the main thread among all work that can wait. */
  readonly eventLoop: EventLoopBudget;
  /** Counts since the start, for metrics. */
  readonly tallies: Tallies;
  readonly wakes: ReturnType<typeof createWakes>;
}

/** Wakes a loop that has something to do before its pause is over. */
const createWakes = () => ({
  drain: createWake(),
  editWaker: createWake(),
  reminders: createWake(),
  notices: createWake(),
  cachePurger: createWake(),
  logInMails: createWake(),
  invitations: createWake(),
});

const migrations = fileURLToPath(new URL("../../migrations", import.meta.url));

/** Opens the keys and the database of a locked data directory. `openModules` turns its errors into sentences. */
export function openBase(
  config: Config,
  {
    log,
    version = "unknown",
    secrets = stillSecrets(config),
    ...context
  }: DaemonContext & ModulesOptions,
): Base {
  const { clock, monotonic } = context;
  const keys = openDataKeys(config, log);
  const store = openStore({
    file: join(config.dataDir, "dayferry.sqlite"),
    migrations,
    zone: config.service.timeZone,
    clock,
    randomId,
    beforeMigration: () => backUpFirst(config, { program: version, log }, clock()),
  });
  return {
    ...context,
    config,
    log,
    store,
    secrets,
    keys,
    adminToken: () => secrets.current().adminToken ?? keys.madeToken,
    eventLoop: createEventLoopBudget({ monotonic, later: inNextTurn }),
    tallies: createTallies(),
    wakes: createWakes(),
  };
}

/** Makes a backup before a migration, so that it can be undone. Throws if that fails. */
function backUpFirst(
  { dataDir, backups }: Config,
  { program, log }: { readonly program: string; readonly log: Log },
  now: Temporal.Instant,
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
