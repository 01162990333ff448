import type { ItemKind } from "../domain/fields.ts";
import {
  isId,
  type LabelId,
  type ListId,
  labelId,
  type PersonId,
  type ProjectId,
  personId,
  type ServiceId,
} from "../domain/ids.ts";
import type { Item, Person, Project, Todolist } from "../domain/item.ts";
import { applyPatch, type Patch } from "../domain/patch.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { withinReach } from "../domain/service-times.ts";

/**
 * The fields of an element of an answer, of any type. The readers below are lenient, except `date` and the id: a numeric string
 * counts as a number, and missing, null or wrong values read as empty, so that one odd field never costs the whole element.
 * Source: beyond-the-document.md, Values.
 */
export type Fields = Readonly<Record<string, unknown>>;

/** An element with an id: a positive integer up to 2^53 - 1, also as text. Fails with a sentence for anything else. */
export function readElement(
  raw: unknown,
): Result<{ readonly id: number; readonly fields: Fields }, string> {
  if (!isObject(raw)) return fail(`expected an object, not ${shown(raw)}`);
  const id = toNumber(raw["id"]);
  return isId(id) ? ok({ id, fields: raw }) : fail(`id: ${shown(raw["id"])} is not an id`);
}

/**
 * `YYYY-MM-DD`, as the nearest day that calendars can show; null, missing and empty mean no date. Fails with a sentence for
 * anything else.
 */
export function date(value: unknown, name: string): Result<Temporal.PlainDate | null, string> {
  if (value === undefined || value === null || value === "") return ok(null);
  const match = typeof value === "string" ? datePattern.exec(value.trim()) : null;
  try {
    if (match?.[1]) return ok(withinReach(Temporal.PlainDate.from(match[1])));
  } catch {
    // An impossible day, such as 30 February, is reported below like any other text.
  }
  return fail(`${name}: ${shown(value)} is not a date YYYY-MM-DD`);
}
const datePattern = /^(\d{4}-\d{2}-\d{2})(?:[T ]00:00(?::00(?:\.0+)?)?)?$/;

/** Text, also from a number; null for anything else. */
export function text(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : null;
}

/** A title or name; empty if there is none. */
export const title = (value: unknown): string => text(value) ?? "";

export const flag = (value: unknown): boolean =>
  value === true || value === 1 || value === "1" || value === "true";

/** Like `flag`; null if it is neither yes nor no. */
export function verdict(value: unknown): boolean | null {
  if (flag(value)) return true;
  return value === false || value === 0 || value === "0" || value === "false" ? false : null;
}

/** A non-blank title; null for anything else. */
export function heading(value: unknown): string | null {
  const title = text(value);
  return title?.trim() ? title : null;
}

/** The title in the answer; else the known one, else `fallback`. The latter two are reported as a gap. */
export function keptTitle(
  value: unknown,
  about: {
    readonly known: string | undefined;
    readonly fallback: string;
    readonly issues: ReadIssues | undefined;
  },
): string {
  const answered = heading(value);
  if (answered !== null) return answered;
  const known = heading(about.known);
  const instead = known === null ? `"${about.fallback}" is used instead` : "the known one is kept";
  about.issues?.gap(`title: ${shown(value)} is not a title; ${instead}`);
  return known ?? about.fallback;
}

