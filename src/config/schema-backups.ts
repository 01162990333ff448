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
        "whether a backup is made every day; before a migration one is made in any case",
      ),
      at: doc(
        textSetting(readTimeOfDay, "time of day").prefault("03:30"),
        "when, on the account's clocks; what was missed is made up for at the next start",
      ),
      keep: z
        .strictObject({
          daily: counted(7, "of so many days the last one is kept; the newest of all always is"),
          weekly: counted(4, "the same of weeks"),
          monthly: counted(6, "the same of months"),
        })
        .prefault({}),
      directory: doc(
        path(folder).optional(),
        "where they are; another disk than that of the data survives its end",
        "`<dataDir>/backups`",
      ),
      passphrase: doc(
        secret(readPassword),
        "seals the keys in backups; without one they are left out, and lie in the data directory alone",
      ),
      passphraseFile: doc(secretFileField(folder, readPassword), "a file that holds it"),
    })
    .superRefine(oneSecret("passphrase"), always)
    .transform(({ passphrase, passphraseFile, ...rest }) => ({
      ...rest,
      passphrase: passphrase ?? passphraseFile ?? null,
    }));
}
