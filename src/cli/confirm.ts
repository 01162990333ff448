import { oneLine } from "@dayferry/ical";
import type { Command } from "commander";
import { enumerated } from "../domain/wording.ts";
import { type CommandHost, Failed } from "./command-host.ts";
import { localTime } from "./terminal-text.ts";

export interface YesOption {
  readonly yes: boolean;
}

/** Adds `--yes` to a destructive command. */
export const withYes = (command: Command): Command =>
  command.option("--yes", "do not ask for confirmation", false);

/**
 * Asks on the terminal before a destructive action; not in a script or with `--yes`. `question`: what happens and what depends
 * on it, computed only if asked. Throws a `Failed` unless the answer is yes.
 */
export async function confirm(
  { ask }: Pick<CommandHost, "ask">,
  { yes }: YesOption,
  question: () => Promise<string> | string,
): Promise<void> {
  if (yes || !ask) return;
  const answer = await ask(`${await question()} [y/N] `);
  if (!/^\s*y(?:es)?\s*$/i.test(answer)) throw new Failed("nothing was done", 1);
}

/**
 * Names programs with their last use, as in "Google (last on 2026-11-21 10:00) and Thunderbird (…)"; null for no programs.
 * `zone`: zone of the times.
 */
export function usersInWords(
  users: readonly { readonly name: string; readonly at: string }[],
  zone: string,
): string | null {
  if (users.length === 0) return null;
  return enumerated(
    users.map(({ name, at }) => `${oneLine(name)} (last on ${localTime(at, zone)})`),
  );
}
