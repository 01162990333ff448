import type { LabelId, PersonId } from "../../domain/ids.ts";
import { oneLine } from "../../ics/text.ts";
import type { Directory } from "../../store/directory.ts";

/** The names by which files speak of labels and people. */
export interface KnownNames {
  /** Labels of this name, case apart; those that are gone too, as items may still carry them. */
  labelsNamed(name: string): readonly LabelId[];
  /** Whether the label is there and can be given to an item. */
  isGiven(label: LabelId): boolean;
  /** Whether calendars can be shown the label: it has a name. */
  isNamed(label: LabelId): boolean;
  /** The person of an e-mail address in lower case; null when nobody has it. */
  personOf(email: string): PersonId | null;
  hasEmail(person: PersonId): boolean;
}

/** Reads the names of the account once, for one file. */
export function readNames(directory: Directory): KnownNames {
  const present = new Set(directory.labels().map(({ id }) => id));
  const named = new Map<string, LabelId[]>();
  const ids = new Set<LabelId>();
  for (const [id, name] of directory.labelNames()) {
    const key = labelKey(name);
    if (key === "") continue;
    ids.add(id);
    named.set(key, [...(named.get(key) ?? []), id]);
  }
  const people = directory.people().filter(({ email }) => email !== null);
  const byEmail = new Map(people.map(({ id, email }) => [email?.toLowerCase(), id]));
  const withEmail = new Set(people.map(({ id }) => id));
  return {
    labelsNamed: (name) => named.get(labelKey(name)) ?? [],
    isGiven: (label) => present.has(label),
    isNamed: (label) => ids.has(label),
    personOf: (email) => byEmail.get(email) ?? null,
    hasEmail: (person) => withEmail.has(person),
  };
}

/** What two spellings of one label's name have in common. */
export const labelKey = (name: string): string => oneLine(name).normalize("NFC").toLowerCase();
