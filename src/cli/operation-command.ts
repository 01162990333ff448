import { Command } from "commander";
import {
  type AnswerOf,
  type InputMember,
  type InputOf,
  membersOf,
  type Operation,
} from "../operations/operation.ts";
import { asJson, type CommandHost } from "./command-host.ts";
import { confirm, withYes } from "./confirm.ts";
import {
  type OperationRunner,
  printAnswer,
  type RunnerContext,
  withRunner,
} from "./operation-runner.ts";
import { readId } from "./options.ts";

/** How a command asks before its operation, and what it prints after it. */
interface CommandText<Of extends Operation> {
  /** The answer for people; `zone`: zone of its times. */
  readonly describe?: (answer: AnswerOf<Of>, zone: string) => string;
  /** The message on standard error after success, for operations without an answer. */
  readonly done?: (input: InputOf<Of>) => string;
  readonly question?: CommandQuestion<Of>;
}

/** Where a question looks up what it shows, and the zone of its times. */
export type Asking = Pick<RunnerContext, "zone"> & { readonly runner: OperationRunner };

/**
 * The question before a destructive action; null if nothing is lost. `done`: the message on standard error after success, if it
 * depends on the previous state.
 */
export type CommandQuestion<Of extends Operation> = (
  input: InputOf<Of>,
  about: Asking,
) => Promise<{ readonly asks: string; readonly done?: string } | null>;

/** A command with subcommands. */
export function commandGroup(name: string, about: string, commands: readonly Command[]): Command {
  const group = new Command(name).description(about);
  for (const command of commands) group.addCommand(command);
  return group;
}

/**
 * The command of an operation. Path members and required texts are arguments; other members are options. `--json` prints the
 * answer as JSON, or the input if there is none.
 */
export function operationCommand<Of extends Operation>(
  operation: Of,
  host: CommandHost,
  { question, describe = () => "", done }: CommandText<Of>,
): Command {
  const members = membersOf(operation);
  const words = members.filter(isArgument);
  const command = commandOf(operation);
  for (const { name, about, kind } of words) {
    if (kind === "id") command.argument(`<${name}>`, about, readId);
    else command.argument(`<${name}>`, about);
  }
  for (const member of members.filter((one) => !isArgument(one))) addOption(command, member);
  command.option("--json", "print JSON", false);
  if (question) withYes(command);
  return command.action(async (...given: readonly unknown[]) => {
    const options = command.opts<Record<string, unknown>>();
    const { json, yes = false } = command.opts<{ json: boolean; yes?: boolean }>();
    const values = members.map((member) => [
      member.name,
      isArgument(member) ? given[words.indexOf(member)] : options[member.name],
    ]);
    // The operation checks it.
    const input: InputOf<Of> = Object(Object.fromEntries(values));
    const work = async (runner: OperationRunner, { zone }: RunnerContext) => {
      const loss = question && (await question(input, { runner, zone }));
      if (loss) await confirm(host, { yes }, () => loss.asks);
      const answer = await runner.run(operation, input);
      if (loss?.done !== undefined) host.say(loss.done);
      return answer;
    };
    if (!done) return printAnswer({ host, command }, work, describe);
    await withRunner({ host, command }, work);
    if (json) host.print(asJson(input));
    else host.say(done(input));
    return undefined;
  });
}

/** An operation's bare command: its verb and help text. */
export const commandOf = ({ name, summary }: Operation): Command =>
  new Command(name.split(" ").at(-1)).description(summary);

const isArgument = ({ isInPath, isNeeded, kind }: InputMember): boolean =>
  isInPath || (isNeeded && kind === "text");

function addOption(command: Command, { name, about, kind, isNeeded }: InputMember): void {
  const flags = `--${name} <${kind === "id" ? "id" : name}>`;
  if (kind === "id" && isNeeded) command.requiredOption(flags, about, readId);
  else if (kind === "id") command.option(flags, about, readId);
  else command.option(flags, about);
}
