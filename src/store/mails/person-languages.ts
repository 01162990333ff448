import type { PersonId } from "../../domain/ids.ts";
import { isLanguage, type Language } from "../../texts/say.ts";
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
