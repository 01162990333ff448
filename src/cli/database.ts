import { join } from "node:path";
import { isZone } from "@dayferry/ical";
import type { Command } from "commander";
import { type CommandHost, configFor, configOption, Failed } from "./command-host.ts";

/** The database of an offline command, and the zone of its days. */
export interface DatabasePlace {
  readonly file: string;
  readonly zone: string;
}

export interface DatabaseOptions {
  readonly database?: string;
  readonly timeZone?: string;
}

/** With `--database` no configuration is needed: a copy of the file is enough. */
export function databaseFor(
  { database, timeZone }: DatabaseOptions,
  command: Command,
  host: CommandHost,
): DatabasePlace {
  const isConfigured = configOption(command) !== null || host.hasConfig();
  const isNeeded = database === undefined || (timeZone === undefined && isConfigured);
  const config = isNeeded ? configFor(command, host) : null;
  const zone = timeZone ?? config?.service.timeZone ?? "UTC";
  if (!isZone(zone)) {
    throw new Failed(`--time-zone "${zone}": not an IANA time zone such as Europe/Berlin`, 2);
  }
  return { file: database ?? join(config?.dataDir ?? "", "dayferry.sqlite"), zone };
}

/** Options of every command that only reads the database. */
export const withDatabase = (command: Command): Command =>
  command
    .option(
      "--database <file>",
      "the database (default: the one of the configuration's data directory)",
    )
    .option("--time-zone <zone>", "IANA time zone for days and times (default: the account's)");
