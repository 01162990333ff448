import type { ProjectId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { sameWhen, type When } from "../../domain/when.ts";
import type { IncomingItem } from "../../ics/read/read.ts";
import { readSummary, sameText } from "../../ics/text/decoration.ts";
import type { View, ViewItem } from "../../store/view/view.ts";
import { serviceTimes } from "../intake/event-times.ts";

/**
 * The item of the project that says what a new item of a calendar says: a copy of it under another UID, which must not be
 * created a second time. Null when there is none.
 */
export function findTwin(
  incoming: IncomingItem,
  place: { readonly view: View; readonly projectId: ProjectId; readonly zone: string },
): ViewItem | null {
  const { title } = readSummary(incoming.summary ?? "");
  if (title === "") return null;
  const { when: said, due } = incoming;
  const when = said ? serviceTimes(said, place.zone) : due?.kind === "date" ? dayOf(due.on) : null;
  return (
    place.view.ofProject(place.projectId).find(({ item }) => {
      const shown = whenOf(item);
      return sameText(item.title.trim(), title) && when && shown && sameWhen(shown, when);
    }) ?? null
  );
}

/** As a feed shows it. */
function whenOf(item: Item): When | null {
  if (item.kind === "event") return item.when;
  const day = item.dueOn ?? item.startOn;
  return day && dayOf(day);
}

const dayOf = (day: Temporal.PlainDate): When => ({
  kind: "dates",
  start: day,
  end: day.add({ days: 1 }),
});