/** Text of several lines, maybe HTML; null if it has no visible text. */
export function prose(value: unknown): string | null {
  const answered = text(value);
  return answered === null || blankPattern.test(answered) ? null : answered;
}
const blankPattern = /^(?:\s|&nbsp;|&#160;|<\/?(?:p|br|div|span)\b[^>]*>)*$/i;

/** A non-negative number; null for anything else. */
export function amount(value: unknown): number | null {
  const number = toNumber(value);
  return number !== null && number >= 0 ? number : null;
}

/** A non-negative integer; 0 for anything else. */
export const count = (value: unknown): number => Math.floor(amount(value) ?? 0);

export function instant(value: unknown): Temporal.Instant | null {
  if (typeof value !== "string") return null;
  try {
    return Temporal.Instant.from(value.trim());
  } catch {
    return null;
  }
}

/** The id in `{id}`, or a bare one; null for anything else. */
export function ref(value: unknown): number | null {
  const bare = toNumber(isObject(value) ? value["id"] : value);
  return isId(bare) ? bare : null;
}

/** A person as `{id}` or a bare id. */
export function person(value: unknown): PersonId | null {
  const id = ref(value);
  return id === null ? null : personId(id);
}

export const people = (value: unknown): readonly PersonId[] => refs(value).map(personId);

export const labelIds = (value: unknown): readonly LabelId[] => refs(value).map(labelId);

/** The name in `{id, name}`; null for anything else. */
export const nameIn = (value: unknown): string | null =>
  isObject(value) ? text(value["name"] ?? value["title"]) : null;

/** An array; empty for anything else. */
export const array = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A duration from hours and minutes; null if both are missing or zero. */
export function duration(hours: unknown, minutes: unknown): Temporal.Duration | null {
  const total = Math.round((amount(hours) ?? 0) * 60 + (amount(minutes) ?? 0));
  if (total === 0 || !Number.isSafeInteger(total)) return null;
  return Temporal.Duration.from({ hours: Math.floor(total / 60), minutes: total % 60 });
}

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function toNumber(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  const isNumeric = typeof value === "string" && /^-?\d{1,16}(?:\.\d+)?$/.test(value.trim());
  return isNumeric ? Number(value) : null;
}

function refs(value: unknown): readonly number[] {
  const ids = array(value).map(ref);
  return [...new Set(ids)].filter((id) => id !== null);
}

/** A value in a message: its JSON, shortened. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const json = JSON.stringify(value) ?? typeof value;
  return json.length > 60 ? `${json.slice(0, 59)}…` : json;
}

/** Known values of an item in an answer; null for a new one. */
export interface KnownValues {
  item(kind: ItemKind, id: ServiceId): Item | null;
  project(id: ProjectId): Project | null;
  todolist(id: ListId): Todolist | null;
  person(id: PersonId): Person | null;
}

export const nothingKnown: KnownValues = {
  item: () => null,
  project: () => null,
  todolist: () => null,
  person: () => null,
};

/** The write being answered. */
export interface WriteBeingAnswered {
  readonly patch: Patch;
  readonly isNew: boolean;
}

/**
 * Called for an element that is read all the same: `gap` leaves its list incomplete, `omitted` names a field that kept its
 * value.
 */
export interface ReadIssues {
  gap(sentence: string): void;
  omitted(field: string): void;
}

/** The known item with the write applied. An answer that omits a field does not take back what it has accepted. */
export function knownItem(
  known: KnownValues,
  {
    kind,
    id,
    written,
  }: { readonly kind: ItemKind; readonly id: ServiceId; readonly written?: WriteBeingAnswered },
): Item | null {
  const item = written?.isNew ? null : known.item(kind, id);
  return item && applyPatch(item, written?.patch ?? {});
}

/** Reads fields; a missing key keeps the known value. */
export function omittedStays(issues: ReadIssues | undefined) {
  return <Value>(
    name: string,
    {
      raw,
      read,
      known,
    }: {
      readonly raw: unknown;
      readonly read: (raw: unknown) => Value;
      readonly known: Value | undefined;
    },
  ): Value => {
    if (raw !== undefined || known === undefined) return read(raw);
    if (!isEmpty(known)) issues?.omitted(name);
    return known;
  };
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || value === false || value === 0;
}

/**
 * One full read of a list. `received`: number of elements. The snapshot is complete, and can prove that something is missing,
 * only if `problems` is empty. Each problem is a sentence with the place, the kind and the id.
 */
export interface Snapshot<Value> {
  readonly items: readonly Value[];
  readonly problems: readonly string[];
  readonly received: number;
  /** Fields that the service omitted and that keep their value. They do not make the snapshot incomplete. */
  readonly remarks?: readonly string[];
}

/** How to parse a list's elements. `where` and `kind` are words for problems, as "project 7, list 9" and "task". */
export interface ListReader<Value> {
  readonly where: string;
  readonly kind: string;
  readonly read: (raw: unknown, issues: ReadIssues) => Result<Value, string>;
  /** Must be unique among elements. */
  readonly keyOf: (value: Value) => number | string;
}

/** Parses the elements of a list. Fails if the answer is no array. */
export function collect<Value>(
  raw: unknown,
  list: ListReader<Value>,
): Result<Snapshot<Value>, string> {
  if (!Array.isArray(raw)) {
    return fail(`an array of ${list.kind}s was expected, not ${kindOf(raw)}`);
  }
  const elements: readonly unknown[] = raw;
  const collector = new ListCollector(list);
  for (const element of elements) collector.add(element);
  return ok(collector.snapshot());
}

/**
 * Parses elements one by one. An invalid one is omitted and becomes a problem. So does a second one with the same key; the last
 * one counts.
 */
export class ListCollector<Value> {
  readonly #list: ListReader<Value>;
  readonly #found = new Map<number | string, Value>();
  readonly #problems: string[] = [];
  readonly #omitted = new Map<string, number>();
  #received = 0;

  constructor(list: ListReader<Value>) {
    this.#list = list;
  }

  /** Returns the element's key; null if it is omitted. */
  add(element: unknown): number | string | null {
    const list = this.#list;
    const index = this.#received;
    const problem = (sentence: string) =>
      void this.#problems.push(
        `${list.where}, ${list.kind} ${nameOf(element, index)}: ${sentence}`,
      );
    this.#received += 1;
    const value = list.read(element, {
      gap: problem,
      omitted: (field) => void this.#omitted.set(field, (this.#omitted.get(field) ?? 0) + 1),
    });
    if (!value.ok) {
      problem(value.failure);
      return null;
    }
    const key = list.keyOf(value.value);
    if (this.#found.has(key)) problem("the id occurs twice in one list");
    this.#found.set(key, value.value);
    return key;
  }

  snapshot(): Snapshot<Value> {
    const { where, kind } = this.#list;
    const received = this.#received;
    const remarks = [...this.#omitted].map(
      ([field, times]) =>
        `${where}: "${field}" is missing in ${times} of ${received} ${kind}s; the known value is kept`,
    );
    return {
      items: [...this.#found.values()],
      problems: this.#problems,
      received,
      ...(remarks.length > 0 && { remarks }),
    };
  }
}

function nameOf(element: unknown, index: number): string {
  if (typeof element === "object" && element !== null && "id" in element) {
    const { id } = element;
    if (typeof id === "number" || typeof id === "string") return String(id).slice(0, 40);
  }
  return `at place ${index + 1} without an id`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
