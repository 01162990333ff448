import type { VEvent } from "node-ical";
import { loadNodeIcal } from "../late-packages.ts";

/*
 * node-ical knows two things well that the strict reader does not: what a recurrence rule says in words, and which zone
 * Outlook's display names mean. Here it sees a component that was written around one checked value, never a file, because
 * it invents or loses data where a file is odd; the times of a file it reads in `second-reader`.
 */

const longestRule = 500;
const rulePattern = /^[A-Z0-9=;,+:-]+$/i;
const displayName = /^\((?:UTC|GMT)[+-]?[\d:]*\) [^\p{Cc}"]{1,120}$/u;

/** What a recurrence rule says, in English ("every week on Monday"). Null when the rule is not understood. */
export type DescribeRule = (rule: string) => string | null;

/** Parsing a rule costs as much as fifty lines of a file. */
const mostRules = 100;

/** Describes the rules of one file: after 100 different ones it has nothing to say. */
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

/** The zone that a name such as "(UTC+01:00) Amsterdam, Berlin, Bern" stands for; null when it is not known. */
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
    // A rule that names no weekday takes it from the item, here from the probe.
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
