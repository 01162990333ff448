import { fingerprint } from "../domain/fingerprint.ts";
import { feedId } from "../domain/ids.ts";
import type { LinkMaker } from "../domain/link-actions.ts";
import { sampleLabel, samplePerson, sampleViews } from "../store/reading/sample-views.ts";
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
  const shown = [{ years: { from: 1900, to: 2100 } }];
  const components = sampleViews.map((view) => {
    const place = placeOf(view.item, options);
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

const sampleNames: Names = {
  labels: new Map([[sampleLabel, "Label"]]),
  people: new Map([[samplePerson, "Person"]]),
  privateLists: new Set(),
};
