import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { Command } from "commander";
import { type Manifest, readManifest } from "../../backups/archive.ts";
import { makeBackup } from "../../backups/make-backup.ts";
import {
  finishRestore,
  isRestoreDecided,
  type KeysRestored,
  type Restored,
  restoreBackup,
  restoreKeys,
  verifyBackup,
} from "../../backups/restore-backup.ts";
import { keyFiles } from "../../backups/sealed-keys.ts";
import { newestSnapshots } from "../../backups/snapshots.ts";
import type { Config } from "../../config/config.ts";
import { fileReason } from "../../domain/file-reason.ts";
import type { Result } from "../../domain/result.ts";
import { randomBytes, randomId } from "../../runtime.ts";
import { lockDataDirectory } from "../../store/data-lock.ts";
import { fileAbove, keepFolderPrivate } from "../../store/private-files.ts";
import { asJson, type CommandHost, type CommandTools, configFor, Failed } from "../command-host.ts";
import { progressLines } from "../progress-lines.ts";
import { localTime, textTable } from "../terminal-text.ts";

interface PassphraseOptions {
  readonly passphraseFile?: string;
  readonly askPassphrase: boolean;
}

interface BackupOptions extends PassphraseOptions {
  readonly verify: boolean;
  readonly withoutKeys: boolean;
  readonly json: boolean;
}

const withPassphrase = (command: Command): Command =>
  command
    .option(
      "--passphrase-file <file>",
      "file whose first line is the keys' passphrase (- = standard input; default: DAYFERRY_BACKUP_PASSPHRASE)",
    )
    .option("--ask-passphrase", "ask for it in the terminal", false);

/** `backup`: one file with all data, with or without a running daemon. */
export function backupCommand({ host }: CommandTools): Command {
  const command = new Command("backup")
    .description("write a verified, compressed backup of all state into one file")
    .argument("<file>", "the file to write, or to check with --verify")
    .option("--verify", "check a backup instead, as a restore would", false)
    .option("--without-keys", "leave the keys out even if there is a passphrase", false);
  return withPassphrase(command)
    .option("--json", "print JSON", false)
    .action(async (name: string, options: BackupOptions, self: Command) => {
      const file = resolve(name);
      if (options.verify) return verify(file, options, host);
      const config = configFor(self, host);
      const passphrase = options.withoutKeys
        ? null
        : await passphraseFor(options, { host, config });
      finishWhatWasDecided(config.dataDir);
      const task = {
        dataDir: config.dataDir,
        file,
        ifTaken: "replace",
        passphrase,
        program: programOf(self),
        now: host.clock().toString(),
      } as const;
      const made = await makeBackup(task, randomBytes, progressLines(host, "backup"));
      if (!made.ok) throw new Failed(`backup failed: ${made.failure.problem}`, 1);
      const { manifest, octets } = made.value;
      if (options.json) host.print(asJson(made.value));
      host.say(
        `${file}: ${size(octets)}, checked; ${
          manifest.keys === "sealed"
            ? "it contains the keys, encrypted with the passphrase"
            : `it does not contain the keys${options.withoutKeys ? "" : ", because there is no passphrase (--passphrase-file, DAYFERRY_BACKUP_PASSPHRASE)"}: restored on another machine without them, ${keyFiles.map(({ without }) => without).join("; ")}`
        }\n`,
      );
      return undefined;
    });
}

async function verify(file: string, options: BackupOptions, host: CommandHost): Promise<void> {
  const passphrase = await passphraseFor(options, { host, config: null });
  const checked = await verifyBackup(file, passphrase, progressLines(host, "check"));
  if (!checked.ok) throw new Failed(checked.failure, 1);
  if (options.json) host.print(asJson(checked.value));
  else host.print(`${file} is whole: ${inWords(checked.value)}\n`);
}

interface RestoreCommandOptions extends PassphraseOptions {
  readonly list: boolean;
  readonly keysOnly: boolean;
  readonly json: boolean;
}

/** `restore`: replaces the data with a backup; with `--list` shows what a backup or a folder contains. */
export function restoreCommand({ host }: CommandTools): Command {
  const command = new Command("restore")
    .description("restore a backup; the current database is kept aside")
    .argument(
      "[file]",
      "the backup; with --list also a folder (default: the one of backups.directory)",
    )
    .option("--list", "only show the backup's content, or the backups in a folder", false)
    .option("--keys-only", "restore only the keys, and leave the database unchanged", false);
  return withPassphrase(command)
    .option("--json", "print JSON", false)
    .action(async (name: string | undefined, options: RestoreCommandOptions, self: Command) => {
      if (options.list) return list(name, options, { host, command: self });
      if (name === undefined)
        throw new Failed("name the backup to restore; --list shows those there are", 2);
      return restore(resolve(name), options, { host, config: configFor(self, host) });
    });
}

