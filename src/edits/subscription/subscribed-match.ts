import type { IncomingItem } from "@dayferry/ical";
import type { SubscribedItem } from "../../store/rows/channel-rows.ts";
import { contentKey, meaningOf, readSubscribed, timeKey } from "./diff-snapshot.ts";

/** An item of a snapshot, with the calendar's UID and the stored text. */
export interface ShownItem {
  readonly uid: string;
  readonly text: string;
  readonly incoming: IncomingItem;
}

/** How the items of a snapshot correspond to earlier ones. */
export interface Matching {
  /** The same item in both, even with a new UID. */
  readonly pairs: readonly { readonly before: SubscribedItem; readonly shown: ShownItem }[];
  readonly appeared: readonly ShownItem[];
  readonly vanished: readonly SubscribedItem[];
  /** True if the calendar gave new UIDs to known items. */
  readonly reissued: boolean;
}

/**
 * Pairs the old and new items of a calendar. Some calendars assign new UIDs with every response, so an item with the title,
 * start and end of a missing one is the same. For such a calendar (`reissues`), the rest of this change is paired by title, or
 * by times, if these are unique.
 */
export function matchSnapshot(given: {
  readonly before: readonly SubscribedItem[];
  readonly shown: readonly ShownItem[];
  readonly reissues: boolean;
  readonly zone: string;
}): Matching {
  const byUid = new Map(given.shown.map((shown) => [shown.uid, shown]));
  const known = new Set(given.before.map(({ uid }) => uid));
  const same = given.before.flatMap((before) => {
    const shown = byUid.get(before.uid);
    return shown ? [{ before, shown }] : [];
  });
  let vanished: readonly Vanished[] = given.before
    .filter(({ uid }) => !byUid.has(uid))
    .map((before) => ({ before, incoming: null }));
  let appeared = given.shown.filter(({ uid }) => !known.has(uid));
  if (vanished.length === 0 || appeared.length === 0) {
    return { pairs: same, appeared, vanished: vanished.map(beforeOf), reissued: false };
  }

  const texts = vanished.map(({ before }) => before.shown);
  const read = readSubscribed(texts, given.zone);
  vanished = vanished.map(({ before }, index) => ({ before, incoming: read[index] ?? null }));
  const pairs: { readonly before: SubscribedItem; readonly shown: ShownItem }[] = [];
  const pair = (likeness: Likeness): void => {
    const found = pairUp(vanished, appeared, likeness);
    const [gone, come] = [new Set(found.map(beforeOf)), new Set(found.map(({ shown }) => shown))];
    pairs.push(...found);
    vanished = vanished.filter(({ before }) => !gone.has(before));
    appeared = appeared.filter((shown) => !come.has(shown));
  };
  sure.forEach(pair);
  const reissued = pairs.length > 0;
  if (given.reissues || reissued) likely.forEach(pair);
  return {
    pairs: [...same, ...pairs],
    appeared,
    vanished: vanished.map(beforeOf),
    reissued,
  };
}

interface Vanished {
  readonly before: SubscribedItem;
  readonly incoming: IncomingItem | null;
}

const beforeOf = ({ before }: { readonly before: SubscribedItem }): SubscribedItem => before;

/** A key that both of a pair share; null = cannot be paired by it. */
interface Likeness {
  readonly ofGone: (vanished: Vanished) => string | null;
  readonly ofCome: (shown: ShownItem) => string | null;
  /** True if two candidates with the same key leave open which one is meant. */
  readonly unique: boolean;
}

const sure: readonly Likeness[] = [
  {
    ofGone: ({ before }) => meaningOf(before.shown) || null,
    ofCome: ({ text }) => meaningOf(text) || null,
    unique: false,
  },
  {
    ofGone: ({ incoming }) => contentOf(incoming),
    ofCome: ({ incoming }) => contentOf(incoming),
    unique: false,
  },
];

const likely: readonly Likeness[] = [
  {
    ofGone: (vanished) => justGone(vanished)?.summary?.trim() || null,
    ofCome: ({ incoming }) => incoming.summary?.trim() || null,
    unique: true,
  },
  {
    ofGone: (vanished) => timesOf(justGone(vanished)),
    ofCome: ({ incoming }) => timesOf(incoming),
    unique: true,
  },
];

/** An item that disappeared long ago is no candidate for a weak match. */
const justGone = ({ before, incoming }: Vanished): IncomingItem | null =>
  before.missing === 0 ? incoming : null;

const contentOf = (incoming: IncomingItem | null): string | null =>
  incoming && (incoming.summary || incoming.start || incoming.due) ? contentKey(incoming) : null;

const timesOf = (incoming: IncomingItem | null): string | null =>
  incoming && (incoming.start || incoming.due) ? timeKey(incoming) : null;

function pairUp(
  vanished: readonly Vanished[],
  appeared: readonly ShownItem[],
  { ofGone, ofCome, unique }: Likeness,
): readonly { readonly before: SubscribedItem; readonly shown: ShownItem }[] {
  const gone = Map.groupBy(vanished, ofGone);
  const come = Map.groupBy(appeared, ofCome);
  return [...come].flatMap(([key, shown]) => {
    const candidates = key === null ? [] : (gone.get(key) ?? []);
    if (unique && (shown.length > 1 || candidates.length > 1)) return [];
    return shown.flatMap((one, index) => {
      const before = candidates[index]?.before;
      return before ? [{ before, shown: one }] : [];
    });
  });
}
