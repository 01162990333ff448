import { Command, CommanderError } from "commander";
import { type CommandHost, type CommandTools, Failed } from "./command-host.ts";
import { runningCommands } from "./commands/running.ts";
import { DaemonError } from "./daemon.ts";
import { commandGroups, examples } from "./examples.ts";
import { overview } from "./overview.ts";

/** Runs one command. Returns the exit code: 0 done, 1 failed, 2 wrong usage or configuration. */
export async function run(
  argv: readonly string[],
  host: CommandHost & { readonly version: string },
): Promise<number> {
  let code = 0;
  const finish = (result: number) => {
    code = result;
  };
  // The other commands are not loaded into a long-running daemon.
  const runs = argv[0] === "serve" || argv[0] === "start";
  try {
    if (argv.length === 0) {
      host.print(await overview(host));
      return 0;
    }
    const program = await programOf({ host, finish, others: !runs });
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    return endOf(error, host);
  }
}

/** The tree of all commands, for parsing, help, completions and the manual page. */
export async function programOf({
  host,
  finish,
  others,
}: {
  readonly host: CommandHost & { readonly version: string };
  readonly finish: CommandTools["finish"];
  /** True if it includes commands other than the servers. */
  readonly others: boolean;
}): Promise<Command> {
  const program = new Command("dayferry")
    .description("Bidirectional calendar and sync daemon for a project workspace.")
    .version(host.version)
    .option("--config <file>", "configuration file (default: DAYFERRY_CONFIG, then ./config.json)")
    .exitOverride()
    .configureOutput({ writeOut: host.print, writeErr: host.say })
    .showHelpAfterError("Run with --help for usage.");
  const tools = { host, finish };
  const ending = others ? await otherCommands(tools) : [];
  for (const command of [...runningCommands(tools), ...ending]) {
    program.addCommand(takeConfig(command, host).helpGroup(groupOf(command)));
  }
  addExamples(program, []);
  return program;
}

const groupOf = (command: Command): string =>
  commandGroups.find(([, names]) => names.includes(command.name()))?.[0] ?? "Maintain:";

function addExamples(command: Command, path: readonly string[]): void {
  const own = examples[path.join(" ")];
  if (own) {
    command.addHelpText("after", `\nExamples:\n${own.map((line) => `  ${line}\n`).join("")}`);
  }
  for (const inner of command.commands) addExamples(inner, [...path, inner.name()]);
}

/** Commands other than the servers. */
async function otherCommands(tools: CommandTools): Promise<readonly Command[]> {
  return [
    (await import("./commands/open.ts")).openCommand(tools),
    (await import("./commands/status.ts")).statusCommand(tools),
    (await import("./commands/sync.ts")).syncCommand(tools),
    (await import("./commands/apply.ts")).applyCommand(tools),
    (await import("./commands/search.ts")).searchCommand(tools),
    (await import("./commands/items.ts")).agendaCommand(tools),
    (await import("./commands/items.ts")).itemsCommand(tools),
    (await import("./commands/edits.ts")).editsCommand(tools),
    (await import("./commands/tokens.ts")).tokensCommand(tools),
    (await import("./commands/webhooks.ts")).webhooksCommand(tools),
    (await import("./commands/mcp.ts")).mcpCommand(tools),
    (await import("./commands/feeds.ts")).feedsCommand(tools),
    (await import("./commands/people.ts")).peopleCommand(tools),
    (await import("./commands/brakes.ts")).brakesCommand(tools),
    (await import("./commands/files.ts")).filesCommand(tools),
    (await import("./commands/comments.ts")).commentsCommand(tools),
    (await import("./commands/labels.ts")).labelsCommand(tools),
    (await import("./commands/tasks.ts")).tasksCommand(tools),
    (await import("./commands/report.ts")).reportCommand(tools),
    (await import("./commands/sql.ts")).sqlCommand(tools),
    (await import("./commands/doctor.ts")).doctorCommand(tools),
    (await import("./commands/backup.ts")).backupCommand(tools),
    (await import("./commands/backup.ts")).restoreCommand(tools),
    (await import("./commands/completion.ts")).completionCommand(tools),
  ];
}

/** Every command takes `--config`, before or after its name, and throws where commander would exit. */
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
    .showHelpAfterError("Run with --help for usage.");
  for (const inner of command.commands) inheritSettings(inner, host);
  return command;
}

function endOf(error: unknown, host: CommandHost): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (!(error instanceof Failed || error instanceof DaemonError)) throw error;
  host.say(`${error.message}\n`);
  return error instanceof Failed ? error.code : 1;
}
