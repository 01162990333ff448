import type { VEvent } from "node-ical";
import { loadNodeIcal } from "../late-packages.ts";

/**
 * node-ical does two things well that our parser does not: describing a recurrence rule in words, and resolving Outlook's zone
 * names. Here it gets a component built around one checked value, never a file, because it invents or loses data if a file is
 * unusual; `second-reader` uses it for the times of a file.
 */

const longestRule = 500;
const rulePattern = /^[A-Z0-9=;,+:-]+$/i;
const displayName = /^\((?:UTC|GMT)[+-]?[\d:]*\) [^\p{Cc}"]{1,120}$/u;

/** Describes a recurrence rule in English ("every week on Monday"). null if it is not understood. */
export type DescribeRule = (rule: string) => string | null;

/** Parsing a rule costs as much as fifty lines of a file. */
const mostRules = 100;

/** Describes the rules of one file; returns null after 100 different ones. */
export function createRuleDescriber(): DescribeRule {
  const known = new Map<string, string | null>();
  return (rule) => {
    const found = known.get(rule);
    if (found !== undefined) return found;
    if (known.size >= mostRules) return null;
    const words = describe(rule);
    known.set(rule, words);
    return words;
  };
}

/** The time zone for a name such as "(UTC+01:00) Amsterdam, Berlin, Bern"; null if unknown. */
export function zoneOfDisplayName(name: string): string | null {
  if (!displayName.test(name)) return null;
  const zone = readProbe(`DTSTART;TZID="${name}":20260105T120000`)?.start?.tz;
  return zone && zone !== name ? zone : null;
}

function describe(rule: string): string | null {
  if (rule.length > longestRule || !rulePattern.test(rule)) return null;
  const event = readProbe(`DTSTART;VALUE=DATE:20260105\r\nRRULE:${rule}`);
  try {
    const words = event?.rrule?.toText().replace(/ at \d.*? UTC/, "") ?? null;
    // A rule without a weekday takes it from the item, here the probe.
    return /BYDAY=/i.test(rule) ? words : (words?.replace(" on Monday", "") ?? null);
  } catch {
    return null;
  }
}

function readProbe(lines: string): VEvent | null {
  const frame = ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:probe", lines, "END:VEVENT"];
  try {
    const read = loadNodeIcal().sync.parseICS([...frame, "END:VCALENDAR", ""].join("\r\n"))[
      "probe"
    ];
    return read?.type === "VEVENT" ? read : null;
  } catch {
    return null;
  }
}
