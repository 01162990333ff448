import {
  assignedOf,
  exclusionOf,
  type FeedChoice,
  type FeedExclusion,
  type FeedRules,
} from "../domain/feed-filter.ts";
import type { ListId, ProjectId } from "../domain/ids.ts";
import { spokenKind } from "../domain/item.ts";
import { isAmongPrivate, isPartyTo } from "../domain/visibility.ts";
import { dayInWords } from "../domain/wording.ts";
import { rulesOfFeed } from "../store/channels/feed-rules.ts";
import type { Store } from "../store/store.ts";
import type { ViewItem } from "../store/view/view.ts";
import { say } from "../texts/say.ts";
import { fieldsWithDates, placeOfView } from "./custom-dates.ts";
import { type FeedOptions, feedSpanOf, inWindow, windowAround } from "./window.ts";

/** Whether a feed shows an item. `why`: a sentence with its full stop. */
export type FeedPresence =
  | { readonly kind: "shown" }
  /** Without its title. */
  | { readonly kind: "busy" }
  | { readonly kind: "left-out"; readonly why: string };

/** What decides which items a feed shows on a day. */
export interface PresenceRules {
  readonly rules: FeedRules;
  readonly options: FeedOptions;
  readonly privateLists: ReadonlySet<ListId>;
  readonly today: Temporal.PlainDate;
  readonly hasRead: (project: ProjectId | null) => boolean;
}

export const presenceRules = (
  choice: FeedChoice,
  { store, ...about }: Omit<PresenceRules, "rules"> & { readonly store: Store },
): PresenceRules => ({ rules: rulesOfFeed(choice, store), ...about });

/** Whether a feed shows an item now, or why not. */
export function presenceIn(view: ViewItem, about: PresenceRules): FeedPresence {
  const { rules, options, privateLists, hasRead } = about;
  const { item } = view;
  const excluded = exclusionOf(item, rules);
  if (excluded) return leftOut(exclusionWords(excluded, about, item));
  const isPrivate = isAmongPrivate(item, privateLists);
  if (isPrivate && options.private === "omit") return leftOut(say("absence.private"));
  const absence = absenceOf(view, about);
  if (absence) return leftOut(absence);
  if (!hasRead(item.projectId)) return leftOut(say("absence.firstRead"));
  return isPrivate && options.private === "busy" ? { kind: "busy" } : { kind: "shown" };
}

const leftOut = (why: string): FeedPresence => ({ kind: "left-out", why });

function exclusionWords(
  excluded: FeedExclusion,
  { rules }: PresenceRules,
  item: ViewItem["item"],
): string {
  switch (excluded) {
    case "fault":
      return say("absence.empty", { reason: rules.fault?.reason ?? "" });
    case "project":
      return say("absence.project");
    case "completed":
      return say("absence.completed");
    case "kind":
      return say(`absence.kind.${spokenKind(item)}`);
    case "assigned":
      return say("absence.assigned");
    case "label":
      return say("absence.label");
    case "archived":
      return say("absence.archived");
    case "private":
      return say("absence.private");
  }
}

/** Why the item is on no day that the feed shows; null if it is on one. */
function absenceOf(view: ViewItem, { options, today }: PresenceRules): string | null {
  const fields = options.customDates ? fieldsWithDates(view.item) : [];
  const places = [0, ...fields].flatMap((field) => placeOfView(view, field, options) ?? []);
  const spans = places.map((place) => feedSpanOf(view, place, options.zone).days);
  const window = windowAround(today, options);
  const [days] = spans;
  if (!days) {
    const isUnwanted = view.item.kind !== "event" && options.tasks === "none";
    return isUnwanted ? say("absence.noTasks") : say("absence.noDate");
  }
  if (spans.some((one) => inWindow(one, window))) return null;
  if (days.last < window.earliest) {
    return say("absence.over", { day: dayInWords(today.subtract(options.past)) });
  }
  if (days.first > window.latest) {
    return say("absence.later", { day: dayInWords(today.add(options.future)) });
  }
  return say("absence.before", { day: dayInWords(today.subtract(options.completed)) });
}

/** What a feed shows and leaves out. */
export interface FeedContent {
  readonly shown: number;
  /** The first items from today on, in order of their dates. */
  readonly next: readonly ViewItem[];
  /** By reason, most frequent first. */
  readonly leftOut: readonly LeftOut[];
  /** True if there are too many items to look at all of them. */
  readonly isCut: boolean;
}

interface LeftOut {
  readonly why: string;
  readonly count: number;
  readonly example: ViewItem;
}

const listed = 20;
/** Limit of items; more would take seconds. */
const mostLooked = 20_000;

/** Looks at every item of the feed's projects; each step looks at one. */
export function* feedContent(
  choice: FeedChoice,
  { store, rules: about }: { readonly store: Store; readonly rules: PresenceRules },
): Generator<undefined, FeedContent> {
  const { projects } = about.rules;
  const reasons = new Map<string, { count: number; example: ViewItem }>();
  const coming: { readonly at: number; readonly view: ViewItem }[] = [];
  let [shown, looked] = [0, 0];
  const wanted = { projects: projects && [...projects], assigned: assignedIn(choice) };
  for (const keys of store.view.keysWhere(wanted)) {
    for (const key of keys) {
      yield;
      looked += 1;
      if (looked > mostLooked) return result(true);
      const view = store.view.get(key);
      if (!view || isOthersPrivate(view, about)) continue;
      const presence = presenceIn(view, about);
      if (presence.kind === "left-out") {
        const known = reasons.get(presence.why);
        if (known) known.count += 1;
        else reasons.set(presence.why, { count: 1, example: view });
        continue;
      }
      shown += 1;
      const at = daysUntil(view, about);
      if (at !== null && at >= 0) coming.push({ at, view });
    }
  }
  return result(false);

  function result(isCut: boolean): FeedContent {
    const next = coming.toSorted((a, b) => a.at - b.at).slice(0, listed);
    return {
      shown,
      next: next.map(({ view }) => view),
      leftOut: [...reasons]
        .map(([why, reason]) => ({ why, ...reason }))
        .toSorted((a, b) => b.count - a.count),
      isCut,
    };
  }
}

/** Its title is hidden from readers of the feed. */
function isOthersPrivate({ item }: ViewItem, { rules, privateLists }: PresenceRules): boolean {
  const { person } = rules;
  return person !== null && isAmongPrivate(item, privateLists) && !isPartyTo(person, item);
}

/** Only assigned items are looked at where the feed is about some people. */
function assignedIn(choice: FeedChoice) {
  const assigned = assignedOf(choice);
  return assigned && [...assigned];
}

/** Days from today to its last day; negative if it is over. */
function daysUntil(view: ViewItem, { options, today }: PresenceRules): number | null {
  const place = placeOfView(view, 0, options);
  if (!place) return null;
  const { last } = feedSpanOf(view, place, options.zone).days;
  return last - Temporal.PlainDate.from("1970-01-01").until(today).days;
}
