import { text } from "node:stream/consumers";
import { randomBytes } from "../runtime.ts";
import { examineDatabase } from "../store/copies/copy-database.ts";
import type { ChildTask } from "./backup-processes.ts";
import { makeBackup } from "./make-backup.ts";

// Runs in its own process: copying, checking and compressing take a processor for seconds, and memory that is freed with the
// process. Reads a task from standard input and writes the result to standard output.
const task: ChildTask = JSON.parse(await text(process.stdin));
process.umask(0o077);
const result =
  task.kind === "backup"
    ? await makeBackup(task.backup, randomBytes)
    : examineDatabase(task.file, "quick");
process.stdout.write(JSON.stringify(result));