async function restore(
  file: string,
  options: RestoreCommandOptions,
  { host, config }: { readonly host: CommandHost; readonly config: Config },
): Promise<void> {
  const { dataDir } = config;
  if (!existsSync(file)) throw new Failed(`there is no file ${file}`, 1);
  const misplaced = fileAbove(join(dataDir, "a file in it"));
  if (misplaced !== null) {
    throw new Failed(
      `dataDir ${dataDir} cannot be written to: ${misplaced} is a file, not a folder`,
      1,
    );
  }
  keepFolderPrivate(dataDir);
  const lock = lockDataDirectory(dataDir);
  if (!lock) {
    throw new Failed(
      `another process uses the data directory ${dataDir}: stop the daemon first, then restore`,
      1,
    );
  }
  try {
    finishRestore(dataDir);
    const passphrase = await passphraseFor(options, { host, config });
    const source = { file, dataDir, passphrase, now: host.clock() };
    const report = <Done>(done: Result<Done, string>, describe: (value: Done) => string) => {
      if (!done.ok) throw new Failed(`nothing was changed: ${done.failure}`, 1);
      if (options.json) host.print(asJson(done.value));
      host.say(describe(done.value));
    };
    if (options.keysOnly) {
      return report(await restoreKeys(source), (restored) => describeKeys(restored, dataDir));
    }
    const restored = await restoreBackup({
      ...source,
      epoch: randomId(),
      quota: config.service.quota.requests,
      onBytes: progressLines(host, "restore"),
    });
    report(restored, (value) => describeRestored(value, dataDir, passphrase));
  } finally {
    lock.release();
  }
}

function describeKeys({ keys, aside }: KeysRestored, dataDir: string): string {
  if (keys.length === 0) return `the keys in ${dataDir} already match the backup\n`;
  const kept = aside === null ? "" : `; the previous ones are in ${aside}`;
  return `${keys.join(", ")} in ${dataDir} were restored; the database is unchanged${kept}\n`;
}

/** Says what a restore has done, and what the person has to check. */
function describeRestored(restored: Restored, dataDir: string, passphrase: string | null): string {
  const { manifest, aside, lost, passwords } = restored;
  const lines = [
    `restored into ${dataDir}: ${inWords(manifest)}`,
    aside === null ? null : `the previous database is in ${aside}; nothing removes it`,
    manifest.keys === "left out"
      ? "the backup has no keys: those of the data directory stay"
      : passphrase === null
        ? "the backup's keys were not restored, because there is no passphrase: those of the data directory stay"
        : `keys: ${restored.keys.join(", ")} are those of the backup`,
    ...lost.map((what) => `a key is missing, and a new one is created at the next start: ${what}`),
    "every item is read again before anything is deleted; calendar programs have to sync everything again",
    restored.lookedUp === 0
      ? null
      : `${restored.lookedUp} pending edits are checked in the workspace before anything is sent`,
    `mails due before now are not sent${restored.knowsSince ? "" : ", because it is unknown which were sent"}; browsers were logged out (${restored.logInsEnded})`,
    passwordsInWords(passwords, restored.knowsSince),
    restored.feedsKeptShut === 0
      ? null
      : `${restored.feedsKeptShut} feeds that were revoked or got a new address since then keep that state`,
    restored.newerEdits === 0 || aside === null
      ? null
      : `${restored.newerEdits} edits were accepted after the backup and not delivered: they are in ${join(aside, "dayferry.sqlite")}, not in the restored database; enter them again (\`dayferry sql --database\` shows them)`,
  ];
  return `${lines.filter((line) => line !== null).join("\n")}\n`;
}

function passwordsInWords(
  { kept, dropped }: Restored["passwords"],
  knowsSince: boolean,
): string | null {
  if (kept + dropped === 0) return null;
  return knowsSince
    ? `app passwords are the latest ones (${kept}${dropped > 0 ? `; ${dropped} changed or removed since then stay invalid` : ""})`
    : `${kept} app passwords are those of the backup: one that was changed or removed since then is valid again (\`dayferry people clear-password\` removes it)`;
}

