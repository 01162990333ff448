import { textOfRaw } from "@dayferry/ical";
import { lineFields } from "../../domain/fields.ts";
import type { Item } from "../../domain/item.ts";

type ComponentName = "VEVENT" | "VTODO";

/** The fields of an item that are a property of text in a calendar component, by property. */
export function textsOfItem(item: Item, component: ComponentName): ReadonlyMap<string, string> {
  const values: Readonly<Record<string, unknown>> = { ...item };
  return new Map(
    lineFields(component).flatMap(({ name, property }) => {
      const value = values[name];
      return typeof value === "string" ? [[property, value] as const] : [];
    }),
  );
}

/** The same properties as a component has them, by field; nothing for one that it lacks. */
export const textsOfRaw = (raw: readonly string[], component: ComponentName) =>
  lineFields(component).flatMap(({ name, property }) => {
    const text = textOfRaw(raw, property);
    return text === undefined ? [] : [{ name, property, text }];
  });
