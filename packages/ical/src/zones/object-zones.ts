import { param, readContentLine } from "../lines/content-line.ts";
import { readDuration } from "../time-values.ts";
import { resolveZone, writeTimeZone } from "./zones.ts";

/**
 * Writes the VTIMEZONE components a component needs, one for each TZID in its lines; "" for none, as for dates and UTC. A TZID
 * of an unknown zone gets none. Each covers whole decades, so that most objects share one cached text.
 */
export type WriteZones = (component: string) => string;

const mostKnown = 500;

/** The writer caches its results. */
export function createZoneWriter(): WriteZones {
  const known = new Map<string, string>();

  function write(tzid: string, years: Years): string {
    const fromYear = years.from - (years.from % 10);
    const toYear = years.to - (years.to % 10) + 9;
    const key = `${fromYear} ${toYear} ${tzid}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const zone = resolveZone(tzid);
    const text = zone === null ? "" : writeTimeZone({ zone, tzid, fromYear, toYear });
    // Names come from clients, who could fill the memory.
    if (known.size >= mostKnown) known.clear();
    known.set(key, text);
    return text;
  }

  return (component) => {
    if (!component.includes("TZID")) return "";
    return [...yearsOfZones(component)].map(([tzid, years]) => write(tzid, years)).join("");
  };
}

interface Years {
  readonly from: number;
  readonly to: number;
}

function yearsOfZones(component: string): ReadonlyMap<string, Years> {
  const found = new Map<string, Years>();
  let longest = 0;
  for (const raw of component.replace(/\r?\n[ \t]/g, "").split(/\r?\n/)) {
    if (raw.startsWith("DURATION")) longest = Math.max(longest, yearsIn(raw));
    if (!raw.includes("TZID")) continue;
    const line = readContentLine(raw, 0);
    const tzid = line.ok ? param(line.value, "TZID") : undefined;
    const year = Number(line.ok ? /^\d{4}(?=\d{4}T)/.exec(line.value.value)?.[0] : undefined);
    if (tzid === undefined || Number.isNaN(year)) continue;
    const { from, to } = found.get(tzid) ?? { from: year, to: year };
    found.set(tzid, { from: Math.min(from, year), to: Math.max(to, year) });
  }
  if (longest === 0) return found;
  return new Map([...found].map(([tzid, { from, to }]) => [tzid, { from, to: to + longest }]));
}

/** How many years a DURATION may reach beyond its start. */
function yearsIn(raw: string): number {
  const length = readDuration(raw.slice(raw.lastIndexOf(":") + 1));
  const days = length?.total({ unit: "days", relativeTo: new Temporal.PlainDate(2026, 1, 1) }) ?? 0;
  return Math.ceil(Math.abs(days) / 365);
}
