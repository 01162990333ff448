import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import { describeProblems } from "../config/problems.ts";
import type { CommandHost, LocalRooms } from "./host.ts";

/** Ends a command with a message on standard error and an exit code: 1 failed, 2 wrong usage or configuration. */
export class Failed extends Error {
  override readonly name = "Failed";
  readonly code: 1 | 2;
  constructor(message: string, code: 1 | 2) {
    super(message);
    this.code = code;
  }
}

/** What every command is made with. */
export interface CommandTools {
  readonly host: CommandHost;
  /** Sets the exit code. */
  readonly finish: (code: number) => void;
}

/** The configuration for a command; ends it with every problem at once when there is one. */
export function configFor(command: Command, host: CommandHost): Config {
  const { config } = command.optsWithGlobals<{ readonly config?: string }>();
  const loaded = host.readConfig(config ?? null);
  if (!loaded.ok) throw new Failed(`configuration:\n${describeProblems(loaded.failure)}`, 2);
  return loaded.value;
}

/** Runs with the data directory in hand and gives it back in any case. */
export async function withLocalRooms<Value>(
  { config, host }: { readonly config: Config; readonly host: CommandHost },
  work: (rooms: LocalRooms) => Promise<Value> | Value,
): Promise<Value> {
  const opened = host.open(config);
  if (!opened.ok) throw new Failed(opened.failure, 1);
  try {
    return await work(opened.value);
  } finally {
    await opened.value.close();
  }
}

export const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
