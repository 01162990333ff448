import { spokenKind } from "../domain/item.ts";
import { excerpt, momentInWords, plainLine, spanInWords } from "../domain/wording.ts";

import type { ViewItem } from "../store/view/view.ts";
import type { Letter } from "./letter.ts";
import type { Stop } from "./recipients.ts";
import type { Reminder } from "./reminder.ts";
import { factOf, shownTitle } from "./render.ts";

/** One of several things that a mail tells. */
export interface Folded {
  readonly reminder: Reminder;
  readonly shown: ViewItem;
  readonly dueAt: Temporal.Instant;
  /** The reader's zone. */
  readonly zone: string;
  /** Title of the project; null when it is not known. */
  readonly project: string | null;
  readonly link: string | null;
}

/** Tells in one mail what would have been many: `things` are of one reader, the one that fell due first in front. */
export function foldLetter(
  things: readonly Folded[],
  { now, stop }: { readonly now: Temporal.Instant; readonly stop: Stop | null },
): Letter {
  const titles = things.map(({ shown }) => excerpt(shownTitle(shown.item), 60));
  const count = things.length === 1 ? "1 late reminder" : `${things.length} late reminders`;
  const [first] = things;
  const since = first ? momentInWords(first.dueAt, first.zone) : "";
  return {
    subject: `${count}: ${excerpt(titles.slice(0, 3).join(", "), 150)}`,
    lede: `${count}: ${excerpt(titles.join(", "), 300)}`,
    heading: count,
    fact: null,
    parts: [
      { kind: "lines", lines: [`They could not be sent in time; the first was due on ${since}.`] },
      {
        kind: "section",
        heading: "What they remind of",
        entries: things.map((thing) => entryOf(thing, now)),
        more: 0,
      },
    ],
    reason: "You get this mail because you are assigned to these items.",
    stop,
  };
}

function entryOf(
  { reminder, shown, zone, project, link }: Folded,
  now: Temporal.Instant,
): { readonly title: string; readonly about: string; readonly url: string | null } {
  const { item } = shown;
  const span =
    reminder.sort === "reminder" && item.kind === "event" ? spanInWords(item.when, zone) : "";
  const about = [
    factOf({ reminder, item }, now.toZonedDateTimeISO(zone)),
    span,
    spokenKind(item),
    plainLine(project ?? ""),
  ];
  return {
    title: shownTitle(item),
    about: about.filter(Boolean).join(" · "),
    url: link,
  };
}
