import { z } from "zod";
import {
  always,
  doc,
  oneSecret,
  path,
  secret,
  secretFileField,
  textSetting,
} from "./schema-parts.ts";
import { readPassword, readTimeOfDay } from "./values.ts";

const counted = (fallback: number, about: string) =>
  doc(z.int().min(0, "must be at least 0").prefault(fallback), about);

/** Automatic backups, and how long they are kept. */
export function backups(folder: string) {
  return z
    .strictObject({
      enabled: doc(
        z.boolean().prefault(true),
        "whether a backup is made every day; there is always one before a migration",
      ),
      at: doc(
        textSetting(readTimeOfDay, "time of day").prefault("03:30"),
        "time of day in the account's time zone; a missed backup is made at the next start",
      ),
      keep: z
        .strictObject({
          daily: counted(
            7,
            "number of days for which the last backup is kept; the newest one is always kept",
          ),
          weekly: counted(4, "the same of weeks"),
          monthly: counted(6, "the same of months"),
        })
        .prefault({}),
      directory: doc(
        path(folder).optional(),
        "folder for backups; use another disk than the data's",
        "`<dataDir>/backups`",
      ),
      passphrase: doc(
        secret(readPassword),
        "encrypts the keys in backups; without one they are only in the data directory",
      ),
      passphraseFile: doc(secretFileField(folder, readPassword), "a file that holds it"),
    })
    .superRefine(oneSecret("passphrase"), always)
    .transform(({ passphrase, passphraseFile, ...rest }) => ({
      ...rest,
      passphrase: passphrase ?? passphraseFile ?? null,
    }));
}
