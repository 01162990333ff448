import type { Channel } from "../../domain/edit.ts";
import type { LabelId, ListId, PersonId } from "../../domain/ids.ts";
import { lazy } from "../../domain/lazy.ts";
import { nameKey } from "../../domain/sameness.ts";
import type { Directory } from "../../store/mirror/directory.ts";
import type { Store } from "../../store/store.ts";

/** What files are read against, beside the item itself. */
export interface DiffContext {
  /** The account's zone. */
  readonly zone: string;
  readonly names: KnownNames;
  /** What becomes of a category that is no label: its item is refused, it becomes a label, or the item is stored without it. */
  readonly unknownLabels: "refuse" | "create" | "leave-out";
  readonly tasks: "due" | "span" | "none";
  readonly webUrl: string | null;
  /** Todolists whose tasks not everybody may see. */
  readonly privateLists: Pick<ReadonlySet<ListId>, "has">;
  /** Whether the channel shows items with a feed's decorations. */
  readonly decorated: boolean;
}

export interface ContextDeps {
  readonly store: Store;
  /** The account's zone. */
  readonly zone: string;
  readonly policy: { readonly labels: "known" | "create" };
  /** What feeds decorate with. */
  readonly feeds: { readonly tasks: "due" | "span" | "none"; readonly webUrl: string | null };
}

/**
 * What files are read against, as the store has it now; only what is asked for is read. Who uploads a file reads at once what was
 * refused; a program that syncs has nobody to ask, and every tag of tasks.org is a category.
 */
export function readContext(
  { store, zone, policy, feeds }: ContextDeps,
  channel: Channel,
): DiffContext {
  const unknown = channel === "upload" ? "refuse" : "leave-out";
  return {
    zone,
    names: readNames(store.directory),
    unknownLabels: policy.labels === "create" ? "create" : unknown,
    tasks: feeds.tasks,
    webUrl: feeds.webUrl,
    privateLists: { has: (list) => store.directory.todolist(list)?.private === true },
    decorated: channel !== "caldav",
  };
}

/** The names by which files speak of labels and people. */
export interface KnownNames {
  /** Labels of this name, case apart; those that are gone too, as items may still carry them. */
  labelsNamed(name: string): readonly LabelId[];
  /** Whether the label had this name before, case apart: a file of that time still says it. */
  wasNamed(label: LabelId, name: string): boolean;
  /** Whether the label is there and can be given to an item. */
  isGiven(label: LabelId): boolean;
  /** Whether calendars can be shown the label: it has a name. */
  isNamed(label: LabelId): boolean;
  /** The person of an e-mail address in lower case; null when nobody has it. */
  personOf(email: string): PersonId | null;
  hasEmail(person: PersonId): boolean;
  /** Whether the person had this e-mail address, in lower case, before: a file of that time still says it. */
  hadEmail(person: PersonId, email: string): boolean;
}

/** The names of the account for one file: read once, and not at all where the file speaks of none. */
function readNames(directory: Directory): KnownNames {
  const labels = lazy(() => readLabels(directory));
  const people = lazy(() => readAddresses(directory));
  return {
    labelsNamed: (name) => labels().named.get(nameKey(name)) ?? [],
    wasNamed: (label, name) =>
      directory
        .formerNames({ kind: "label", id: label })
        .some((former) => nameKey(former) === nameKey(name)),
    isGiven: (label) => labels().present.has(label),
    isNamed: (label) => labels().ids.has(label),
    personOf: (email) => people().byEmail.get(email) ?? null,
    hasEmail: (person) => people().withEmail.has(person),
    hadEmail: (person, email) =>
      directory
        .formerNames({ kind: "person", id: person })
        .some((former) => former.toLowerCase() === email),
  };
}

function readLabels(directory: Directory) {
  const present = new Set(directory.labels().map(({ id }) => id));
  const named = new Map<string, LabelId[]>();
  const ids = new Set<LabelId>();
  for (const [id, name] of directory.labelNames()) {
    const key = nameKey(name);
    if (key === "") continue;
    ids.add(id);
    named.set(key, [...(named.get(key) ?? []), id]);
  }
  return { present, named, ids };
}

function readAddresses(directory: Directory) {
  const people = directory.people().filter(({ email }) => email !== null);
  const byEmail = new Map(people.map(({ id, email }) => [email?.toLowerCase(), id]));
  return { byEmail, withEmail: new Set(people.map(({ id }) => id)) };
}
