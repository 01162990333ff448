import { Command, CommanderError } from "commander";
import { type CommandHost, Failed } from "./command-host.ts";
import { applyCommand } from "./commands/apply.ts";
import { brakesCommand } from "./commands/brakes.ts";
import { commentsCommand } from "./commands/comments.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { editsCommand } from "./commands/edits.ts";
import { feedsCommand } from "./commands/feeds.ts";
import { filesCommand } from "./commands/files.ts";
import { labelsCommand } from "./commands/labels.ts";
import { peopleCommand } from "./commands/people.ts";
import { reportCommand } from "./commands/report.ts";
import { runningCommands } from "./commands/running.ts";
import { sqlCommand } from "./commands/sql.ts";
import { syncCommand } from "./commands/sync.ts";
import { tasksCommand } from "./commands/tasks.ts";
import { DaemonError } from "./daemon.ts";

/** Runs one command. Returns the exit code: 0 done, 1 failed, 2 wrong usage or configuration. */
export async function run(
  argv: readonly string[],
  host: CommandHost & { readonly version: string },
): Promise<number> {
  let code = 0;
  const finish = (result: number) => {
    code = result;
  };
  const program = new Command("dayferry")
    .description("Bidirectional calendar and sync daemon for a project workspace.")
    .version(host.version)
    .option("--config <file>", "configuration file (default: DAYFERRY_CONFIG, then ./config.json)")
    .exitOverride()
    .configureOutput({ writeOut: host.print, writeErr: host.say })
    .showHelpAfterError("(--help says more)");
  const tools = { host, finish };
  for (const command of [
    ...runningCommands(tools),
    syncCommand(tools),
    applyCommand(tools),
    editsCommand(tools),
    feedsCommand(tools),
    peopleCommand(tools),
    brakesCommand(tools),
    filesCommand(tools),
    commentsCommand(tools),
    labelsCommand(tools),
    tasksCommand(tools),
    reportCommand(tools),
    sqlCommand(tools),
    doctorCommand(tools),
  ]) {
    program.addCommand(takeConfig(command, host));
  }
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    return endOf(error, host);
  }
}

/** Every command takes `--config`, before or after its name, and ends by an exception where commander would exit. */
function takeConfig(command: Command, host: CommandHost): Command {
  const inner = command.commands.length > 0 ? command.commands : [command];
  for (const one of inner) {
    if (!one.options.some(({ long }) => long === "--config")) {
      one.option("--config <file>", "configuration file");
    }
  }
  return inheritSettings(command, host);
}

function inheritSettings(command: Command, host: CommandHost): Command {
  command
    .exitOverride()
    .configureOutput({ writeOut: host.print, writeErr: host.say })
    .showHelpAfterError("(--help says more)");
  for (const inner of command.commands) inheritSettings(inner, host);
  return command;
}

function endOf(error: unknown, host: CommandHost): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (!(error instanceof Failed || error instanceof DaemonError)) throw error;
  host.say(`${error.message}\n`);
  return error instanceof Failed ? error.code : 1;
}
