import { Argument, Command } from "commander";
import { reports } from "../../reports/catalogue/catalogue.ts";
import type { CommandTools } from "../command-host.ts";
import { completionFor, type Shell, shells } from "../completions.ts";
import { outlineOf } from "../outline.ts";

/** Arguments with known words for completion. */
export const knownWords = { "report name": ["list", ...reports.map(({ name }) => name)] };

/** `completion`: prints a shell's completion script for the commands. */
export function completionCommand({ host }: CommandTools): Command {
  return new Command("completion")
    .description("print the shell completion script for bash, zsh or fish")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .action((shell: Shell, _options: object, self: Command) => {
      const program = self.parent ?? self;
      host.print(completionFor(shell, outlineOf(program, { words: knownWords })));
    });
}
