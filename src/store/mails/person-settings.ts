import { type PersonId, personId } from "../../domain/ids.ts";
import type { ReminderTimes } from "../../domain/reminder-times.ts";
import { isLanguage, type Language } from "../../texts/say.ts";
import { tableRow } from "../rows/row.ts";
import type { StoreDeps } from "../steady-database.ts";

/** The language of each person's mails, feeds and pages. */
export function createPersonLanguages({ db }: Pick<StoreDeps, "db">) {
  const find = db
    .prepare("SELECT language FROM person_languages WHERE person = ? AND is_chosen >= ?")
    .pluck();
  const choose = db.prepare(
    "INSERT OR REPLACE INTO person_languages (person, language, is_chosen) VALUES (?, ?, 1)",
  );
  const note = db.prepare(
    `INSERT INTO person_languages (person, language, is_chosen) VALUES (?, ?, 0)
    ON CONFLICT (person) DO UPDATE SET language = excluded.language WHERE is_chosen = 0`,
  );
  const read = (person: PersonId, isChosen: 0 | 1): Language | null => {
    const language = find.get(person, isChosen);
    return isLanguage(language) ? language : null;
  };
  return {
    /** Chosen by the person, or that of their browser; null if neither is known. */
    of: (person: PersonId): Language | null => read(person, 0),
    chosen: (person: PersonId): Language | null => read(person, 1),
    choose: (person: PersonId, language: Language): void => void choose.run(person, language),
    /** Remembers a browser's language, unless the person has chosen one. */
    note: (person: PersonId, language: Language): void => void note.run(person, language),
  };
}

/** The reminder times that people have chosen. In memory, as every item asks for those of its assignees. */
export function createPersonReminders({ db }: Pick<StoreDeps, "db">) {
  const all = db.rows("SELECT person, times FROM person_reminders", (row) => {
    const { person, times } = tableRow<"person_reminders">(row);
    return [personId(person), timesOf(times)] as const;
  });
  const put = db.prepare("INSERT OR REPLACE INTO person_reminders (person, times) VALUES (?, ?)");
  const remove = db.prepare("DELETE FROM person_reminders WHERE person = ?");
  let known: ReadonlyMap<PersonId, ReminderTimes> | null = null;
  let version = 0;

  function change(write: () => void): void {
    write();
    known = null;
    version += 1;
  }

  return {
    /** Null for somebody who is reminded as configured. */
    of(person: PersonId): ReminderTimes | null {
      known ??= new Map(all.all());
      return known.get(person) ?? null;
    },
    choose: (person: PersonId, times: ReminderTimes): void =>
      change(() => put.run(person, JSON.stringify(times))),
    /** From now on as configured. */
    forget: (person: PersonId): void => change(() => remove.run(person)),
    /** Changes whenever somebody's times change. */
    version: (): number => version,
  };
}

/** Reads what `choose` has written: ISO 8601 durations and times of day. */
function timesOf(json: string): ReminderTimes {
  const { milestones, tasks, at, digestAt } = JSON.parse(json);
  const leads = (texts: readonly string[]) => texts.map((text) => Temporal.Duration.from(text));
  return {
    milestones: leads(milestones),
    tasks: leads(tasks),
    at: Temporal.PlainTime.from(at),
    digestAt: digestAt === null ? null : Temporal.PlainTime.from(digestAt),
  };
}
