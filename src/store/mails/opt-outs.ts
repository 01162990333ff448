import type { PersonId } from "../../domain/ids.ts";
import { type MailChoice, type MailKind, optInKinds } from "../../domain/mail-kind.ts";
import { instantText, numberColumn, textColumn } from "../rows/item-rows.ts";
import { type OffChoice, offChoiceRow } from "../rows/mail-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/** Kinds of mail that people have turned off or opted in to. */
export function createMailChoices({ db, clock }: StoreDeps) {
  const off = db.prepare(
    "SELECT 1 FROM mail_choices WHERE person = ? AND choice IN (?, 'all') LIMIT 1",
  );
  const add = db.prepare(
    "INSERT OR IGNORE INTO mail_choices (person, choice, off_at) VALUES (?, ?, ?)",
  );
  const remove = db.prepare("DELETE FROM mail_choices WHERE person = ? AND choice IN (?, 'all')");
  const list = db.rows(
    "SELECT * FROM mail_choices WHERE person = coalesce(?, person) ORDER BY off_at, person, choice",
    offChoiceRow,
  );
  const newest = db.prepare(
    `SELECT count(*) AS choices, coalesce(max(at), '') AS at
     FROM (SELECT off_at AS at FROM mail_choices UNION ALL SELECT on_at FROM mail_opt_ins)`,
  );
  const optedIn = db.prepare("SELECT 1 FROM mail_opt_ins WHERE person = ? AND choice = ?");
  const optIn = db.prepare(
    "INSERT OR IGNORE INTO mail_opt_ins (person, choice, on_at) VALUES (?, ?, ?)",
  );
  const optOut = db.prepare("DELETE FROM mail_opt_ins WHERE person = ? AND choice = ?");
  const anyOptIn = db.prepare("SELECT 1 FROM mail_opt_ins LIMIT 1");
  const isOptIn = (choice: MailChoice): boolean => optInKinds.some((kind) => kind === choice);
  const hasOptedIn = (person: PersonId, choice: MailChoice): boolean =>
    optedIn.get(person, choice) !== undefined;
  return {
    /** True if a person has turned off this kind, or all mail. */
    isOff: (person: PersonId, kind: MailKind): boolean =>
      off.get(person, kind) !== undefined || (isOptIn(kind) && !hasOptedIn(person, kind)),
    turnOff(person: PersonId, choice: MailChoice): void {
      if (isOptIn(choice)) optOut.run(person, choice);
      else add.run(person, choice, instantText(clock()));
    },
    /** Turns one choice on again. Also removes an opt-out from all mail, which would keep a kind off. */
    turnOn(person: PersonId, choice: MailChoice): void {
      remove.run(person, choice);
      if (isOptIn(choice)) optIn.run(person, choice, instantText(clock()));
    },
    /** Kinds that a person does not get, including those they have not opted in to. */
    offOf: (person: PersonId): readonly MailChoice[] => [
      ...list.all(person).map(({ choice }) => choice),
      ...optInKinds.filter((kind) => !hasOptedIn(person, kind)),
    ],
    /** True if anybody has opted in to a kind of mail. */
    hasOptIns: (): boolean => anyOptIn.get() !== undefined,
    /** Choices of one person, or of everyone (null), oldest first. */
    list: (person: PersonId | null): readonly OffChoice[] => list.all(person),
    /** Changes whenever something is turned off or on. */
    version(): string {
      const row = newest.get();
      return `${numberColumn(row, "choices")} ${textColumn(row, "at")}`;
    },
  };
}

export type { OffChoice } from "../rows/mail-rows.ts";
