import type { DavPaths, DavTarget } from "./paths.ts";

/** What an `If` header says of the resource that the request names. */
export interface IfVerdict {
  readonly isMet: boolean;
  /** Whether it is met because it names the present version. */
  readonly namesVersion: boolean;
}

/** One thing that has to be so: either that a resource has this entity tag, or this state token. */
export interface StateCondition {
  readonly isNegated: boolean;
  readonly etag: string | null;
  /** Null for an entity tag. */
  readonly token: string | null;
}

/** Conditions all of which have to hold. `resource`: null for the one that the request names. */
export interface StateList {
  readonly resource: string | null;
  readonly conditions: readonly StateCondition[];
}

/**
 * Reads an `If` header, as Thunderbird sends for calendars that are one file. One of its lists has to be met; lists for
 * other resources say nothing here. Null when none is for this one. Source: RFC 4918 10.4.
 */
export function readIf(
  header: string,
  present: {
    readonly target: DavTarget;
    /** Null when there is nothing. */
    readonly etag: string | null;
    readonly paths: DavPaths;
  },
): IfVerdict | "malformed" | null {
  const { target, etag, paths } = present;
  const all = readStateLists(header);
  if (!all) return "malformed";
  const own = paths.of(target);
  const lists = all.filter(({ resource }) => {
    const named = resource === null ? target : paths.read(resource);
    return named !== null && paths.of(named) === own;
  });
  if (lists.length === 0) return null;
  // An object has no state token.
  const met = lists.find(({ conditions }) =>
    conditions.every((each) => (each.etag !== null && each.etag === etag) !== each.isNegated),
  );
  const namesVersion = met?.conditions.some((each) => each.etag !== null && !each.isNegated);
  return { isMet: met !== undefined, namesVersion: namesVersion ?? false };
}

/** The lists of an `If` header; null for what is none, or far too long. Source: RFC 4918 10.4.2. */
export function readStateLists(header: string): readonly StateList[] | null {
  const lists: StateList[] = [];
  let resource: string | null = null;
  let rest = header.trim();
  while (rest !== "") {
    const tag = /^<([^>]*)>\s*/.exec(rest);
    const list = /^\(((?:[^()"]|"[^"]*")*)\)\s*/.exec(rest);
    if (tag) {
      resource = tag[1] ?? "";
    } else {
      const conditions = list && readList(list[1] ?? "");
      if (!conditions) return null;
      lists.push({ resource, conditions });
    }
    rest = rest.slice((tag ?? list)?.[0].length);
  }
  const count = lists.reduce((sum, { conditions }) => sum + conditions.length, 0);
  return count > 0 && count <= mostConditions ? lists : null;
}

/** Each is looked up; programs send one or two. */
const mostConditions = 100;

/** Null for what is no list of conditions, or an empty one. */
function readList(text: string): readonly StateCondition[] | null {
  const condition = /\s*(Not\s+)?(?:\[\s*((?:W\/)?"[^"]*")\s*\]|<([^>]*)>)\s*/giy;
  const found: StateCondition[] = [];
  let end = 0;
  for (const match of text.matchAll(condition)) {
    found.push({
      isNegated: match[1] !== undefined,
      etag: match[2] ?? null,
      token: match[3] ?? null,
    });
    end = match.index + match[0].length;
  }
  return found.length > 0 && end === text.length ? found : null;
}
