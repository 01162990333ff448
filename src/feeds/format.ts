import { fingerprint } from "../domain/fingerprint.ts";
import { feedId, itemKey, labelId, listId, personId, projectId, serviceId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import type { LinkMaker } from "../domain/link-actions.ts";
import type { ViewItem } from "../store/view.ts";
import { calendarBody, calendarHead } from "./calendar.ts";
import { cardOf, type Names } from "./card.ts";
import type { RenderEvent } from "./fragments.ts";
import type { FeedOptions } from "./options.ts";
import { placeOf } from "./window.ts";

/**
 * A fingerprint of the options and of how this build writes, taken from samples: a newer writer, other options or other
 * time zone data show in it, so that what was published by the last build is not taken for what this one says.
 */
export function formatOf(
  options: FeedOptions,
  { render, links }: { readonly render: RenderEvent; readonly links: LinkMaker | null },
): string {
  const { zone } = options;
  const sampleLinks = links && { ...links, ...sampleClaim };
  const shown = [{ years: { from: 1990, to: 2040 } }];
  const components = samples.map((item) => {
    const view = { ...sampleView, item };
    const place = placeOf(item, options);
    return place
      ? render(cardOf(view, { place, names: sampleNames, options, links: sampleLinks }))
      : "";
  });
  const calendar = calendarBody(calendarHead({ name: "Sample", zone, shown }), components);
  return fingerprint(JSON.stringify([optionsText(options), calendar.toString()]));
}

function optionsText(options: FeedOptions): readonly unknown[] {
  const { zone, past, future, completed, tasks, customDates, assignees, webUrl } = options;
  return [zone, past, future, completed, options.private, tasks, customDates, assignees, webUrl];
}

/** Signed with the true key, so that a new key shows: what was signed with another one is void. */
const sampleClaim = {
  feed: feedId(1),
  feedVersion: 1,
  until: new Temporal.PlainDate(2026, 3, 31),
} as const;

const at = Temporal.Instant.from("2026-01-02T03:04:05Z");

const common = {
  id: serviceId(1),
  projectId: projectId(2),
  title: "Title; with, \\ and ✓",
  description: "<p>Text &amp; <b>more</b></p>",
  completed: false,
  assigned: [personId(3)],
  creatorId: personId(3),
  byMe: true,
  createdAt: at,
  updatedAt: at,
} as const;

const samples: readonly Item[] = [
  {
    ...common,
    kind: "event",
    when: { kind: "times", start: at.toZonedDateTimeISO("UTC"), end: null },
    reminder: Temporal.Duration.from({ minutes: 15 }),
    milestone: false,
    private: false,
  },
  {
    ...common,
    kind: "event",
    completed: true,
    description: "Text\nmore",
    when: {
      kind: "dates",
      start: new Temporal.PlainDate(2026, 1, 2),
      end: new Temporal.PlainDate(2026, 1, 3),
    },
    reminder: null,
    milestone: true,
    private: true,
  },
  {
    ...common,
    kind: "task",
    listId: listId(4),
    parentId: null,
    startOn: new Temporal.PlainDate(2026, 1, 2),
    dueOn: new Temporal.PlainDate(2026, 1, 5),
    estimated: null,
    logged: null,
    percent: 0,
    labels: [labelId(5)],
    completedAt: null,
    completedBy: null,
    subtaskCount: 0,
    commentCount: 0,
    rrule: null,
    ticket: null,
    stage: null,
    customFields: [],
  },
];

const sampleView = {
  key: itemKey(1),
  uid: "sample",
  collection: "directory",
  sequence: 1,
  modifiedAt: at,
  knownAt: at,
  pending: false,
} as const satisfies Omit<ViewItem, "item">;

const sampleNames: Names = {
  labels: new Map([[labelId(5), "Label"]]),
  people: new Map([[personId(3), "Person"]]),
  privateLists: new Set(),
};
