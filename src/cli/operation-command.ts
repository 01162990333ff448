import { Command } from "commander";
import { type InputMember, membersOf, type Operation } from "../operations/operation.ts";
import { asJson, type CommandHost } from "./command-host.ts";
import { confirm, withYes } from "./confirm.ts";
import { type OperationRunner, printAnswer, readerZone, withRunner } from "./operation-runner.ts";
import { readId } from "./options.ts";

/** Input from the command line: ids are numbers, everything else is text. */
export type GivenInput = Readonly<Record<string, unknown>>;

interface CommandText {
  /** The answer for people; `zone`: zone of its times. */
  readonly describe?: (answer: unknown, zone: string) => string;
  /** The message on standard error after success, for operations without an answer. */
  readonly done?: (input: GivenInput) => string;
  readonly question?: CommandQuestion;
}

/**
 * The question before a destructive action; null if nothing is lost. `done`: the message on standard error after success, if it
 * depends on the previous state.
 */
export type CommandQuestion = (
  input: GivenInput,
  about: { readonly runner: OperationRunner; readonly zone: string },
) => Promise<{ readonly asks: string; readonly done?: string } | null>;

/**
 * The command of an operation. Path members and required texts are arguments; other members are options. `--json` prints the
 * answer as JSON, or the input if there is none.
 */
export function operationCommand(
  operation: Operation,
  text: CommandText,
  host: CommandHost,
): Command {
  const { question = null, describe = () => "", done } = text;
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
    const flags = command.opts<{ json: boolean; yes?: boolean }>();
    const valueFor = (member: InputMember): unknown =>
      isArgument(member) ? given[words.indexOf(member)] : options[member.name];
    const input: GivenInput = Object.fromEntries(
      members.map((member) => [member.name, valueFor(member)]),
    );
    const invocation = { host, command, options: flags };
    const work = async (runner: OperationRunner, zone: string): Promise<unknown> => {
      const loss = question && (await question(input, { runner, zone }));
      if (loss) await confirm(host, { yes: flags.yes ?? false }, () => loss.asks);
      const answer = await runner.run(operation, input);
      if (loss?.done !== undefined) host.say(loss.done);
      return answer;
    };
    if (!done) {
      await printAnswer(invocation, {
        work: (runner, context) => work(runner, readerZone(host, context)),
        describe,
      });
      return;
    }
    await withRunner(invocation, (runner, context) => work(runner, readerZone(host, context)));
    if (flags.json) host.print(asJson(input));
    else host.say(done(input));
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
