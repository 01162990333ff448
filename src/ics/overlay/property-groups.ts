import { nameOfLine } from "@dayferry/ical";

/** Properties that belong together and are changed together. */
export interface PropertyGroup {
  readonly names: readonly string[];
  /** Those that DURATION may replace; none for a group without times. */
  readonly ends: readonly string[];
  /** Vendor properties that repeat the same value and would become stale. */
  readonly restated: readonly string[];
}

/** Vendor properties that say whether it lasts whole days. */
export const restatedDays: readonly string[] = [
  "X-FUNAMBOL-ALLDAY",
  "X-MICROSOFT-CDO-ALLDAYEVENT",
  "X-MICROSOFT-MSNCALENDAR-ALLDAYEVENT",
];
/** Recurrence properties of a single event: with another start they would add a second occurrence, or leave none. */
const idleRules: readonly string[] = ["EXDATE", "EXRULE", "RDATE", "RRULE"];
const description: PropertyGroup = {
  names: ["DESCRIPTION"],
  ends: [],
  restated: ["STYLED-DESCRIPTION", "X-ALT-DESC"],
};
const eventGroups: readonly PropertyGroup[] = [
  {
    names: ["DTSTART", "DTEND", "DURATION"],
    ends: ["DTEND"],
    restated: [...restatedDays, ...idleRules],
  },
  description,
];
const todoGroups: readonly PropertyGroup[] = [
  {
    names: ["DTSTART", "DUE", "DURATION"],
    ends: ["DUE"],
    restated: [...restatedDays, ...idleRules],
  },
  { names: ["STATUS", "COMPLETED", "PERCENT-COMPLETE"], ends: [], restated: [] },
  description,
];

/** A component's own properties by name, in order. */
export type PropertyLines = ReadonlyMap<string, readonly string[]>;

/** The groups of properties. One that belongs to none is a group of its own. */
export function groupsOf(
  component: "VEVENT" | "VTODO",
  names: ReadonlySet<string>,
): readonly PropertyGroup[] {
  const together = component === "VEVENT" ? eventGroups : todoGroups;
  const grouped = new Set(together.flatMap((group) => group.names));
  const single = [...names.difference(grouped)].map((name) => {
    return { names: [name], ends: [], restated: [] };
  });
  const named = together.filter((group) => group.names.some((name) => names.has(name)));
  return [...named, ...single];
}

/** The lines of some properties. */
export function linesOf(lines: PropertyLines, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => lines.get(name) ?? []);
}

/** The properties of a canonical text, without the UID, which never changes. */
export function readProperties(canonical: string): PropertyLines {
  const found = new Map<string, string[]>();
  let depth = 0;
  for (const raw of canonical.split("\n")) {
    const name = nameOfLine(raw);
    if (name === "BEGIN") depth++;
    else if (name === "END") depth--;
    else if (depth === 1 && name !== "UID") found.set(name, [...(found.get(name) ?? []), raw]);
  }
  return found;
}
