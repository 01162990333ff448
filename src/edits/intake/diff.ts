import type { ListId } from "../../domain/ids.ts";
import type { EventItem, Item, TaskItem } from "../../domain/item.ts";
import type { IncomingItem } from "../../ics/read/read.ts";
import { labelsPart, milestonePart } from "./categories.ts";
import { completionPart } from "./completion.ts";
import { eventTimesPart } from "./event-times.ts";
import type { KnownNames } from "./known-names.ts";
import { isPrivate, leftovers, linkOf } from "./leftovers.ts";
import { joinParts, type Part, refuse, silent, wish } from "./part.ts";
import { attendeesPart } from "./people.ts";
import { taskDatesPart } from "./task-dates.ts";
import { descriptionPart, readTitle, type TitleReading, titlePart } from "./texts.ts";
import { onWholeDays } from "./whole-days.ts";

/** What files are read against, beside the item itself. */
export interface DiffContext {
  /** The account's zone. */
  readonly zone: string;
  readonly names: KnownNames;
  readonly unknownLabels: "known" | "create";
  readonly tasks: "due" | "span" | "none";
  readonly webUrl: string | null;
  /** Todolists whose tasks not everybody may see. */
  readonly privateLists: Pick<ReadonlySet<ListId>, "has">;
  /** Whether the channel shows items with a feed's decorations. */
  readonly decorated: boolean;
}

/**
 * What a VEVENT or VTODO wishes against `base`, the item as its editor was shown it: only the fields that are spoken of
 * and differ. Empty when nothing does.
 */
export function diffItem(sent: IncomingItem, base: Item, context: DiffContext): Part {
  const { zone, decorated } = context;
  const incoming = onWholeDays(sent, { zone, timed: !decorated });
  const own =
    base.kind === "event" ? diffEvent(incoming, base, context) : diffTask(incoming, base, context);
  const link = linkOf(base, context.webUrl);
  const secret = isSecret(base, context);
  return joinParts([
    own,
    descriptionPart(incoming, base),
    attendeesPart(incoming, { base, names: context.names }),
    { ...silent, notes: leftovers(incoming, { base, link, secret }) },
  ]);
}

function diffEvent(incoming: IncomingItem, base: EventItem, context: DiffContext): Part {
  const title = titleOf(incoming, { base, context });
  const becoming = milestonePart(incoming, { base, marked: base.id === null && title.milestone });
  const milestone = becoming.patch.milestone ?? base.milestone;
  const { completed } = base;
  const completion = completionPart(incoming, { completed, mark: title.done, able: milestone });
  if (incoming.component === "VTODO" && !milestone) {
    const message = "it is an event; a to-do of the same UID cannot change it";
    const refused = refuse({ line: incoming.line, code: "kind", message });
    return completion.refusals.length > 0 ? completion : refused;
  }
  return joinParts([
    titlePart(incoming, title),
    becoming,
    eventTimesPart(incoming, { base, milestone, zone: context.zone }),
    completion,
    reminderPart(incoming, base),
    privacyPart(incoming, base),
  ]);
}

function diffTask(incoming: IncomingItem, base: TaskItem, context: DiffContext): Part {
  const { names, unknownLabels: unknown } = context;
  const title = titleOf(incoming, { base, context });
  const span = context.tasks === "span" ? "span" : "due";
  return joinParts([
    titlePart(incoming, title),
    taskDatesPart(incoming, { base, span }),
    completionPart(incoming, { completed: base.completed, mark: title.done, able: true }),
    labelsPart(incoming, { base, names, unknown }),
  ]);
}

const isSecret = (item: Item, { privateLists }: DiffContext): boolean =>
  item.kind === "event" ? item.private : privateLists.has(item.listId);

/** Only feeds mark in the title what is completed, and they show everything as VEVENT. */
function titleOf(
  incoming: IncomingItem,
  { base, context }: { readonly base: Item; readonly context: DiffContext },
): TitleReading {
  const { decorated } = context;
  const secret = isSecret(base, context);
  const title = readTitle(incoming.summary, { base, decorated, secret });
  const unmarked = incoming.component === "VTODO" && title.done === false;
  return unmarked ? { ...title, done: undefined } : title;
}

function reminderPart({ component, alarm }: IncomingItem, base: EventItem): Part {
  if (!alarm || component !== "VEVENT") return silent;
  const minutes = wholeMinutes(alarm);
  if (base.reminder && wholeMinutes(base.reminder) === minutes) return silent;
  return wish({ reminder: Temporal.Duration.from({ minutes }) });
}

const wholeMinutes = (length: Temporal.Duration): number =>
  Math.round(length.total({ unit: "minutes", relativeTo: new Temporal.PlainDate(2026, 1, 1) }));

/** Feeds name a class for private events only, so that its absence says nothing. */
function privacyPart(incoming: IncomingItem, base: EventItem): Part {
  const wished = isPrivate(incoming);
  if (wished === base.private || (!wished && incoming.classification !== "PUBLIC")) return silent;
  return wish({ private: wished });
}
