import { labelId, personId } from "../../domain/ids.ts";
import type { PatchField } from "../../domain/patch.ts";
import { type PlainPatch, patchFromPlain } from "../../domain/plain-item.ts";
import { unreachable } from "../../domain/result.ts";
import { fieldInWords, fieldNames, momentInWords, type Names } from "../../domain/wording.ts";
import { hoursText } from "../formats/cell-text.ts";
import { shorten } from "../formats/text-formats.ts";
import type { ReportScope } from "../report.ts";

/** A field of an item's content, as JSON has it, of which two versions say different things. */
export interface FieldDifference {
  readonly field: string;
  /** What people call it. */
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What differs between two contents in JSON, in their order; each custom field by itself. Nothing where one is missing. */
export function differencesOf({
  before,
  after,
}: {
  readonly before: string | null;
  readonly after: string | null;
}): readonly FieldDifference[] {
  if (before === null || after === null) return [];
  const [old, now] = [contentOf(before), contentOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((field) => !isSame(old.get(field), now.get(field)))
    .flatMap((field) => {
      const [was, is] = [old.get(field) ?? null, now.get(field) ?? null];
      return field === "customFields"
        ? customDifferences(was, is)
        : [{ field, name: nameOf(field), before: was, after: is }];
    });
}

/** Says "Due: Sun 29 Nov 2026 → Fri 4 Dec 2026", by names and on the reader's clocks. */
export function differenceWords(scope: ReportScope): (difference: FieldDifference) => string {
  const names = namesOf(scope);
  const say = valueWords(scope, names);
  return ({ field, name, before, after }) => {
    const [from, to] = [before, after].map((value) => shorten(say({ field, value }), longest));
    return `${name}: ${from} → ${to}`;
  };
}

const longest = 100;
const none = "none";

const contentOf = (json: string): ReadonlyMap<string, unknown> =>
  new Map<string, unknown>(Object.entries(JSON.parse(json)));

const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  (typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b));

/** By its title each, of which there may be two: then they stand together. */
function customDifferences(before: unknown, after: unknown): readonly FieldDifference[] {
  const [old, now] = [byTitle(before), byTitle(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((name) => ({
      field: "customFields",
      name,
      before: old.get(name) ?? null,
      after: now.get(name) ?? null,
    }))
    .filter((each) => each.before !== each.after);
}

function byTitle(fields: unknown): ReadonlyMap<string, string> {
  const listed: readonly { readonly title?: unknown; readonly value?: unknown }[] = Array.isArray(
    fields,
  )
    ? fields.map(Object)
    : [];
  const grouped = Map.groupBy(listed, ({ title }) => String(title));
  return new Map(
    [...grouped].map(([title, own]) => [title, own.flatMap(({ value }) => value).join(", ")]),
  );
}

/** Fields of the content that a patch has too, by the name that it has there. */
const patchFields: ReadonlyMap<string, PatchField> = new Map([
  ["title", "title"],
  ["description", "description"],
  ["when", "when"],
  ["reminderMinutes", "reminder"],
  ["milestone", "milestone"],
  ["private", "private"],
  ["completed", "completed"],
  ["assigned", "assigned"],
  ["labels", "labels"],
  ["startOn", "startOn"],
  ["dueOn", "dueOn"],
  ["estimatedMinutes", "estimated"],
]);

/** What is only read from the service: what people call it, and what it holds. */
const readFields: ReadonlyMap<
  string,
  readonly [string, "text" | "minutes" | "percent" | "moment" | "person" | "project" | "list"]
> = new Map([
  ["percent", ["Progress", "percent"]],
  ["loggedMinutes", ["Logged time", "minutes"]],
  ["completedAt", ["Completed", "moment"]],
  ["completedBy", ["Completed by", "person"]],
  ["createdAt", ["Created", "moment"]],
  ["creatorId", ["Created by", "person"]],
  ["projectId", ["Project", "project"]],
  ["listId", ["List", "list"]],
  ["parentId", ["Parent task", "text"]],
  ["subtaskCount", ["Subtasks", "text"]],
  ["commentCount", ["Comments", "text"]],
  ["rrule", ["Repeats", "text"]],
  ["ticket", ["Ticket", "text"]],
  ["stage", ["Stage", "text"]],
  ["kind", ["Kind", "text"]],
]);

function nameOf(field: string): string {
  const patched = patchFields.get(field);
  return patched ? fieldNames[patched] : (readFields.get(field)?.[0] ?? field);
}

function valueWords({ people, projects, lists, zone }: ReportScope, names: Names) {
  return ({ field, value }: { readonly field: string; readonly value: unknown }): string => {
    if (value === null) return none;
    const patched = patchFields.get(field);
    if (patched) {
      const plain: PlainPatch = Object(Object.fromEntries([[patched, value]]));
      return fieldInWords(patched, patchFromPlain(plain, zone), names);
    }
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const [, kind = "text"] = readFields.get(field) ?? [];
    switch (kind) {
      case "text":
        return text;
      case "percent":
        return `${text} %`;
      case "minutes":
        return hoursText(Number(value));
      case "moment":
        return momentInWords(Temporal.Instant.from(text), zone);
      case "person":
        return people.get(Number(value)) ?? `person ${text}`;
      case "project":
        return projects.get(Number(value)) ?? `project ${text}`;
      case "list":
        return lists.get(Number(value)) ?? `list ${text}`;
      default:
        return unreachable(kind);
    }
  };
}

function namesOf({ people, labels, projects, lists, zone }: ReportScope): Names {
  return {
    people: new Map([...people].map(([id, name]) => [personId(id), name])),
    labels: new Map([...labels].map(([id, name]) => [labelId(id), name])),
    project: (id) => projects.get(id) ?? null,
    list: (id) => lists.get(id) ?? null,
    zone,
  };
}
