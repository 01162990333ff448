import { personId, projectId } from "../../../src/domain/ids.ts";
import type { EventItem } from "../../../src/domain/item.ts";
import { anEvent, days } from "../../../test/support/items.ts";

/** A one-day event. */
export const event = (fields: Partial<EventItem>): EventItem => ({
  ...anEvent(1, {
    projectId: projectId(1),
    title: "Kickoff",
    creatorId: personId(1),
    createdAt: null,
    updatedAt: null,
    when: days("2026-07-01"),
  }),
  ...fields,
});
