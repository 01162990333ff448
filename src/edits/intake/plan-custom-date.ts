import { customDatesOf, customDateTitle, readCustomDateUid } from "../../domain/custom-date.ts";
import type { IncomingItem } from "../../ics/read/read.ts";
import { readSummary, sameText } from "../../ics/text/decoration.ts";
import { oneLine } from "../../ics/text/text.ts";
import { type ItemPlan, refusal, type Situation } from "./item-plan.ts";

/**
 * The plan for a date of a task's custom field, which feeds show and nobody can change there; null for every other item.
 * What says nothing new is no edit, as a whole feed may come back.
 */
export function planCustomDate(
  incoming: IncomingItem,
  { store, calendar }: Situation,
): ItemPlan | null {
  const named = readCustomDateUid(incoming.uid);
  const task = named && store.view.findUid(named.taskUid);
  if (!named || !task || task.item.kind === "event") return null;
  const { item } = task;
  const date = customDatesOf(item).find(({ id }) => id === named.field);
  const isCancelled = calendar.method === "CANCEL" || incoming.status === "CANCELLED";
  const title = customDateTitle(item.title, date?.title ?? `field ${named.field}`);
  if (date && !isCancelled && isShown(incoming, { title, on: date.on })) {
    return { ...refusal(incoming, { reasons: [], title }), ending: { kind: "unchanged" } };
  }
  const message = `it shows a custom field of the task "${item.title}"; change the field in the workspace`;
  return refusal(incoming, {
    reasons: [{ line: incoming.line, code: "custom-field", message }],
    title: incoming.summary ?? title,
  });
}

/** A private item is shown as "Busy" where the options say so. */
function isShown(
  { summary, when }: IncomingItem,
  { title, on }: { readonly title: string; readonly on: Temporal.PlainDate },
): boolean {
  const said = summary === undefined ? title : readSummary(summary).title;
  const sameTitle = sameText(said, oneLine(title)) || said === "Busy";
  const sameDay =
    when === undefined ||
    (when.kind === "dates" && when.start.equals(on) && when.end.equals(on.add({ days: 1 })));
  return sameTitle && sameDay;
}
