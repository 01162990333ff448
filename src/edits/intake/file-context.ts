import type { Channel } from "../../domain/edit.ts";
import type { LabelId, ListId, PersonId } from "../../domain/ids.ts";
import { lazy } from "../../domain/lazy.ts";
import { nameKey } from "../../domain/sameness.ts";
import type { Directory } from "../../store/mirror/directory.ts";
import type { Store } from "../../store/store.ts";

/** Context for comparing files, besides the item itself. */
export interface DiffContext {
  /** The account's zone. */
  readonly zone: string;
  readonly names: KnownNames;
  /** How an unknown category is treated: its item is refused, it becomes a label, or it is left out. */
  readonly unknownLabels: "refuse" | "create" | "leave-out";
  readonly tasks: "due" | "span" | "none";
  readonly webUrl: string | null;
  /** Todolists whose tasks are not visible to everyone. */
  readonly privateLists: Pick<ReadonlySet<ListId>, "has">;
  /** True if the channel shows items with a feed's additions. */
  readonly decorated: boolean;
}

export interface ContextDeps {
  readonly store: Store;
  /** The account's zone. */
  readonly zone: string;
  readonly policy: { readonly labels: "known" | "create" };
  /** What feeds add to items. */
  readonly feeds: { readonly tasks: "due" | "span" | "none"; readonly webUrl: string | null };
}

/**
 * Context from the store's present state, loaded lazily. Uploads are refused with an immediate answer; a syncing program cannot
 * ask anybody, and every tag of tasks.org is a category.
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

/** Names by which files refer to labels and people. */
export type KnownNames = ReturnType<typeof readNames>;

/** The account's names for one file: loaded once, and only if the file needs them. */
function readNames(directory: Directory) {
  const labels = lazy(() => readLabels(directory));
  const people = lazy(() => readAddresses(directory));
  return {
    /** Labels with this name, ignoring case, including deleted ones that items may still have. */
    labelsNamed: (name: string): readonly LabelId[] => labels().named.get(nameKey(name)) ?? [],
    /** True if the label formerly had this name, ignoring case, as in an older file. */
    wasNamed: (label: LabelId, name: string): boolean =>
      directory
        .formerNames({ kind: "label", id: label })
        .some((former) => nameKey(former) === nameKey(name)),
    /** True if the label exists and can be assigned. */
    isGiven: (label: LabelId): boolean => labels().present.has(label),
    /** True if calendars can show the label: it has a name. */
    isNamed: (label: LabelId): boolean => labels().ids.has(label),
    /** The person with a lower-case e-mail address; null if none. */
    personOf: (email: string): PersonId | null => people().byEmail.get(email) ?? null,
    hasEmail: (person: PersonId): boolean => people().withEmail.has(person),
    /** True if the person formerly had this lower-case address, as in an older file. */
    hadEmail: (person: PersonId, email: string): boolean =>
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
