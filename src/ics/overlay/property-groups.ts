import { nameOfLine } from "@dayferry/ical";

/** Properties that say one thing together, and so are changed together. */
export interface PropertyGroup {
  readonly names: readonly string[];
  /** Those that DURATION may stand for; none for a group without times. */
  readonly ends: readonly string[];
  /** Properties of programs that say the same in other words, and would go on saying the old. */
  readonly restated: readonly string[];
}

/** Whether it lasts whole days, in the words of some programs. */
export const restatedDays: readonly string[] = [
  "X-FUNAMBOL-ALLDAY",
  "X-MICROSOFT-CDO-ALLDAYEVENT",
  "X-MICROSOFT-MSNCALENDAR-ALLDAYEVENT",
];
/** Rules and dates of an item that takes place once: with another start they would give a second occurrence, or none. */
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

/** Own properties of a component by name, in order. */
export type PropertyLines = ReadonlyMap<string, readonly string[]>;

/** The groups to which properties belong; one that belongs to none is a group of its own. */
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

/** Reads the own properties of a canonical text, without the UID, which no one may change. */
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
