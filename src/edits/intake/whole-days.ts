import type { IncomingItem, IncomingTime } from "../../ics/read/read.ts";
import { asWritten, todoDays } from "../../ics/todo-days.ts";

/**
 * A to-do as its dates were meant. Programs that cannot write a date alone write the first or the last minute of the day,
 * in the zone they name or in the account's: todoman its midnight, CalDav Synchronizer midnight for the start and 23:59:59
 * for the due date. `timed`: any other time of day means its day as well, as it is kept in the octets that came; else it
 * stays a time.
 */
export function onWholeDays(
  incoming: IncomingItem,
  { zone, timed }: { readonly zone: string; readonly timed: boolean },
): IncomingItem {
  if (incoming.component !== "VTODO") return incoming;
  const { start, due } = incoming;
  const days = todoDays({ start, due }, zone);
  const dayOf = (time: IncomingTime | undefined, on: Temporal.PlainDate | undefined) =>
    time && on && (timed || isEdge(time, zone)) ? ({ kind: "date", on } as const) : time;
  return { ...incoming, start: dayOf(start, days.start), due: dayOf(due, days.due) };
}

function isEdge(time: IncomingTime, zone: string): boolean {
  if (time.kind === "date") return true;
  const { hour, minute, second } = asWritten(time.at, zone);
  return (hour === 0 && minute === 0 && second === 0) || (hour === 23 && minute === 59);
}
