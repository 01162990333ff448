import type { LinkAction, LinkClaim, LinkSigner, MailLinkClaim } from "./action-link.ts";
import { canComplete, type Item } from "./item.ts";
import type { Patch } from "./merge.ts";
import { unreachable } from "./result.ts";
import { dayFault } from "./when.ts";

/** What an item's links can be made of; `address`: where people reach this server, without a slash at the end. */
export interface LinkMaker {
  readonly signer: LinkSigner;
  readonly address: string;
}

/** A link as it stands in a text. */
export interface NamedLink {
  readonly label: string;
  readonly url: string;
}

/** The links of one item, for what can be done with it as it is. `claim`: for whom, and until when. */
export function makeLinks(
  { signer, address }: LinkMaker,
  about: {
    readonly item: Item;
    readonly claim: Omit<LinkClaim, "action"> | Omit<MailLinkClaim, "action">;
  },
): readonly NamedLink[] {
  return offeredActions(about.item).map((action) => ({
    label: labels[action],
    url: `${address}/act/${signer.sign({ ...about.claim, action })}`,
  }));
}

/**
 * What can be done with an item: nothing for an event that is no milestone; dates are moved only while it is open, and not
 * to where the service could not hold them.
 */
export function offeredActions(item: Item): readonly LinkAction[] {
  if (!canComplete(item)) return [];
  if (item.completed) return ["reopen"];
  const day = dayOf(item);
  const moves = (["day", "week"] as const).filter(
    (action) => day && dayFault(day.add(lengths[action])) === null,
  );
  return ["done", ...moves];
}

/** What an action changes; null when it can do nothing with the item as it is. */
export function linkPatch(item: Item, action: LinkAction): Patch | null {
  if (!offeredActions(item).includes(action)) return null;
  switch (action) {
    case "done":
      return { completed: true };
    case "reopen":
      return { completed: false };
    case "day":
      return movedBy(item, lengths.day);
    case "week":
      return movedBy(item, lengths.week);
    default:
      return unreachable(action);
  }
}

/**
 * The day that an action moves: the due date of a task, its start date when it has no other, the first day of a
 * milestone. Null where there is none, or a time of day.
 */
export function dayOf(item: Item): Temporal.PlainDate | null {
  if (item.kind !== "event") return item.dueOn ?? item.startOn;
  return item.when.kind === "dates" ? item.when.start : null;
}

/**
 * The last day of a link that is made on `today`: the end of the next quarter, so 90 to 183 days later. Every link of a
 * quarter has the same one: a text that held "in 90 days" would be another each day, and with it every calendar.
 */
export function linkUntil(today: Temporal.PlainDate): Temporal.PlainDate {
  const month = today.month - ((today.month - 1) % 3);
  return today.with({ month, day: 1 }).add({ months: 6 }).subtract({ days: 1 });
}

const lengths = { day: { days: 1 }, week: { days: 7 } } as const;

const labels: Readonly<Record<LinkAction, string>> = {
  done: "Done",
  reopen: "Open again",
  day: "+1 day",
  week: "+1 week",
};

function movedBy(item: Item, length: Temporal.DurationLike): Patch | null {
  if (item.kind === "event") {
    if (item.when.kind !== "dates") return null;
    const { start, end } = item.when;
    return { when: { kind: "dates", start: start.add(length), end: end.add(length) } };
  }
  if (item.dueOn) return { dueOn: item.dueOn.add(length) };
  return item.startOn && { startOn: item.startOn.add(length) };
}
