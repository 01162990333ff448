import { type Item, untitled } from "../../domain/item.ts";
import { type Patch, type PatchField, valuesOf } from "../../domain/patch.ts";
import { changedFields } from "../../domain/sameness.ts";
import type { When } from "../../domain/when.ts";
import type { IncomingItem } from "../../ics/read/calendar-object.ts";
import { unsetFields } from "./cleared.ts";
import { spokenNames } from "./diff-times.ts";
import type { KnownNames } from "./file-context.ts";

/**
 * The wish to take away what a text showed of an item and its whole replacement leaves out; the defaults of the properties
 * are what is left. Where a task hangs cannot be taken away, nor what was not shown: people without an address, labels
 * without a name. Source: RFC 9110 9.3.4; RFC 5545 3.8.1.3 (CLASS), 3.6.1 (an event without an end).
 */
export function replacedPatch(
  incoming: IncomingItem,
  about: { readonly shown: IncomingItem; readonly base: Item; readonly names: KnownNames },
): Patch {
  const { shown, base, names } = about;
  if (shown.component !== incoming.component) return {};
  const isGone = (property: keyof IncomingItem) =>
    shown[property] !== undefined && incoming[property] === undefined;
  const fields: readonly PatchField[] = [
    ...(isGone("description") ? ["description" as const] : []),
    ...(isGone("categories") ? categoryFields(incoming) : []),
    ...(isGone("start") ? ["startOn" as const] : []),
    ...(isGone("due") ? ["dueOn" as const] : []),
    ...(shown.alarm && !incoming.alarm ? ["reminder" as const] : []),
  ];
  const unset = unsetFields(base, { fields, names });
  return { ...unset, ...changedFields(valuesOf(base), defaults(incoming, { ...about, isGone })) };
}

const categoryFields = ({ component }: IncomingItem): readonly PatchField[] =>
  component === "VEVENT" ? ["milestone"] : ["labels"];

/** Fields that cannot be empty, and those that several properties speak of. */
function defaults(
  incoming: IncomingItem,
  about: {
    readonly shown: IncomingItem;
    readonly base: Item;
    readonly names: KnownNames;
    readonly isGone: (property: keyof IncomingItem) => boolean;
  },
): Patch {
  const { shown, base, names, isGone } = about;
  const isEvent = base.kind === "event";
  const isSilent = !saysState(incoming) && saysState(shown);
  const when = isEvent && lacksEnd(incoming, shown) ? withoutEnd(base.when) : null;
  return {
    ...(isGone("summary") && { title: untitled }),
    ...(isEvent && isGone("classification") && { private: false }),
    ...(incoming.component === "VTODO" && isSilent && base.completed && { completed: false }),
    ...(isGone("attendees") && { assigned: withoutThose(shown, { base, names }) }),
    ...(when && { when }),
  };
}

const saysState = ({ status, completedAt, percent }: IncomingItem): boolean =>
  [status, completedAt, percent].some((said) => said !== undefined);

/** Whose addresses were shown are no longer in charge; whoever else is was not shown. */
const withoutThose = (
  { attendees = [] }: IncomingItem,
  { base, names }: { readonly base: Item; readonly names: KnownNames },
) => {
  const shown = new Set(attendees.map((email) => names.personOf(email)));
  return base.assigned.filter((person) => !shown.has(person));
};

function lacksEnd(incoming: IncomingItem, shown: IncomingItem): boolean {
  const saysEnd = (item: IncomingItem): boolean => {
    const names = spokenNames(item);
    return names.has("DTEND") || names.has("DURATION");
  };
  return incoming.component === "VEVENT" && saysEnd(shown) && !saysEnd(incoming);
}

const withoutEnd = (when: When): When =>
  when.kind === "dates" ? { ...when, end: when.start.add({ days: 1 }) } : { ...when, end: null };
