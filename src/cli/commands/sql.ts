import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Command, Option } from "commander";
import { formats } from "../../reports/format.ts";
import { type DatabaseOptions, databaseFor, withDatabase } from "../database.ts";
import type { CommandHost } from "../host.ts";
import { readDuration, readRows } from "../options.ts";
import { type CommandTools, Failed } from "../outcome.ts";

interface SqlOptions extends DatabaseOptions {
  readonly format?: string;
  readonly json: boolean;
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
    .addOption(new Option("--format <format>", "how to write it").choices(formats))
    .option("--json", "the same as --format json", false)
    .option("--limit <rows>", `so many rows at most (default: ${mostRows})`, readRows, mostRows)
    .option(
      "--timeout <duration>",
      "how long it may take (default: PT10S)",
      readDuration,
      patience,
    );
  return withDatabase(command).action(async (query: string, options: SqlOptions, self: Command) => {
    const { file } = databaseFor({ ...options, timeZone: "UTC" }, { command: self, host });
    const bytes = query === "-" ? await host.readStandardInput() : null;
    const sql = bytes ? new TextDecoder().decode(bytes) : query;
    const format = options.format ?? (options.json ? "json" : "table");
    await ask({ file, sql, format, limit: options.limit }, { host, timeout: options.timeout });
  });
}

interface Question {
  readonly file: string;
  readonly sql: string;
  readonly format: string;
  readonly limit: number;
}

function ask(
  question: Question,
  { host, timeout }: { readonly host: CommandHost; readonly timeout: Temporal.Duration },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [
      fileURLToPath(new URL("../sql-child.ts", import.meta.url)),
    ]);
    let late = false;
    const stop = () => void child.kill("SIGKILL");
    const timer = setTimeout(() => {
      late = true;
      stop();
    }, timeout.total("milliseconds"));
    host.signal.addEventListener("abort", stop, { once: true });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => host.print(text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      host.signal.removeEventListener("abort", stop);
      if (code === 0) {
        host.say(said);
        resolve();
      } else if (late) {
        const reason = `the query took longer than ${timeout.toString()} and was stopped; --timeout gives it more`;
        reject(new Failed(reason, 1));
      } else reject(new Failed(said.trimEnd() || "the query was stopped", 1));
    });
    // A child that ended early has said why.
    child.stdin.once("error", () => undefined);
    child.stdin.end(JSON.stringify(question));
  });
}
