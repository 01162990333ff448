import { type FieldName, fieldNames, fieldOf, isEdited, jsonKeyOf } from "../../domain/fields.ts";
import { labelId, personId } from "../../domain/ids.ts";
import { type PlainPatch, patchFromPlain } from "../../domain/plain-item.ts";
import { fieldInWords, fieldNameOf, momentInWords, type Names } from "../../domain/wording.ts";
import { say as message } from "../../texts/say.ts";
import { hoursText } from "../formats/cell-text.ts";
import { shorten } from "../formats/text-formats.ts";
import type { ReportScope } from "../report.ts";

/** A field of an item's content as JSON, with two different values. */
export interface FieldDifference {
  readonly field: string;
  /** Name for people. */
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Differences between two contents in JSON, in field order; each custom field separately. Empty if one content is missing. */
export function differencesOf({
  before,
  after,
}: Readonly<Record<"before" | "after", string | null>>): readonly FieldDifference[] {
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

/** Formats "Due: Sun 29 Nov 2026 → Fri 4 Dec 2026", with names and in the viewer's time zone. */
export function differenceWords(scope: ReportScope): (difference: FieldDifference) => string {
  const names = namesOf(scope);
  const say = valueWords(scope, names);
  return ({ field, name, before, after }) => {
    const [from, to] = [before, after].map((value) => shorten(say({ field, value }), longest));
    return `${name}: ${from} → ${to}`;
  };
}

const longest = 100;

const contentOf = (json: string): ReadonlyMap<string, unknown> =>
  new Map<string, unknown>(Object.entries(JSON.parse(json)));

const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  (typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b));

/** Grouped by title, because two custom fields may have the same one. */
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

/** Fields by their key in the content. */
const fieldsByKey: ReadonlyMap<string, FieldName> = new Map(
  fieldNames.map((name) => [jsonKeyOf(name), name]),
);

function nameOf(key: string): string {
  const name = fieldsByKey.get(key);
  return name ? fieldNameOf(name) : key === "kind" ? message("reports.kindName") : key;
}

function valueWords({ people, projects, lists, zone }: ReportScope, names: Names) {
  return ({ field: key, value }: { readonly field: string; readonly value: unknown }): string => {
    if (value === null) return message("value.none");
    const name = fieldsByKey.get(key);
    if (name && isEdited(name)) {
      const plain: PlainPatch = Object(Object.fromEntries([[name, value]]));
      return fieldInWords(name, patchFromPlain(plain, zone), names);
    }
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const type = name ? fieldOf(name).type.name : null;
    if (type === "percent") return `${text} %`;
    if (type === "minutes") return hoursText(Number(value));
    if (type === "moment") return momentInWords(Temporal.Instant.from(text), zone);
    if (type === "person")
      return people.get(Number(value)) ?? message("reports.unknownPerson", { id: text });
    if (type === "project")
      return projects.get(Number(value)) ?? message("reports.unknownProject", { id: text });
    if (type === "list")
      return lists.get(Number(value)) ?? message("reports.unknownList", { id: text });
    return text;
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
