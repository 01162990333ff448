import { isId, type Revision, revision } from "../domain/ids.ts";

/** What a sync token says. */
export interface SyncToken {
  /** A hash of all that decides, beside the items, what its owner may see; another one makes the token void. */
  readonly access: string;
  /** Its owner knows all changes up to here. */
  readonly revision: Revision;
  /**
   * Set while, or after, an answer came in pages: what its owner was shown is a state from here on, not one moment's.
   */
  readonly base: Revision | null;
  /** The last item of a first listing that goes on; null after it. */
  readonly cursor: number | null;
}

const pattern =
  /^urn:dayferry:sync:([0-9a-f]{32}):([0-9a-z]{1,11})(?:-([0-9a-z]{1,11})(?:-([0-9a-z]{1,11}))?)?$/;

/** A token is a URI, and never looks like a number. Source: RFC 6578 4 (sync-token is a URI). */
export function writeToken({ access, revision: at, base, cursor }: SyncToken): string {
  const parts = [at, base, cursor].filter((part) => part !== null);
  return `urn:dayferry:sync:${access}:${parts.map((part) => part.toString(36)).join("-")}`;
}

/** Null for what is no token of ours. */
export function readToken(text: string): SyncToken | null {
  const [, access, at, base, cursor] = pattern.exec(text) ?? [];
  if (access === undefined || at === undefined) return null;
  const numbers = [at, base, cursor].map((part) =>
    part === undefined ? null : parseInt(part, 36),
  );
  if (numbers.some((number) => number !== null && number !== 0 && !isId(number))) return null;
  const [first = 0, second = null, third = null] = numbers;
  return {
    access,
    revision: revision(first ?? 0),
    base: second === null ? null : revision(second),
    cursor: third,
  };
}
