import type { IncomingItem, IncomingTime } from "../../ics/read/read.ts";

/**
 * A to-do as its dates were meant. Programs that cannot write a date alone write the first or the last minute of the day,
 * in the zone they name or in the account's: todoman its midnight, CalDav Synchronizer midnight for the start and 23:59:59
 * for the due date. Any other time of day stays one.
 */
export function onWholeDays(incoming: IncomingItem, zone: string): IncomingItem {
  if (incoming.component !== "VTODO") return incoming;
  const { start, due } = incoming;
  return { ...incoming, start: start && dayOf(start, zone), due: due && dayOf(due, zone) };
}

function dayOf(time: IncomingTime, zone: string): IncomingTime {
  if (time.kind === "date") return time;
  const own = time.at.timeZoneId;
  const at = own === "UTC" ? time.at.withTimeZone(zone) : time.at;
  return isEdge(at) ? { kind: "date", on: at.toPlainDate() } : time;
}

function isEdge({ hour, minute, second }: Temporal.ZonedDateTime): boolean {
  return (hour === 0 && minute === 0 && second === 0) || (hour === 23 && minute === 59);
}
