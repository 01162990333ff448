import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { fail, messageOf, type Result } from "../domain/result.ts";
import type { DatabaseFacts, DatabaseFault } from "../store/copies/copy-database.ts";
import type { BackupFailure, BackupTask, MadeBackup } from "./make-backup.ts";
import { removeAbandoned } from "./snapshots.ts";

/** What a process reads from standard input, as JSON. */
export type ChildTask =
  | { readonly kind: "backup"; readonly backup: BackupTask }
  | { readonly kind: "examine"; readonly file: string };

/** Work that takes seconds and runs in processes of its own. */
export type BackupProcesses = ReturnType<typeof createBackupProcesses>;

const script = fileURLToPath(new URL("./backup-child.ts", import.meta.url));
/** Requests to the daemon take priority. */
const niceness = 10;

export function createBackupProcesses() {
  return {
    async backup(
      backup: BackupTask,
      signal: AbortSignal,
    ): Promise<Result<MadeBackup, BackupFailure>> {
      try {
        const ended = await beside({ kind: "backup", backup }, signal);
        const made: Result<MadeBackup, BackupFailure> = answerOf(ended);
        return made;
      } catch (error) {
        tidy(backup);
        throw error;
      }
    },
    /** Reads all pages of a database. */
    examine: async (
      file: string,
      signal: AbortSignal,
    ): Promise<Result<DatabaseFacts, DatabaseFault>> =>
      answerOf(await beside({ kind: "examine", file }, signal)),
  };
}

/** Runs a backup synchronously, before anything else. A process that was killed counts as a failed backup. */
export function backupAtOnce(backup: BackupTask): Result<MadeBackup, BackupFailure> {
  const input = JSON.stringify({ kind: "backup", backup } satisfies ChildTask);
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [script], {
    input,
    encoding: "utf8",
    maxBuffer: 2 ** 20,
  });
  try {
    return answerOf({ code: status, signal, said: stdout, problem: stderr });
  } catch (error) {
    tidy(backup);
    return fail({ kind: "failed", problem: messageOf(error) });
  }
}

/** Removes the files of a killed process at once, instead of with the next backup. */
function tidy({ file, dataDir }: BackupTask): void {
  try {
    removeAbandoned(dirname(file), dataDir);
  } catch {
    // The next backup tries again, and reports what is wrong with the folder.
  }
}

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly said: string;
  readonly problem: string;
}

async function beside(task: ChildTask, signal: AbortSignal): Promise<Ended> {
  const child = spawn(process.execPath, [script], { stdio: "pipe" });
  const stop = () => void child.kill("SIGKILL");
  signal.addEventListener("abort", stop, { once: true });
  try {
    try {
      if (child.pid !== undefined) setPriority(child.pid, niceness);
    } catch {
      // The process has ended, or the system does not allow the change.
    }
    // A child that ended early has reported why.
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify(task));
    const [said, problem, [code, endedBy]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close"),
    ]);
    signal.throwIfAborted();
    return { code, signal: endedBy, said, problem };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function answerOf<Answer>(ended: Ended): Answer {
  if (ended.code !== 0) throw new BackupProcessError(ended);
  return JSON.parse(ended.said);
}

/** Thrown if the process ends without an answer. */
class BackupProcessError extends Error {
  override readonly name = "BackupProcessError";
  constructor({ code, signal, problem }: Ended) {
    const how =
      signal === "SIGKILL"
        ? "was killed, probably because memory ran out"
        : `ended with ${signal ?? code}`;
    const said = problem.trim();
    super(`the process that makes it ${how}${said === "" ? "" : `: ${said}`}`);
  }
}
