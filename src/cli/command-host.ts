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

/** What commands need of the world and of the modules beside theirs; `main` hands it in. */
export interface CommandHost {
  /** Writes data to standard output. */
  readonly print: (text: string) => void;
  /** The same, for much: resolves once it has been taken over; false = nobody reads any more. */
  send(text: string): Promise<boolean>;
  /** Writes what is said about the data to standard error. */
  readonly say: (text: string) => void;
  /** For processes of its own. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asks on the terminal and reads a line; null where nobody sits at one. */
  readonly ask: ((question: string) => Promise<string>) | null;
  readFile(path: string): Uint8Array;
  readStandardInput(): Promise<Uint8Array>;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  readonly clock: () => Temporal.Instant;
  /** Of this process; a daemon tells its own. */
  readonly zoneData: ZoneData;
  /** The configuration that `--config`, the environment or ./config.json names. */
  readConfig(
    option: string | null,
    how?: { readonly isReader: boolean },
  ): Result<LoadedConfig, readonly ConfigProblem[]>;
  /** Whether there is a configuration to serve without being told one. */
  hasConfig(): boolean;
  /** The running daemon of this data directory; null when none runs. */
  daemonOf(config: Config): DaemonAddress | null;
  /** Takes the data directory; fails with a sentence when another process holds it. */
  open(config: Config): Result<LocalModules, string>;
  serve(config: LoadedConfig): Promise<number>;
  /** Serves a copy of the database that somebody else writes. */
  serveReadOnly(config: LoadedConfig): Promise<number>;
  /** Sets up what has no configuration yet, in a browser, and serves it then. */
  setUp(): Promise<number>;
  demo(options: DemoOptions): Promise<number>;
  sandbox(options: SandboxCommandOptions): Promise<number>;
  /** What a mail server says to a greeting: null when all is well. */
  checkMail(config: Config): Promise<string | null>;
  /** Sends a test message by each way to the operator: what came of it, null where all is well. */
  testMessages(
    config: Config,
  ): Promise<readonly { readonly way: string; readonly problem: string | null }[]>;
}

/** Where a running daemon of the same data directory answers. */
export interface DaemonAddress {
  readonly url: string;
  readonly adminToken: string;
}

/** The modules on a data directory that this process holds. */
export interface LocalModules extends Omit<OperationModules, "baseUrl"> {
  readonly config: Config;
  readonly upstream: Upstream;
  readonly sync: Sync;
  readonly drain: Drain;
  /** Proves the zone that is configured, by an event; whoever asks meanwhile gets the same proof. */
  readonly probeZone: (signal: AbortSignal) => Promise<ZoneProof>;
  close(): Promise<void>;
}

export interface DemoOptions {
  /** Null = what the environment says, else 8380. */
  readonly port: number | null;
  /** Null = what the environment says, else a temporary one that goes with the demo. */
  readonly dataDir: string | null;
  /** How often somebody else changes something in the workspace; null = never. */
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

/** What every command is made with. */
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

/** What `--config` names, before or after the command; null = nothing. */
export const configOption = (command: Command): string | null =>
  command.optsWithGlobals<{ readonly config?: string }>().config ?? null;

/** The configuration for a command; ends it with every problem at once when there is one. */
export function configFor(
  command: Command,
  host: CommandHost,
  how: { readonly isReader: boolean } = { isReader: false },
): LoadedConfig {
  const loaded = host.readConfig(configOption(command), how);
  if (!loaded.ok) throw new Failed(`configuration:\n${describeProblems(loaded.failure)}`, 2);
  return loaded.value;
}

/** Ends a command because of the data directory; `doctor` makes a finding of it. */
export class DataFailed extends Failed {
  readonly problem: DataProblem;
  constructor(problem: DataProblem) {
    super(`${problem.what}\nWhat helps: ${problem.remedy}`, 1);
    this.problem = problem;
  }
}

/**
 * Runs with the data directory in hand and gives it back in any case. A damaged database and a disk that refuses end the
 * command with a sentence and what helps, whenever they are met.
 */
export async function withLocalModules<Value>(
  { config, host }: { readonly config: Config; readonly host: CommandHost },
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

/** Ends a command that reads a database which cannot be read; one that is damaged has its remedy elsewhere. */
export function unreadable(problem: string): Failed {
  const isDamaged = /malformed|not a database|is damaged/.test(problem);
  return new Failed(isDamaged ? `${problem}; \`dayferry doctor\` says what helps` : problem, 1);
}

/** The content of a file that a command names; `-` is standard input. */
export async function readInput(file: string, host: CommandHost): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(file === "-" ? await host.readStandardInput() : host.readFile(file));
  } catch (error) {
    throw new Failed(`${file} cannot be read: ${fileReason(error)}`, 1);
  }
}

export const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
