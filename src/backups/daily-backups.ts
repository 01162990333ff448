import { join } from "node:path";
import { fail, messageOf, type Result } from "../domain/result.ts";
import type { Trouble } from "../domain/trouble-kinds.ts";
import type { BackupProcesses } from "./backup-processes.ts";
import { remedyFor } from "./damage.ts";
import type { BackupFailure, MadeBackup } from "./make-backup.ts";
import {
  type KeptBackup,
  newestSnapshots,
  prune,
  type Retention,
  snapshotName,
} from "./snapshots.ts";

/** Where automatic backups are stored, and when they are made. */
export interface BackupRules {
  readonly enabled: boolean;
  /** Time of day in the zone `zone`. */
  readonly at: Temporal.PlainTime;
  readonly keep: Retention;
  readonly directory: string;
  readonly passphrase: string | null;
}

interface DailyBackupsDeps {
  readonly rules: BackupRules;
  readonly zone: string;
  readonly dataDir: string;
  readonly program: string;
  /** When Dayferry was installed. Backups that were due before are not made. */
  readonly installedAt: Temporal.Instant;
  readonly processes: BackupProcesses;
  /** Reports problems, and withdraws them when they have ended. */
  readonly troubles: {
    readonly report: (trouble: Trouble) => void;
    readonly withdraw: (identity: string) => void;
  };
  readonly clock: () => Temporal.Instant;
  readonly onEvent: (event: BackupEvent) => void;
}

export type BackupEvent =
  | {
      readonly kind: "made";
      readonly file: string;
      readonly octets: number;
      readonly pruned: number;
    }
  | { readonly kind: "failed"; readonly problem: string }
  | { readonly kind: "damaged"; readonly problem: string; readonly remedy: string };

/** Backups of one data directory, each of which is also the nightly integrity check. */
export type DailyBackups = ReturnType<typeof createDailyBackups>;

const retryAfter = Temporal.Duration.from({ hours: 1 });

export function createDailyBackups(deps: DailyBackupsDeps) {
  const { rules, zone, dataDir, program, processes, troubles, clock, onEvent } = deps;
  let triedAt: Temporal.Instant | null = null;
  let examinedAt: Temporal.Instant | null = null;
  let last: Promise<unknown> = Promise.resolve();

  function make(reason: KeptBackup["reason"], signal: AbortSignal) {
    const turn = last.then(() => makeOne(reason, signal));
    last = turn.catch(() => undefined);
    return turn;
  }

  async function makeOne(
    reason: KeptBackup["reason"],
    signal: AbortSignal,
  ): Promise<Result<MadeBackup, BackupFailure>> {
    signal.throwIfAborted();
    const { directory, passphrase, keep } = rules;
    const now = clock().round({ smallestUnit: "second", roundingMode: "floor" });
    const file = join(directory, snapshotName(now, reason));
    const made = await processes.backup(
      { dataDir, file, ifTaken: "number", passphrase, program, now: now.toString() },
      signal,
    );
    if (!made.ok) {
      reportFailure(made.failure);
      return made;
    }
    troubles.withdraw("backup-failed");
    troubles.withdraw("database-damaged");
    const pruned = prune(directory, { keep, zone, now });
    onEvent({ kind: "made", file: made.value.file, octets: made.value.octets, pruned });
    return made;
  }

  function reportFailure({ kind, problem }: BackupFailure): void {
    if (kind === "failed") {
      troubles.report({ kind: "backup-failed", problem });
      onEvent({ kind, problem });
      return;
    }
    const now = clock();
    const good = newestSnapshots(rules.directory, now)[0]?.file ?? null;
    const remedy = remedyFor({ dataDir, backups: rules }, { good, now });
    troubles.report({ kind: "database-damaged", problem, remedy });
    onEvent({ kind, problem, remedy });
  }

  /** Runs only the integrity check, if backups are off. */
  async function examine(dueAt: Temporal.Instant, signal: AbortSignal): Promise<void> {
    const now = clock();
    if (examinedAt && isWithin(examinedAt, { from: dueAt, to: now })) return;
    examinedAt = now;
    const found = await processes.examine(join(dataDir, "dayferry.sqlite"), signal);
    if (found.ok) troubles.withdraw("database-damaged");
    else if (found.failure.kind === "damaged")
      reportFailure({ kind: "damaged", problem: found.failure.problem });
  }

  return {
    /** Makes the backup that is due. After a failed one, waits for an hour. */
    async step(signal: AbortSignal): Promise<"idle"> {
      const now = clock();
      const dueAt = lastTurn(now, rules.at, zone);
      if (Temporal.Instant.compare(dueAt, deps.installedAt) < 0) return "idle";
      if (!rules.enabled) {
        await examine(dueAt, signal);
        return "idle";
      }
      const restsSince = now.subtract(retryAfter).add({ nanoseconds: 1 });
      if (triedAt && isWithin(triedAt, { from: restsSince, to: now })) return "idle";
      const isMade = newestSnapshots(rules.directory, now).some(
        ({ reason, madeAt }) => reason === "daily" && isWithin(madeAt, { from: dueAt, to: now }),
      );
      if (isMade) return "idle";
      triedAt = now;
      try {
        await make("daily", signal);
      } catch (error) {
        if (signal.aborted) return "idle";
        reportFailure({ kind: "failed", problem: messageOf(error) });
      }
      return "idle";
    },
    /** Makes a backup on request. Only one is made at a time. */
    async make(signal: AbortSignal): Promise<Result<MadeBackup, BackupFailure>> {
      try {
        return await make("asked", signal);
      } catch (error) {
        return fail({ kind: "failed", problem: messageOf(error) });
      }
    },
    /** Newest first. */
    list: (): readonly KeptBackup[] => newestSnapshots(rules.directory, clock()),
  };
}

/** Ignores times in the future, recorded by a clock that was ahead, so that they do not delay the next backup. */
const isWithin = (
  moment: Temporal.Instant,
  { from, to }: { readonly from: Temporal.Instant; readonly to: Temporal.Instant },
): boolean =>
  Temporal.Instant.compare(moment, from) >= 0 && Temporal.Instant.compare(moment, to) <= 0;

/** The most recent occurrence of that time of day. */
function lastTurn(now: Temporal.Instant, at: Temporal.PlainTime, zone: string): Temporal.Instant {
  const today = now.toZonedDateTimeISO(zone).toPlainDate();
  const [turn, before] = [today, today.subtract({ days: 1 })].map((day) =>
    day.toZonedDateTime({ timeZone: zone, plainTime: at }).toInstant(),
  );
  if (turn && Temporal.Instant.compare(turn, now) <= 0) return turn;
  return before ?? now;
}
