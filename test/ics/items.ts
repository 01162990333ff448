import { personId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { EventItem } from "../../src/domain/item.ts";

const plainEvent: EventItem = {
  kind: "event",
  id: serviceId(1),
  projectId: projectId(1),
  title: "Kickoff",
  description: null,
  completed: false,
  assigned: [],
  creatorId: personId(1),
  byMe: false,
  createdAt: null,
  updatedAt: null,
  when: {
    kind: "dates",
    start: Temporal.PlainDate.from("2026-07-01"),
    end: Temporal.PlainDate.from("2026-07-02"),
  },
  reminder: null,
  milestone: false,
  private: false,
};

export const event = (fields: Partial<EventItem>): EventItem => ({ ...plainEvent, ...fields });
