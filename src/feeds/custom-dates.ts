import { type When, wholeDay } from "@dayferry/ical";
import { customDatesOf, customDateTitle, customDateUid } from "../domain/custom-date.ts";
import { fingerprint } from "../domain/fingerprint.ts";
import type { Item } from "../domain/item.ts";
import type { ViewItem } from "../store/view/view.ts";
import { type CardContext, cardInputs } from "./card.ts";
import type { FeedOptions } from "./window.ts";
import { feedPlaceOf } from "./window.ts";

/** Ids of an item's custom fields that are entries of their own. */
export const fieldsWithDates = (item: Item): readonly number[] =>
  customDatesOf(item).map(({ id }) => id);

/**
 * The item as a feed entry: itself for field 0, else with UID, title and text of the custom field's date. Null if the field has
 * none.
 */
export function fieldView(view: ViewItem, field: number): ViewItem | null {
  if (field === 0) return view;
  const { item } = view;
  const date = customDatesOf(item).find(({ id }) => id === field);
  if (!date || item.kind === "event") return null;
  const title = customDateTitle(item.title, date.title);
  return {
    ...view,
    uid: customDateUid(date.id, view.uid),
    item: { ...item, title, description: null, labels: [] },
  };
}

/** The place of an entry: the day in its custom field, or the item's own place. */
export function placeOfView({ item }: ViewItem, field: number, options: FeedOptions): When | null {
  if (field === 0) return feedPlaceOf(item, options);
  const on = customDatesOf(item).find(({ id }) => id === field)?.on;
  return on ? wholeDay(on) : null;
}

/** Like `cardInputs`, for a custom field's entry: includes its name and day. Action links do not apply to it. */
export function fieldInputs(
  view: ViewItem,
  { place, ...context }: CardContext & { readonly format: string; readonly place: When },
): string {
  const day = place.kind === "dates" ? place.start : place.start.toPlainDate();
  const own = cardInputs(view, { ...context, links: null });
  return fingerprint(JSON.stringify([own, view.item.title, day]));
}
