import type { CustomFieldDefinition, CustomFieldValue } from "./records.ts";
import { RefusedError, refuse } from "./refusal.ts";
import { readDate } from "./times.ts";

type Values = Readonly<Record<string, CustomFieldValue>>;

/**
 * Reads `{<field id>: {value}}` against the project's definitions; an empty value clears a field. Rejects with status 200 and
 * code 2033 if a value does not match its type, 400 for an unknown field. Source: service-api.md, Errors.
 */
export function readCustomFields(
  raw: unknown,
  definitions: readonly CustomFieldDefinition[],
): Values {
  if (raw === undefined || raw === null) return {};
  if (typeof raw !== "object" || Array.isArray(raw))
    return refuse(400, "custom_fields must be an object keyed by custom field id");
  const read: [string, CustomFieldValue][] = [];
  for (const [id, entry] of Object.entries(raw)) {
    const definition = definitions.find((it) => String(it.id) === id);
    if (definition === undefined) return refuse(400, `custom_fields has no field ${id} here`);
    const value = readValue(entry, definition);
    if (value === null) return mismatch(definition);
    read.push([id, value]);
  }
  return Object.fromEntries(read);
}

/** The `custom_fields` array of a task: every field of its project, with an empty text if unset. */
export function showCustomFields(
  values: Values,
  definitions: readonly CustomFieldDefinition[],
): readonly object[] {
  return definitions.map((it) => {
    const value = values[String(it.id)] ?? "";
    return {
      id: it.id,
      title: it.title,
      description: it.description,
      type: it.type,
      value: value.length === 0 ? "" : value,
      ...(it.currency === undefined
        ? {}
        : { extra_info: { currency: it.currency, customValue: "" } }),
    };
  });
}

function readValue(entry: unknown, definition: CustomFieldDefinition): CustomFieldValue | null {
  if (typeof entry !== "object" || entry === null || !("value" in entry)) return null;
  const { value } = entry;
  if (value === "" || value === null) return "";
  switch (definition.type) {
    case "Tags":
      return readOptions(value, definition);
    case "Dropdown": {
      const chosen = readOptions(value, definition);
      return chosen !== null && chosen.length <= 1 ? chosen : null;
    }
    case "Currency":
    case "Percentage":
    case "Numbers":
      return typeof value === "string" && /^-?\d{1,12}(\.\d{1,4})?$/.test(value) ? value : null;
    case "Date":
      return typeof value === "string" ? readDate(value) : null;
    case "Text":
    case "Textarea":
      return typeof value === "string" ? value : null;
  }
}

function readOptions(value: unknown, definition: CustomFieldDefinition): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  const known = new Set(definition.options?.map((it) => it.id));
  const chosen = value.filter((it): it is string => typeof it === "string" && known.has(it));
  return chosen.length === value.length ? chosen : null;
}

function mismatch(definition: CustomFieldDefinition): never {
  const message = `the value of custom field ${definition.id} (${definition.title}) does not match its type ${definition.type}`;
  throw new RefusedError(200, message, 2033);
}
