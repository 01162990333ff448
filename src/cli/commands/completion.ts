import { Argument, Command } from "commander";
import { reports } from "../../reports/catalogue/catalogue.ts";
import type { CommandTools } from "../command-host.ts";
import { completionFor, type Shell, shells } from "../completions.ts";
import { outlineOf } from "../outline.ts";

/** Arguments that take any text and are completed by what is known. */
export const knownWords = { "report name": ["list", ...reports.map(({ name }) => name)] };

/** `completion`: prints the script that lets a shell complete the commands that stand beside this one. */
export function completionCommand({ host }: CommandTools): Command {
  return new Command("completion")
    .description("print what lets bash, zsh or fish complete commands, options and values")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .action((shell: Shell, _options: object, self: Command) => {
      const program = self.parent ?? self;
      host.print(completionFor(shell, outlineOf(program, { words: knownWords })));
    });
}
