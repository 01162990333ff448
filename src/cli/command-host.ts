import type { Command } from "commander";
import {
  type DataProblem,
  damageBeforeOpening,
  damageProblem,
  dataProblem,
} from "../backups/damage.ts";
import type { Config } from "../config/config.ts";
import type { LoadedConfig } from "../config/load.ts";
import { type ConfigProblem, describeProblems } from "../config/problems.ts";
import { fileReason } from "../domain/file-reason.ts";
import type { Result } from "../domain/result.ts";
import type { ZoneData } from "../domain/zone-data.ts";
import type { Drain } from "../edits/delivery/drain.ts";
import type { OperationModules } from "../operations/operation.ts";
import type { Sync } from "../sync/sync.ts";
import type { ZoneProof } from "../troubles/zone-probe.ts";
import type { Upstream } from "../upstream/client.ts";

/** What commands need from the process and from other modules; provided by `main`. */
export interface CommandHost {
  /** Writes data to standard output; lays out the tables in it. */
  readonly print: (text: string) => void;
  /** Writes large data: resolves when the next piece may follow, with false if the reader has closed the pipe. */
  send(text: string): Promise<boolean>;
  /** Width of the terminal; null if standard output is not a terminal. */
  readonly columns: number | null;
  /** The reader's time zone; null if the system has only UTC, as in a container. */
  readonly zone: string | null;
  /** Opens a URL in the reader's browser; false if that is not possible. */
  readonly browse: (url: string) => Promise<boolean>;
  /** Writes messages about the data to standard error. */
  readonly say: (text: string) => void;
  /** For child processes. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asks on the terminal and reads a line; null without a terminal. */
  readonly ask: ((question: string) => Promise<string>) | null;
  readFile(path: string): Uint8Array;
  readStandardInput(): Promise<Uint8Array>;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  readonly clock: () => Temporal.Instant;
  /** The event loop of this process; a daemon reports its own. */
  readonly zoneData: ZoneData;
  /** The configuration named by `--config`, the environment or ./config.json. */
  readConfig(
    option: string | null,
    how?: { readonly isReader: boolean },
  ): Result<LoadedConfig, readonly ConfigProblem[]>;
  /** True if there is a configuration to serve by default; a running demo's configuration does not count. */
  hasConfig(): boolean;
  /** The running daemon of this data directory; null if none runs. */
  daemonOf(config: Config): DaemonAddress | null;
  /** Locks the data directory; fails with a sentence if another process has it. */
  open(config: Config): Result<LocalModules, string>;
  serve(config: LoadedConfig): Promise<number>;
  /** Serves a copy of the database that another daemon writes. */
  serveReadOnly(config: LoadedConfig): Promise<number>;
  /** Runs the set-up wizard in a browser, and then serves. */
  setUp(): Promise<number>;
  demo(options: DemoOptions): Promise<number>;
  sandbox(options: SandboxCommandOptions): Promise<number>;
  /** The problem of the mail server; null if it works. */
  checkMail(config: Config): Promise<string | null>;
  /** Sends the operator a test message by each channel, and returns the results. */
  testMessages(
    config: Config,
  ): Promise<readonly { readonly way: string; readonly problem: string | null }[]>;
}

/** Address of a running daemon of the same data directory. */
export interface DaemonAddress {
  readonly url: string;
  readonly adminToken: string;
}

/** The modules on a data directory locked by this process. */
export interface LocalModules extends Omit<OperationModules, "baseUrl"> {
  readonly config: Config;
  readonly upstream: Upstream;
  readonly sync: Sync;
  readonly drain: Drain;
  /** Checks the configured zone with an event; concurrent calls share one check. */
  readonly probeZone: (signal: AbortSignal) => Promise<ZoneProof>;
  close(): Promise<void>;
}

export interface DemoOptions {
  /** Null: from the environment, else 8380. */
  readonly port: number | null;
  /** Null: from the environment, else a temporary one that is deleted with the demo. */
  readonly dataDir: string | null;
  /** How often someone else changes something in the workspace; null for never. */
  readonly play: Temporal.Duration | null;
}

export interface SandboxCommandOptions {
  readonly port: number;
  readonly seed: number;
  readonly size: "s" | "m" | "l";
  readonly data: string | null;
  readonly discovery: boolean;
  readonly timeZone: string;
  readonly json: boolean;
}

/** What every command receives when it is created. */
export interface CommandTools {
  readonly host: CommandHost;
  /** Sets the exit code. */
  readonly finish: (code: number) => void;
}

/** Ends a command with a message on standard error and an exit code: 1 failed, 2 wrong usage or configuration. */
export class Failed extends Error {
  override readonly name = "Failed";
  readonly code: 1 | 2;
  constructor(message: string, code: 1 | 2) {
    super(message);
    this.code = code;
  }
}

/** The value of `--config`, before or after the command; null if absent. */
export const configOption = (command: Command): string | null =>
  command.optsWithGlobals<{ readonly config?: string }>().config ?? null;

/** The configuration for a command; reports every problem at once. */
export function configFor(
  command: Command,
  host: CommandHost,
  how: { readonly isReader: boolean } = { isReader: false },
): LoadedConfig {
  const loaded = host.readConfig(configOption(command), how);
  if (!loaded.ok) throw new Failed(`configuration:\n${describeProblems(loaded.failure)}`, 2);
  return loaded.value;
}

/** Ends a command because of the data directory; `doctor` reports it as a finding. */
export class DataFailed extends Failed {
  readonly problem: DataProblem;
  constructor(problem: DataProblem) {
    super(`${problem.what}\nWhat to do: ${problem.remedy}`, 1);
    this.problem = problem;
  }
}

/**
 * Runs the work with the data directory locked, and always unlocks it. After a damaged database or a disk error, the command
 * ends with a sentence that says what to do.
 */
export async function withLocalModules<Value>(
  config: Config,
  host: CommandHost,
  work: (modules: LocalModules) => Promise<Value> | Value,
): Promise<Value> {
  const about = { place: config, now: host.clock() };
  const damage = damageBeforeOpening(config);
  if (damage !== null) throw new DataFailed(damageProblem(damage, about));
  try {
    const opened = host.open(config);
    if (!opened.ok) throw new Failed(opened.failure, 1);
    try {
      return await work(opened.value);
    } finally {
      await opened.value.close();
    }
  } catch (error) {
    const problem = dataProblem(error, about);
    throw problem === null ? error : new DataFailed(problem);
  }
}

/** Ends a command whose database cannot be read. If it is damaged, `doctor` says what to do. */
export function unreadable(problem: string): Failed {
  const isDamaged = /malformed|not a database|is damaged/.test(problem);
  return new Failed(isDamaged ? `${problem}; \`dayferry doctor\` says what helps` : problem, 1);
}

/** The content of a command's file; `-` is standard input. */
export async function readInput(file: string, host: CommandHost): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(file === "-" ? await host.readStandardInput() : host.readFile(file));
  } catch (error) {
    throw new Failed(`${file} cannot be read: ${fileReason(error)}`, 1);
  }
}

export const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
