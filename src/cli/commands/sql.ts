import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Command, Option } from "commander";
import { byteOrderMark } from "../../reports/formats/data-formats.ts";
import { formats } from "../../reports/formats/format.ts";
import { type CommandHost, type CommandTools, Failed, unreadable } from "../command-host.ts";
import { type DatabaseOptions, databaseFor, withDatabase } from "../database.ts";
import { durationOption, readRows } from "../options.ts";
import { startTimeLimit, type TimeLimit } from "../time-limit.ts";

interface SqlOptions extends DatabaseOptions {
  readonly format?: string;
  readonly json: boolean;
  readonly bom: boolean;
  readonly limit: number;
  readonly timeout: Temporal.Duration;
}

const patience = Temporal.Duration.from({ seconds: 10 });
const mostRows = 10_000;

/** `sql`: one read-only query on the documented views and tables. */
export function sqlCommand({ host }: CommandTools): Command {
  const command = new Command("sql")
    .description("a read-only query on the views and tables of docs/operating.md")
    .argument("<query>", "the query (- = standard input)")
    .addOption(new Option("--format <format>", "output format").choices(formats))
    .option("--json", "the same as --format json", false)
    .option("--bom", "start CSV with a byte order mark, for spreadsheets", false)
    .option("--limit <rows>", "maximum number of rows", readRows, mostRows)
    .option("--timeout <duration>", "time limit", durationOption, patience);
  return withDatabase(command).action(async (given: string, options: SqlOptions, self: Command) => {
    const { file } = databaseFor({ ...options, timeZone: "UTC" }, self, host);
    const bytes = given === "-" ? await host.readStandardInput() : null;
    const sql = bytes ? new TextDecoder().decode(bytes) : given;
    if (sql.trim() === "") throw new Failed("there is no query", 2);
    const format = options.format ?? (options.json ? "json" : "table");
    const query = { file, sql, format, limit: options.limit };
    const mark = options.bom && format === "csv" ? byteOrderMark : "";
    await runQuery(query, { host, timeout: options.timeout, mark });
  });
}

interface Query {
  readonly file: string;
  readonly sql: string;
  readonly format: string;
  readonly limit: number;
}

async function runQuery(
  query: Query,
  {
    host,
    timeout,
    mark,
  }: {
    readonly host: CommandHost;
    readonly timeout: Temporal.Duration;
    /** Text written before the first row, such as the byte order mark of a CSV file. */
    readonly mark: string;
  },
): Promise<void> {
  // A killed child cannot delete its temporary files, such as the copy of a database on a read-only medium.
  const scratch = mkdtempSync(join(tmpdir(), "dayferry-sql-"));
  const script = fileURLToPath(new URL("../sql-child.ts", import.meta.url));
  const child = spawn(process.execPath, [script], { env: { ...host.env, TMPDIR: scratch } });
  const stop = () => void child.kill("SIGKILL");
  const limit = startTimeLimit(timeout, stop);
  host.signal.addEventListener("abort", stop, { once: true });
  try {
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    // A child that ended early has reported why.
    child.stdin.once("error", () => undefined);
    child.stdin.end(JSON.stringify(query));
    const [code, isRead, said] = await Promise.all([
      ended,
      sendOnce(child.stdout, mark, { host, limit, stop }),
      text(child.stderr),
    ]);
    // The reader has closed the pipe, as `| head` does, which is not a failure.
    if (!isRead) return;
    if (limit.isOver()) {
      const reason = `the query took longer than ${timeout.toString()} and was stopped; use --timeout for a longer limit`;
      throw new Failed(reason, 1);
    }
    if (code !== 0) throw unreadable(said.trimEnd() || "the query was stopped");
    host.say(said);
  } finally {
    limit.pause();
    host.signal.removeEventListener("abort", stop);
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Passes the rows on as fast as they are read; returns whether they were read to the end. A carriage return at the end of a
 * piece is held back until the next piece, because alone it would be printed as a control character.
 */
async function sendOnce(
  rows: Readable,
  mark: string,
  { host, limit, stop }: { host: CommandHost; limit: TimeLimit; stop: () => void },
): Promise<boolean> {
  let waiting = mark;
  for await (const piece of rows.setEncoding("utf8")) {
    const known = waiting + String(piece);
    waiting = known.endsWith("\r") ? "\r" : "";
    limit.pause();
    const isRead = await host.send(known.slice(0, known.length - waiting.length));
    limit.resume();
    if (isRead) continue;
    stop();
    return false;
  }
  return waiting === "" || host.send(waiting);
}
