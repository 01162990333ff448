import { calendarEnd, writeHeader } from "../ics/write/write-calendar.ts";
import { isUtc, writeTimeZone } from "../ics/zones/zones.ts";
import type { Entry } from "./entries.ts";

/** How soon a subscriber is asked to look again; most look when they like. */
const refresh = Temporal.Duration.from({ minutes: 15 });

/** What stands in a published calendar before its events: its name, and the zone for the years that they use. */
export function calendarHead(options: {
  readonly name: string;
  readonly zone: string;
  readonly shown: readonly Pick<Entry, "years">[];
}): string {
  const { name, zone, shown } = options;
  const header = writeHeader({ name, description: "", zone, refresh });
  // Not Math.min(...years): a feed may show more items than a call takes arguments.
  let fromYear = Number.POSITIVE_INFINITY;
  let toYear = Number.NEGATIVE_INFINITY;
  for (const { years } of shown) {
    if (!years) continue;
    fromYear = Math.min(fromYear, years.from);
    toYear = Math.max(toYear, years.to);
  }
  if (fromYear > toYear || isUtc(zone)) return header;
  return header + writeTimeZone({ zone, fromYear, toYear });
}

/** The whole calendar, in UTF-8. */
export function calendarBody(head: string, components: readonly string[]): Buffer {
  return Buffer.from(`${head}${components.join("")}${calendarEnd}`);
}
