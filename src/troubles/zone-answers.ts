import type { When } from "@dayferry/ical";
import type { Edit } from "../domain/edit.ts";
import type { Trouble } from "../domain/trouble-kinds.ts";
import type { Troubles } from "../store/troubles.ts";

type Times = Extract<When, { readonly kind: "times" }>;

/** Offsets of time zones are multiples of this, and at most the longest one. */
const zoneStepMinutes = 15;
const longestShiftMinutes = 26 * 60;

/**
 * Checks the service's response to a write with times. The same event at another time, shifted by a whole offset and with the
 * same duration, means that the account's time zone is not the configured one. A correct response ends the trouble if the
 * configured zone has the same offset as at the time that came back wrong. What a probe found, which checks both halves of the
 * year, stays until the next probe.
 */
export function noteAnswer(
  { patch, answer, conflicts }: Pick<Edit, "patch" | "answer" | "conflicts">,
  troubles: Troubles,
  zone: string,
): void {
  const sent = patch.when;
  const answered = answer?.kind === "event" ? answer.when : null;
  if (sent?.kind !== "times" || answered?.kind !== "times") return;
  // If someone else has changed the times as well, the response proves nothing.
  if (conflicts.some(({ field }) => field === "when")) return;
  const known = troubles.reported().find((trouble) => trouble.kind === "zone-mismatch");
  if (known?.kind === "zone-mismatch" && known.offsets && known.zone === zone) return;
  const shift = shiftOf(sent, answered);
  if (shift === null) return;
  if (shift !== 0) troubles.report(mismatch({ sent, answered }, zone));
  else if (known?.kind === "zone-mismatch" && isSameClock(known.sent, { sent, zone })) {
    troubles.withdraw("zone-mismatch");
  }
}

/** The shift in minutes; null if start and end were shifted differently, or by an impossible offset. */
function shiftOf(sent: Times, answered: Times): number | null {
  const start = sent.start.until(answered.start).total("minutes");
  const isWhole = start % zoneStepMinutes === 0 && Math.abs(start) <= longestShiftMinutes;
  if (!isWhole) return null;
  if (!sent.end || !answered.end) return start;
  return sent.end.until(answered.end).total("minutes") === start ? start : null;
}

const mismatch = (
  { sent, answered }: Readonly<Record<"sent" | "answered", Times>>,
  zone: string,
): Trouble => ({
  kind: "zone-mismatch",
  zone,
  sent: sent.start.withTimeZone(zone).toString(),
  answered: answered.start.withTimeZone(zone).toString(),
});

/** True if the zone has the same offset at both times. */
function isSameClock(
  before: string,
  { sent, zone }: { readonly sent: Times; readonly zone: string },
): boolean {
  const former = Temporal.ZonedDateTime.from(before);
  return former.offset === sent.start.withTimeZone(zone).offset;
}