async function list(
  name: string | undefined,
  options: RestoreCommandOptions,
  { host, command }: { readonly host: CommandHost; readonly command: Command },
): Promise<void> {
  const place = name === undefined ? configFor(command, host).backups.directory : resolve(name);
  const isFile = statSync(place, { throwIfNoEntry: false })?.isFile() ?? false;
  if (name !== undefined && !existsSync(place)) throw new Failed(`there is no ${place}`, 1);
  if (isFile) {
    const manifest = await readManifest(place);
    if (!manifest.ok) throw new Failed(manifest.failure, 1);
    host.print(options.json ? asJson(manifest.value) : `${place}: ${inWords(manifest.value)}\n`);
    return;
  }
  const snapshots = await Promise.all(
    newestSnapshots(place, host.clock()).map(async (snapshot) => {
      const manifest = await readManifest(snapshot.file);
      return { ...snapshot, manifest: manifest.ok ? manifest.value : null };
    }),
  );
  if (options.json) {
    host.print(asJson(snapshots));
    return;
  }
  host.print(
    snapshots.length === 0
      ? `no backups in ${place}\n`
      : textTable(
          ["FILE", "MADE (UTC)", "WHY", "SIZE", "KEYS", "MIGRATION"],
          snapshots.map(({ file, madeAt, reason, octets, manifest }) => [
            file,
            localTime(madeAt.toString(), "UTC"),
            reason,
            size(octets),
            manifest?.keys ?? "unreadable",
            String(manifest?.migration ?? "-"),
          ]),
        ),
  );
}

/** The passphrase from a file, the environment, the terminal or the configuration; null if there is none. */
async function passphraseFor(
  { passphraseFile, askPassphrase: asks }: PassphraseOptions,
  { host, config }: { readonly host: CommandHost; readonly config: Config | null },
): Promise<string | null> {
  if (asks) return checked(await askPassphrase(host.say), "the terminal");
  if (passphraseFile !== undefined) {
    try {
      const octets =
        passphraseFile === "-" ? await host.readStandardInput() : readFileSync(passphraseFile);
      const [first = ""] = new TextDecoder().decode(octets).split(/\r?\n/);
      return checked(first, passphraseFile);
    } catch (error) {
      if (error instanceof Failed) throw error;
      throw new Failed(`${passphraseFile} cannot be read: ${fileReason(error)}`, 2);
    }
  }
  const variable = host.env["DAYFERRY_BACKUP_PASSPHRASE"];
  if (variable) return checked(variable, "DAYFERRY_BACKUP_PASSPHRASE");
  return config?.backups.passphrase ?? null;
}

function checked(passphrase: string, from: string): string {
  if (passphrase.trim() === "") throw new Failed(`the passphrase from ${from} is empty`, 2);
  return passphrase;
}

/** Finishes an interrupted restore before anything is copied; a daemon does so at startup. */
function finishWhatWasDecided(dataDir: string): void {
  if (!isRestoreDecided(dataDir)) return;
  const lock = lockDataDirectory(dataDir);
  if (!lock) return;
  try {
    finishRestore(dataDir);
  } finally {
    lock.release();
  }
}

/** The version printed by `--version`. */
const programOf = (command: Command): string => command.parent?.version() ?? "";

const size = (octets: number): string =>
  octets < 2 ** 20 ? `${Math.ceil(octets / 1024)} KiB` : `${(octets / 2 ** 20).toFixed(1)} MiB`;

const inWords = ({ madeAt, program, migration, installation, keys, openEdits }: Manifest): string =>
  `made ${localTime(madeAt, "UTC")} UTC by Dayferry ${program}, migration ${migration}, installation ${installation}, keys ${keys}, ${openEdits} open edits`;

/**
 * Reads a passphrase from the terminal without echo. Ends the command without a terminal: use `--passphrase-file -` for a pipe.
 */
async function askPassphrase(say: (text: string) => void): Promise<string> {
  const { stdin } = process;
  if (!stdin.isTTY) {
    throw new Failed("there is no terminal: --passphrase-file - reads standard input", 2);
  }
  // Discards what the terminal would echo.
  const hidden = new Writable({ write: (_piece, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: hidden, terminal: true });
  try {
    say("passphrase: ");
    return await lines.question("");
  } finally {
    lines.close();
    say("\n");
  }
}
