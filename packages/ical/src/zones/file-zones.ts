import type { Component } from "../lines/tokens.ts";
import { textOf } from "../lines/tokens.ts";
import { sentence } from "../sentences.ts";
import type { FileZone, UnknownZone, ZoneOf } from "../time-values.ts";
import { readDefinition, readOffset } from "./zone-definition.ts";
import { fixedZone, resolveZone, usualZone } from "./zones.ts";

/** Limit of names per file: a lookup costs far more than parsing a line. */
const mostNames = 200;
/** Expanding a rule for ten years takes up to some milliseconds; two rules of 64 zones need two each. */
const mostExpansions = 400;

/** Lookups shared by the calendars of one file, so that nothing is resolved twice. */
export interface ZoneBudget {
  /** By name. */
  readonly names: Map<string, string | null>;
  /** By the text of the definition. */
  readonly rules: Map<string, FileZone | UnknownZone>;
  expansions: number;
}

export const createZoneBudget = (): ZoneBudget => ({
  names: new Map(),
  rules: new Map(),
  expansions: 0,
});

/**
 * The time zones of one calendar. A TZID that names a place means that place, whatever the file defines; so does a Windows
 * name. One that only stands for an offset or rules (`EST`, `CET`, `GMT`) means the rules in the file, or else its common
 * meaning. Any other name means its VTIMEZONE: the place in its X-LIC-LOCATION, or else its rules. Floating times are in the
 * zone of X-WR-TIMEZONE, or else in `floating`. Source: RFC 5545 3.2.19, 3.6.5 (a TZID means its VTIMEZONE).
 */
export function zonesOfFile(
  calendar: Component,
  floating: string,
  budget: ZoneBudget = createZoneBudget(),
): ZoneOf {
  const blocks = blocksOf(calendar);
  const local = floatingZone(calendar) ?? floating;
  const known = new Map<string, FileZone | UnknownZone>();
  return (tzid) => {
    if (tzid === null) return local;
    const found = known.get(tzid);
    if (found !== undefined) return found;
    const zone = zoneOfName(tzid, { blocks: blocks.get(plain(tzid)) ?? [], budget });
    known.set(tzid, zone);
    return zone;
  };
}

/** Names in the time zone database that are not places. */
const offsetNames =
  /^(?:CET|CST6CDT|EET|EST|EST5EDT|GMT|GMT0|GMT[+-]0|Greenwich|HST|MET|MST|MST7MDT|PST8PDT|UCT|UTC|Universal|WET|Zulu)$/i;

interface Definitions {
  readonly blocks: readonly Component[];
  readonly budget: ZoneBudget;
}

function zoneOfName(tzid: string, { blocks, budget }: Definitions): FileZone | UnknownZone {
  const name = plain(tzid);
  const found = lookUp(name, budget);
  const hasRules = blocks.some(({ components }) => components.length > 0);
  // A name that stands for an offset, or only resembles a zone name, means the rules in the file.
  const isLoose = hasRules && (offsetNames.test(name) || (found !== null && !usualZone(name)));
  return (isLoose ? null : found) ?? zoneOfBlocks({ blocks, budget });
}

/** Also null if the file has too many names. */
function lookUp(name: string, { names }: ZoneBudget): string | null {
  const known = names.get(name);
  if (known !== undefined) return known;
  if (names.size >= mostNames) return null;
  const zone = resolveZone(name);
  names.set(name, zone);
  return zone;
}

function zoneOfBlocks({ blocks, budget }: Definitions): FileZone | UnknownZone {
  const [block, ...others] = blocks;
  if (!block) return { kind: "unknown", why: null };
  const rules = rulesOf(block);
  if (others.some((other) => rulesOf(other) !== rules)) {
    return { kind: "unknown", why: sentence("ical.zoneTwice") };
  }
  const location = textOf(block, "X-LIC-LOCATION")?.trim() ?? "";
  const place = offsetNames.test(location) ? null : lookUp(location, budget);
  if (place !== null) return place;
  const known = budget.rules.get(rules);
  if (known !== undefined) return known;
  const zone = readRules(block, budget);
  budget.rules.set(rules, zone);
  return zone;
}

function readRules(block: Component, budget: ZoneBudget): FileZone | UnknownZone {
  const read = readDefinition(block, () => ++budget.expansions <= mostExpansions);
  return read.ok ? read.value : (fixedOffset(block) ?? { kind: "unknown", why: read.failure });
}

/** The time zone of a definition with a single offset, whenever it begins. */
function fixedOffset({ components }: Component): string | null {
  const all = components.flatMap(({ lines }) => lines);
  const offsets = all.filter(({ name }) => /^TZOFFSET(?:FROM|TO)$/.test(name)).map(readOffset);
  const hasRules = all.some(({ name }) => /^(?:RRULE|RDATE|EXDATE|EXRULE)$/.test(name));
  const named = all.find(({ name }) => name === "TZOFFSETTO");
  const first = readOffset(named);
  return first === null || hasRules || offsets.some((other) => other !== first)
    ? null
    : fixedZone(first);
}

/** The calendar's time zone for floating times; null if none or unknown. */
export function floatingZone(calendar: Component): string | null {
  const name = textOf(calendar, "X-WR-TIMEZONE")?.trim() ?? "";
  return name === "" ? null : resolveZone(name);
}

const rulesOf = ({ components }: Component): string =>
  components.map(({ name, lines }) => [name, ...lines.map(({ raw }) => raw)].join("\n")).join("\n");

/** Some programs include the quotation marks around a parameter in the name. */
const plain = (tzid: string): string => tzid.trim().replace(/^"(.*)"$/, "$1");

function blocksOf(calendar: Component): ReadonlyMap<string, readonly Component[]> {
  const found = new Map<string, Component[]>();
  for (const block of calendar.components) {
    if (block.name !== "VTIMEZONE") continue;
    const name = plain(textOf(block, "TZID") ?? "");
    const same = found.get(name);
    if (same) same.push(block);
    else found.set(name, [block]);
  }
  return found;
}
