import type { IncomingItem, When } from "@dayferry/ical";
import { fieldsOfKind, lineFields } from "../domain/fields.ts";
import { type EventItem, type Item, type TaskItem, untitled } from "../domain/item.ts";
import { applyPatch, type Patch } from "../domain/patch.ts";
import { textsOfRaw } from "../ics/text/line-fields.ts";

/**
 * The item as the octets describe it: what their sender saw, with their changes, and without fields that they omit. A field
 * that stays anyway is applied to the octets, so that it does not look unset.
 */
export function describedItem({
  base,
  patch,
  incoming,
}: {
  readonly base: Item;
  readonly patch: Patch;
  readonly incoming: IncomingItem;
}): Item {
  const wanted = applyPatch(base, patch);
  const said = new Set(textsOfRaw(incoming.raw, incoming.component).map(({ name }) => name));
  const unsaid = lineFields(incoming.component).filter(
    ({ name }) => !said.has(name) && fieldsOfKind(wanted.kind).includes(name),
  );
  const common = {
    // Without a given title, none is missing.
    title: incoming.summary === undefined && wanted.title !== untitled ? "" : wanted.title,
    description: incoming.description === undefined ? null : wanted.description,
    ...Object.fromEntries(unsaid.map(({ name }) => [name, null])),
  };
  return wanted.kind === "event"
    ? { ...describedEvent(wanted, incoming), ...common }
    : { ...describedTask(wanted, incoming), ...common };
}

/** An event needs a day: octets without one differ from this. */
const noDay: When = {
  kind: "dates",
  start: Temporal.PlainDate.from("0001-01-01"),
  end: Temporal.PlainDate.from("0001-01-02"),
};

function describedEvent(item: EventItem, incoming: IncomingItem): EventItem {
  const isPrivate = incoming.classification !== undefined && item.private;
  if (incoming.component === "VTODO") {
    // A milestone's to-do has no milestone mark and no alarm.
    const isDone = saysState(incoming) && item.completed;
    const when = incoming.due === undefined ? noDay : item.when;
    return { ...item, private: isPrivate, completed: isDone, when };
  }
  const { when } = item;
  const isOpen = when.kind === "times" && incoming.when?.kind === "times" && !incoming.when.end;
  return {
    ...item,
    private: isPrivate,
    when: isOpen ? { ...when, end: null } : when,
    milestone: incoming.categories !== undefined && item.milestone,
    reminder: incoming.alarm === null ? null : item.reminder,
  };
}

function describedTask(item: TaskItem, incoming: IncomingItem): TaskItem {
  const state = saysState(incoming) ? {} : { completed: false, completedAt: null, percent: 0 };
  return {
    ...item,
    ...state,
    labels: incoming.categories === undefined ? [] : item.labels,
    startOn: incoming.start === undefined ? null : item.startOn,
    dueOn: incoming.due === undefined ? null : item.dueOn,
    // The octets cannot name a parent task without an id.
    ...(incoming.relatedTo === undefined && { kind: "task" as const, parentId: null }),
  };
}

const saysState = ({ status, completedAt, percent }: IncomingItem): boolean =>
  [status, completedAt, percent].some((said) => said !== undefined);
