import type { Component } from "../lines/tokens.ts";
import { textOf } from "../read/reading.ts";
import type { ZoneOf } from "../time-values.ts";
import { resolveZone } from "./zones.ts";

/** Looking a name up costs far more than a line of a file, so a file may bring only so many. */
const mostNames = 200;

/**
 * The zones of one file: known names first, then its own VTIMEZONE, if that names a known zone in X-LIC-LOCATION or
 * keeps one offset of whole minutes for ever. Floating times stand in `floating`.
 */
export function zonesOfFile(calendar: Component, floating: string): ZoneOf {
  const blocks = calendar.components.filter((component) => component.name === "VTIMEZONE");
  const own = new Map(blocks.map((block) => [textOf(block, "TZID")?.trim() ?? "", block]));
  const known = new Map<string, string | null>();
  return (tzid) => {
    if (tzid === null) return floating;
    const found = known.get(tzid);
    if (found !== undefined) return found;
    if (known.size >= mostNames) return null;
    const zone = resolveZone(tzid) ?? zoneOfBlock(own.get(tzid.trim()));
    known.set(tzid, zone);
    return zone;
  };
}

function zoneOfBlock(block: Component | undefined): string | null {
  if (!block) return null;
  const location = textOf(block, "X-LIC-LOCATION");
  return (location === undefined ? null : resolveZone(location)) ?? fixedOffset(block);
}

function fixedOffset(block: Component): string | null {
  const offsets = block.components.flatMap((part) => [
    textOf(part, "TZOFFSETFROM"),
    textOf(part, "TZOFFSETTO"),
  ]);
  const [first] = offsets;
  const digits = /^([+-])(\d{2})(\d{2})(?:00)?$/.exec(first ?? "");
  if (!digits || offsets.some((offset) => offset !== first)) return null;
  const [, sign, hours, minutes] = digits;
  return Number(hours) < 24 && Number(minutes) < 60 ? `${sign}${hours}:${minutes}` : null;
}
