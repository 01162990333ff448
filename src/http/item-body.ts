import { formFieldNames, type ItemFields } from "../edits/forms/item-fields.ts";

const { texts, sets } = formFieldNames;

/** Names of a form's checkboxes, as browsers omit unticked ones. */
export const boxesField = "has";

/** The body of an item's form. Fields that the form lacks stay undefined. */
export function readItemBody(body: unknown): ItemFields {
  const given: Readonly<Record<string, unknown>> = { ...Object(body) };
  const boxes = (typeof given[boxesField] === "string" ? given[boxesField] : "").split(" ");
  return {
    ...Object.fromEntries(
      texts.flatMap((name) => {
        const value = lastOf(given[name]) ?? (boxes.includes(name) ? "" : undefined);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    ...Object.fromEntries(
      sets.flatMap((name) => {
        const values = allOf(given[name]);
        return values.length > 0 || boxes.includes(name) ? [[name, values]] : [];
      }),
    ),
  };
}

/** The body as hidden fields of the confirmation page. */
export function hiddenFields(fields: ItemFields): readonly (readonly [string, string])[] {
  const boxes = [...texts, ...sets].filter((name) => fields[name] !== undefined);
  return [
    [boxesField, boxes.join(" ")],
    ...Object.entries(fields).flatMap(([name, value]: readonly [string, unknown]) =>
      allOf(value).map((each) => [name, each] as const),
    ),
  ];
}

const lastOf = (value: unknown): string | undefined => allOf(value).at(-1);

function allOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
