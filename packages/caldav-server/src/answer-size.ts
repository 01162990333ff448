import type { CalendarObject } from "./backend.ts";
import { type DavFault, davFault } from "./fault.ts";

/** Longest answer, in characters: three times that of a calendar of ten thousand members with all their data. */
export const largestAnswer = 64 * 2 ** 20;

/** Thrown while making an answer that becomes too long. */
export class AnswerTooLargeError extends Error {
  override readonly name = "AnswerTooLargeError";
}

/** Refuses a request whose answer would be too long. Source: RFC 6578 3.6, RFC 4791 7.8 (the element). */
export const tooLarge: DavFault = {
  ...davFault(
    "number-of-matches-within-limits",
    `the response would be longer than ${largestAnswer} characters: ask for fewer properties or members`,
  ),
  status: 507,
};

/** URL, tags and the usual short values of one response. */
const frame = 400;
/** Escaped markup takes more room. */
const escaping = 1.2;

/** How many of the members fit into one answer, at least one. The property names may take half of it. */
export function countFitting(
  members: readonly Pick<CalendarObject, "length">[],
  each: { readonly names: number; readonly hasData: boolean },
): number {
  const named = Math.floor(largestAnswer / 2 / Math.max(1, each.names));
  let size = 0;
  const cut = members.findIndex((member, at) => {
    size += sizeOfMember(member, each);
    return size > largestAnswer || at >= named;
  });
  return cut === -1 ? members.length : Math.max(1, cut);
}

/** Size of a member's response: its names, and its octets if requested. */
function sizeOfMember(
  { length }: Pick<CalendarObject, "length">,
  { names, hasData }: { readonly names: number; readonly hasData: boolean },
): number {
  return frame + names + (hasData ? length * escaping : 0);
}
