import { longestText } from "@dayferry/ical";
import type { Channel } from "../../domain/edit.ts";
import type { LabelId, ListId, PersonId } from "../../domain/ids.ts";
import { lazy } from "../../domain/lazy.ts";
import type { Patch, PatchField } from "../../domain/patch.ts";
import { nameKey } from "../../domain/sameness.ts";
import { fieldNameOf } from "../../domain/wording.ts";
import type { Directory } from "../../store/mirror/directory.ts";
import type { Store } from "../../store/store.ts";
import { say } from "../../texts/say.ts";

/**
 * A note about one item of a file; `line` is 1-based, `code` for programs, `message` for people. docs/edits.md explains the
 * codes.
 */
export interface Note {
  readonly line: number | null;
  /** The property that is stored here, for code `not-stored`. */
  readonly property?: string;
  readonly code: string;
  readonly message: string;
}

/** What one group of properties changes. Any refusal refuses the whole item; notes do not. */
export interface PlanPart {
  readonly patch: Patch;
  /** Names of labels to be created first. */
  readonly newLabels: readonly string[];
  /** What cannot be stored, or is done differently than expected. */
  readonly notes: readonly Note[];
  readonly refusals: readonly Note[];
}

/** No change: the property is missing, or equals the present value. */
export const silent: PlanPart = { patch: {}, newLabels: [], notes: [], refusals: [] };

export const wish = (patch: Patch): PlanPart => ({ ...silent, patch });

export const remark = (note: Note): PlanPart => ({ ...silent, notes: [note] });

export const refuse = (note: Note): PlanPart => ({ ...silent, refusals: [note] });

/** Combines parts, which concern different fields. */
export function joinParts(parts: readonly PlanPart[]): PlanPart {
  return {
    patch: Object.assign({}, ...parts.map(({ patch }) => patch)),
    newLabels: parts.flatMap(({ newLabels }) => newLabels),
    notes: parts.flatMap(({ notes }) => notes),
    refusals: parts.flatMap(({ refusals }) => refusals),
  };
}

const longestExcerpt = 80;

/** Why a text is refused; `length` in characters. */
export const tooLong = (field: PatchField, length: number): string =>
  say("intake.tooLong", {
    field: fieldNameOf(field),
    length: String(length),
    most: String(longestText),
  });

/** A value quoted in a message: short, on one line. */
export function quote(text: string): string {
  const shown = text.length > longestExcerpt ? `${text.slice(0, longestExcerpt)}…` : text;
  return JSON.stringify(shown.toWellFormed());
}

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
