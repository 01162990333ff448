import type { CalendarObject } from "../backend.ts";

/** A listing of members with only properties that are fixed with each object. */
export interface MemberListing {
  /** Identifies owner, URL and requested properties. */
  readonly id: string;
  /** By item key. */
  readonly members: readonly CalendarObject[];
  readonly write: (object: CalendarObject) => string;
}

/** Cached texts of listings, for repeated requests of the same calendar. */
export interface KeptListings {
  /** The members' texts from `write`, in order, separated by line feeds, in parts. */
  readonly texts: (listing: MemberListing) => Iterable<string>;
}

/** Number of cached characters: those of a calendar of ten thousand members. */
const usualBudget = 4 * 2 ** 20;

/** Range of item keys per part. */
const keysPerPart = 64;

interface Part {
  readonly members: readonly CalendarObject[];
  readonly text: string;
}

interface Kept {
  /** By key range. */
  readonly parts: Map<number, Part>;
  size: number;
}

/**
 * Programs list a calendar after every change, and little has changed. So a listing is cached in parts: each is reused while it
 * has the very same objects, which are immutable, and written anew otherwise. The most recent listings stay, up to a budget in
 * characters.
 */
export function createKeptListings(budget = usualBudget): KeptListings {
  /** Most recently used last. */
  const listings = new Map<string, Kept>();
  let size = 0;

  function forget(id: string): void {
    size -= listings.get(id)?.size ?? 0;
    listings.delete(id);
  }

  function use(id: string): Kept {
    const kept = listings.get(id) ?? { parts: new Map(), size: 0 };
    listings.delete(id);
    listings.set(id, kept);
    return kept;
  }

  function keep(id: string, number: number, part: Part): void {
    const kept = use(id);
    const grown = part.text.length - (kept.parts.get(number)?.text.length ?? 0);
    kept.parts.set(number, part);
    kept.size += grown;
    size += grown;
    for (const oldest of listings.keys()) {
      if (size <= budget) break;
      forget(oldest);
    }
  }

  return {
    *texts({ id, members, write }) {
      for (let from = 0; from < members.length; ) {
        const number = partOf(members, from);
        const to = endOfPart(members, { from, number });
        const known = use(id).parts.get(number);
        if (known && isOf(known, { members, from, to })) yield known.text;
        else {
          const own = members.slice(from, to);
          const text = own.map(write).join("\n");
          keep(id, number, { members: own, text });
          yield text;
        }
        from = to;
      }
    },
  };
}

const partOf = (members: readonly CalendarObject[], at: number): number =>
  Math.floor((members[at]?.key ?? 0) / keysPerPart);

function endOfPart(
  members: readonly CalendarObject[],
  { from, number }: { readonly from: number; readonly number: number },
): number {
  let to = from + 1;
  while (to < members.length && partOf(members, to) === number) to += 1;
  return to;
}

interface Range {
  readonly members: readonly CalendarObject[];
  readonly from: number;
  readonly to: number;
}

function isOf(part: Part, { members, from, to }: Range): boolean {
  return (
    part.members.length === to - from &&
    part.members.every((object, nth) => object === members[from + nth])
  );
}
