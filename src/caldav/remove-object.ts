import type { Refusal } from "@dayferry/caldav-server/backend";
import type { IncomingItem } from "@dayferry/ical";
import type { Calendar, CalendarObject } from "../calendars/calendar-types.ts";
import { isRecent } from "../domain/backoff.ts";
import { ok, type Result } from "../domain/result.ts";
import { acceptEdit, atomically } from "./accept-object.ts";
import { ownHeldEdits } from "./plan-object.ts";
import { relocateByPut } from "./relocate.ts";
import type { WriteContext } from "./write-context.ts";

/**
 * Deletes an item. If the deletion waits for a person, as many at once do, the item disappears for its editor, and returns if
 * that is discarded. An object that only this person saw is discarded. A moved item is no longer here and stays where it is;
 * one whose move has just failed stays here.
 */
export function removeObject(
  context: WriteContext,
  calendar: Calendar,
  object: CalendarObject,
): Result<null, Refusal> {
  return atomically(context.store, () => {
    if (withdrawCreation(context, object)) return ok(null);
    const moved = finishMove(context, object, calendar);
    if (moved) return moved;
    if (isRestOfFailedMove(context, object)) {
      // The program learns that the object is still here.
      context.store.changes.note(object.key, context.person.id);
      return ok(null);
    }
    const base = context.calendars.itemOf(object).item;
    const incoming = nothingSaid(object);
    const accepted = acceptEdit(context, { calendar, incoming, method: "CANCEL", base });
    return accepted.ok ? ok(null) : accepted;
  });
}

/** Withdraws the person's own waiting creation with everything after it. Returns false if it is none. */
function withdrawCreation(context: WriteContext, { key }: CalendarObject): boolean {
  const { store } = context;
  const own = ownHeldEdits(key, context);
  if (store.view.get(key) !== null || !own.some(({ action }) => action === "create")) return false;
  for (const { id } of own) store.journal.discard(id, "its editor deleted it");
  return true;
}

/**
 * A program that has put the item at its former address, and deletes it here right afterwards, has moved it back: the PUT alone
 * could have come from a program with an old address. Null if this is no such deletion.
 */
function finishMove(
  context: WriteContext,
  { key }: CalendarObject,
  from: Calendar,
): Result<null, Refusal> | null {
  const { calendars, recentWrites, store } = context;
  const put = recentWrites.putElsewhere.take(key, context);
  const viewed = put && store.view.get(key);
  if (!put || !viewed) return null;
  const { calendar, name } = put;
  const moved = relocateByPut(context, { from, to: calendar, viewed, name });
  if (!moved.ok) return moved;
  if (moved.value === null) calendars.rename(key, name);
  return ok(null);
}

/** A program sends both halves of a move within seconds. */
const moveLasts = Temporal.Duration.from({ minutes: 1 });

/**
 * True if the program has just put the item into another calendar and that move waits for a person: the deletion is the move's
 * second half.
 */
function isRestOfFailedMove(context: WriteContext, { key }: CalendarObject): boolean {
  const { store, person, agent, clock } = context;
  const now = clock();
  const [last] = store.pastEdits
    .ofItem(key)
    .filter(({ actor, program }) => actor === person.id && (program ?? "") === agent);
  return (
    last?.state === "parked" &&
    last.patch.place !== undefined &&
    isRecent(last.createdAt, { length: moveLasts, now })
  );
}

/** An item with an identity only. */
const nothingSaid = ({
  component,
  uid,
}: Pick<IncomingItem, "component" | "uid">): IncomingItem => ({
  component,
  uid,
  line: 1,
  raw: [],
  sequence: null,
  lastModified: null,
  base: null,
  summary: undefined,
  description: undefined,
  when: undefined,
  start: undefined,
  due: undefined,
  status: undefined,
  completedAt: undefined,
  percent: undefined,
  categories: undefined,
  alarm: undefined,
  classification: undefined,
  attendees: undefined,
  relatedTo: undefined,
  comments: [],
  attachments: [],
  unstorable: [],
  remarks: [],
  problems: [],
});
