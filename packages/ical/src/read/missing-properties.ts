import { nameOfLine } from "../lines/object-lines.ts";
import { textOfRaw } from "../lines/raw-text.ts";
import type { IncomingItem } from "./incoming.ts";

/**
 * Properties in a program's previous text of an item (unfolded lines from BEGIN to END) that are missing in its new one. For a
 * to-do DURATION counts as DUE, and alarms do not matter; an event always has a DTSTART. Returns nothing if the component
 * differs. `texts`: further properties to compare.
 */
export function missingProperties(
  previousRaw: readonly string[],
  now: IncomingItem,
  texts: readonly string[] = [],
): readonly string[] {
  if (previousRaw[0]?.toUpperCase() !== `BEGIN:${now.component}`) return [];
  const before = heldNames(previousRaw);
  const isTodo = now.component === "VTODO";
  const missing: readonly (readonly [string, boolean])[] = [
    ["CATEGORIES", before.has("CATEGORIES") && now.categories === undefined],
    ["DESCRIPTION", before.has("DESCRIPTION") && now.description === undefined],
    ["DTSTART", isTodo && before.has("DTSTART") && now.start === undefined],
    ["DUE", isTodo && (before.has("DUE") || before.has("DURATION")) && now.due === undefined],
    ["VALARM", !isTodo && before.has("VALARM") && now.alarm === null],
    ...texts.map(
      (name) => [name, before.has(name) && textOfRaw(now.raw, name) === undefined] as const,
    ),
  ];
  return missing.filter(([, isMissing]) => isMissing).map(([name]) => name);
}

/** Own properties, and `VALARM` for an alarm that does not just state that there is none. */
function heldNames(raw: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  let open: readonly string[] = [];
  let isSilent = false;
  for (const line of raw) {
    const name = nameOfLine(line);
    const inner = line.slice(name.length + 1).toUpperCase();
    if (name === "BEGIN") {
      open = [...open, inner];
      isSilent = false;
    } else if (name === "END") {
      if (inner === "VALARM" && !isSilent) names.add("VALARM");
      open = open.slice(0, -1);
    } else if (open.length === 1) {
      names.add(name);
    } else if (line.toUpperCase() === "ACTION:NONE" || /RELTYPE=SNOOZE/i.test(line)) {
      isSilent = true;
    }
  }
  return names;
}
