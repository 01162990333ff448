import { join } from "node:path";
import { finishRestore } from "../backups/restore-backup.ts";
import type { Config } from "../config/config.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Throttle } from "../people/throttle.ts";
import { type DataLock, lockDataDirectory } from "../store/data-lock.ts";
import { MigrationError } from "../store/migrate.ts";
import { closeFolder, fileAbove, keepFolderPrivate } from "../store/private-files.ts";
import { SpoiltSecretError } from "../store/secret-files.ts";
import type { DaemonContext, DaemonModule, JobOptions, LoopJob } from "./module.ts";
import { type Base, type ModulesOptions, openBase } from "./open-base.ts";
import { openEdits } from "./open-edits.ts";
import { openFeeds } from "./open-feeds.ts";
import { openPeople } from "./open-people.ts";
import { openService } from "./open-service.ts";
import { openTroubles } from "./open-troubles.ts";

/** The modules of one data directory that every mode has. */
export type Modules = ReturnType<typeof openAll>;

type Ambient = DaemonContext & ModulesOptions & { readonly throttle?: Throttle };

/**
 * Locks the data directory and opens every module on it. Errors are sentences: another process holds the lock, or the database
 * does not fit this build, for example because it is newer.
 */
export function openModules(config: Config, ambient: Ambient): Result<Modules, string> {
  const misplaced = misplacedFolder(config);
  if (misplaced !== null) return fail(misplaced);
  keepFolderPrivate(config.dataDir);
  if (config.mail.smtpUrl === null) closeFolder(config.mail.directory);
  const lock = lockDataDirectory(config.dataDir);
  if (!lock)
    return fail(`another process uses the data directory ${config.dataDir}; stop that one first`);
  try {
    if (finishRestore(config.dataDir)) {
      ambient.log.info("interrupted restore completed");
    }
    return ok(openAll(openBase(config, ambient), { lock, throttle: ambient.throttle }));
  } catch (error) {
    lock.release();
    if (error instanceof MigrationError) return fail(`${config.dataDir}: ${error.message}`);
    if (error instanceof SpoiltSecretError) return fail(error.message);
    throw error;
  }
}

/** Returns a sentence if a file has the name of a folder that is to be written to. */
function misplacedFolder({ dataDir, mail }: Config): string | null {
  const folders = [
    ["dataDir", dataDir],
    ...(mail.smtpUrl === null ? [["mail.directory", mail.directory] as const] : []),
  ] as const;
  for (const [key, folder] of folders) {
    const file = fileAbove(join(folder, "a file in it"));
    if (file !== null)
      return `${key} ${folder} cannot be written to: ${file} is a file, not a folder`;
  }
  return null;
}

interface Held {
  readonly lock: DataLock;
  readonly throttle: Throttle | undefined;
}

function openAll(base: Base, { lock, throttle }: Held) {
  const { store, wakes } = base;
  const service = openService(base, {
    onBack() {
      edits.editWaker.ended();
      wakes.editWaker.notify();
    },
    onFound: () => feeds.feeds.ensure(),
  });
  const feeds = openFeeds(base, service);
  const edits = openEdits(base, service);
  const people = openPeople(base, { ...service, ...edits, throttle });
  const troubles = openTroubles(base, { ...service, ...edits, ...people });
  const withJobs: readonly DaemonModule[] = [service, feeds, edits, people, troubles];
  return {
    ...base,
    ...service,
    ...feeds,
    ...edits,
    ...people,
    ...troubles,
    jobs: (options: JobOptions): readonly LoopJob[] =>
      withJobs.flatMap(({ jobs }) => jobs(options)),
    /** Called when secrets have changed: everything that waited for a key continues at once. */
    secretsChanged(): void {
      edits.editWaker.keysChanged();
      store.operatorMessages.retryRefused();
      for (const sort of [store.ledger, store.notices, store.operatorMessages])
        sort.retryDeferred();
      service.keysChanged();
      for (const wake of [wakes.editWaker, wakes.reminders, wakes.notices, wakes.cachePurger])
        wake.notify();
    },
    async close(): Promise<void> {
      await service.upstream.close();
      await feeds.closeFeeds();
      try {
        edits.closeEdits();
      } finally {
        store.close();
        lock.release();
      }
    },
  };
}
