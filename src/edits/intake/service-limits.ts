import { type WishFault, wishFaults } from "../../domain/plain-item.ts";
import { unreachable } from "../../domain/result.ts";
import { type ItemPlan, refusal } from "./item-plan.ts";
import type { Note } from "./part.ts";

/**
 * The plan, refused where the service could not hold what it asks for, and with a note where it holds a little less: the
 * same for every channel and for a dry run. `zone` is the account's.
 */
export function withinLimits(plan: ItemPlan, zone: string): ItemPlan {
  const { incoming, ending, kind, title, changes } = plan;
  if (ending.kind !== "edit") return plan;
  const faults = wishFaults(ending.edit.patch, zone);
  if (faults.length === 0) return { ...plan, notes: [...plan.notes, ...secondsNotes(plan, zone)] };
  const reasons = faults.map((fault) => noteOf(fault, incoming.line));
  return refusal(incoming, { reasons, notes: plan.notes, kind, title, changes });
}

function noteOf({ kind, message }: WishFault, line: number): Note {
  switch (kind) {
    case "repeated-hour":
      return { line, code: "repeated-hour", message };
    case "years":
      return { line, code: "years", message };
    case "reminder":
      return { line, code: "reminder", message };
    default:
      return unreachable(kind);
  }
}

function secondsNotes({ incoming, ending }: ItemPlan, zone: string): readonly Note[] {
  const { line, when, alarm } = incoming;
  const patch = ending.kind === "edit" ? ending.edit.patch : {};
  const times =
    patch.when?.kind === "times" && when?.kind === "times" ? [when.start, when.end] : [];
  const clocks = times
    .flatMap((time) => time?.withTimeZone(zone).toPlainDateTime() ?? [])
    .filter(({ second }) => second !== 0)
    .map((clock) => clock.toString({ smallestUnit: "second" }).replace("T", " "));
  const isOdd = patch.reminder && alarm && alarm.total("seconds") % 60 !== 0;
  const odd = [...clocks, ...(isOdd ? [`${alarm.toString()} before the start`] : [])];
  if (odd.length === 0) return [];
  const message = `the service keeps whole minutes, and not the seconds of ${odd.join(" and ")}`;
  return [{ line, code: "seconds", message }];
}
