import type { Item } from "../../domain/item.ts";
import { sameField } from "../../domain/merge.ts";
import type { IncomingItem } from "../../ics/read/read.ts";
import type { KnownNames } from "./known-names.ts";
import { joinParts, type Part, quote, remark, silent, wish } from "./part.ts";

/**
 * The wish for the people in charge. Feeds never write attendees, so that only a file that names some speaks of them;
 * assigned people without an address, whom it cannot name, stay.
 */
export function attendeesPart(
  incoming: IncomingItem,
  { base, names }: { readonly base: Item; readonly names: KnownNames },
): Part {
  const emails = incoming.attendees ?? [];
  const known = emails.flatMap((email) => names.personOf(email) ?? []);
  const strangers = emails.filter((email) => names.personOf(email) === null);
  const notes = joinParts(
    strangers.map((email) => {
      const message = `nobody in the workspace has the address ${quote(email)}; it is left aside`;
      return remark({ line: incoming.line, code: "unknown-person", message });
    }),
  );
  if (known.length === 0) return notes;
  const unnamed = base.assigned.filter((person) => !names.hasEmail(person));
  const assigned = [...new Set([...unnamed, ...known])];
  const isSame = sameField("assigned", { assigned }, { assigned: base.assigned });
  return joinParts([isSame ? silent : wish({ assigned }), notes]);
}
