import { textOfRaw } from "@dayferry/ical";
import { lineFields } from "../../domain/fields.ts";
import type { Item } from "../../domain/item.ts";

type ComponentName = "VEVENT" | "VTODO";

/** The fields of an item that are text properties in a component, by property. */
export function textsOfItem(item: Item, component: ComponentName): ReadonlyMap<string, string> {
  const values: Readonly<Record<string, unknown>> = { ...item };
  return new Map(
    lineFields(component).flatMap(({ name, property }) => {
      const value = values[name];
      return typeof value === "string" ? [[property, value] as const] : [];
    }),
  );
}

/** The same properties in a component, by field; undefined for missing ones. */
export const textsOfRaw = (raw: readonly string[], component: ComponentName) =>
  lineFields(component).flatMap(({ name, property }) => {
    const text = textOfRaw(raw, property);
    return text === undefined ? [] : [{ name, property, text }];
  });
