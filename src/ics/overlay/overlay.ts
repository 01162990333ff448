import {
  baseMark,
  decodeList,
  decodeOctets,
  escapeText,
  findLines,
  nameOfLine,
  type ObjectLines,
  positionsOf,
  readContentLine,
  writeStamp,
} from "@dayferry/ical";
import { untitled } from "../../domain/item.ts";
import { risenSequence } from "../../domain/object-version.ts";
import { isMilestoneCategory, nameKey } from "../../domain/sameness.ts";
import { differingReadings, isReadable } from "./differing-readings.ts";
import { createPatch, layLines, type ObjectPatch, writePatched } from "./object-patch.ts";
import { fillAlarm, layAlarm, triggerOf } from "./overlay-alarm.ts";
import {
  groupsOf,
  linesOf,
  type PropertyGroup,
  type PropertyLines,
  readProperties,
  restatedDays,
} from "./property-groups.ts";
import { timedLines } from "./todo-times.ts";

/** A client's octets, and how the item changed since. Texts are as from `canonicalText`. */
export interface Overlay {
  /** A calendar object that was parsed without an error. */
  readonly octets: Uint8Array | string;
  readonly component: "VEVENT" | "VTODO";
  /** What we would have written when the octets were stored; null if unknown. */
  readonly said: string | null;
  /** What we would write now. */
  readonly now: string;
  readonly stamp: VersionStamp;
  /** VTIMEZONE components of the zones in `now`. The octets get those they use and do not define. */
  readonly zones: string;
  /** The account's zone, for days. */
  readonly zone: string;
}

/** Identifies our version of an item. */
export interface VersionStamp {
  readonly sequence: number;
  readonly modifiedAt: Temporal.Instant;
}

/** Properties that only identify the version, or repeat DTSTAMP for Outlook. */
const silentNames: ReadonlySet<string> = new Set([
  "CREATED",
  "DTSTAMP",
  "LAST-MODIFIED",
  "SEQUENCE",
  baseMark,
  ...restatedDays,
]);

/**
 * One of our components as comparable text: unfolded lines, joined by LF, without those that only identify its version or
 * repeat others.
 */
export function canonicalText(component: string): string {
  return component
    .replace(/\r?\n[ \t]/g, "")
    .split(/\r?\n/)
    .filter((line) => line !== "" && !silentNames.has(nameOfLine(line)))
    .join("\n");
}

/**
 * Applies changes to a client's octets. Properties that differ between `said` and `now` replace the old ones; if `said` is
 * unknown, those whose meaning differs. What the client omitted is restored with them. All other lines stay: unknown
 * properties, further alarms, order, folding and line ends. SEQUENCE rises above the client's, and with each of our versions.
 * Equal input gives equal octets; without a difference they are returned unchanged. Throws `StrayOctetsError` if the component
 * is not in the octets.
 */
export function overlayOctets(overlay: Overlay): string {
  const { octets, component, now, stamp, zones, zone, ...kept } = overlay;
  const text = textIn(octets);
  if (kept.said === now) return text;

  const said = kept.said === null ? null : readProperties(kept.said);
  const wanted = readProperties(now);
  const differs = said ? differingNames(said, wanted) : differingReadings(text, { now, zone });
  const isOtherAlarm = kept.said !== null && triggerOf(kept.said) !== triggerOf(now);
  if (isOtherAlarm) differs.add("VALARM");
  if (differs.size === 0) return text;

  const patch = createPatch(findLines(text, component));
  const names = new Set([...(said?.keys() ?? []), ...wanted.keys(), ...differs]);
  const work = { patch, said, wanted, differs, zone };
  for (const group of groupsOf(component, names)) layGroup(group, work);
  if (differs.has("VALARM")) layAlarm(patch, now);
  else fillAlarm(patch, now);
  layStamps(patch, stamp);
  return writePatched(patch, zones);
}

/**
 * True if a changed item still means what the octets mean: another notation, or a return to their earlier meaning. The octets
 * have no progress for an open item.
 */
export function saysAsOctets({
  octets,
  component,
  said,
  now,
  zone,
}: Pick<Overlay, "octets" | "component" | "now" | "zone"> & { readonly said: string }): boolean {
  const differs = differingNames(readProperties(said), readProperties(now));
  if (triggerOf(said) !== triggerOf(now)) differs.add("VALARM");
  const groups = groupsOf(component, differs).map(({ names: [first = ""] }) => first);
  if (!groups.every((name) => isReadable(name))) return false;
  return differingReadings(textIn(octets), { now, zone }).isDisjointFrom(new Set(groups));
}

/**
 * A client's octets with a new version only: SEQUENCE above the client's, and our times. For an object that must be reloaded
 * although it is unchanged. Throws like `overlayOctets`.
 */
export function restampOctets({
  octets,
  component,
  stamp,
}: Pick<Overlay, "octets" | "component" | "stamp">): string {
  const text = textIn(octets);
  const patch = createPatch(findLines(text, component));
  layStamps(patch, stamp);
  return writePatched(patch, "");
}

/** A client's octets with another SEQUENCE. Throws like `overlayOctets`. */
export function withSequence({
  octets,
  component,
  sequence,
}: Pick<Overlay, "octets" | "component"> & { readonly sequence: number }): Buffer {
  const patch = createPatch(findLines(textIn(octets), component));
  layLines(patch, { names: ["SEQUENCE"], lines: [`SEQUENCE:${sequence}`] });
  return Buffer.from(writePatched(patch, ""));
}

function textIn(octets: Uint8Array | string): string {
  const text = typeof octets === "string" ? octets : decodeOctets(octets);
  if (text === null) throw new Error("octets that were kept are not UTF-8");
  return text;
}

interface Work {
  readonly patch: ObjectPatch;
  readonly said: PropertyLines | null;
  readonly wanted: PropertyLines;
  /** Names of the properties to apply. */
  readonly differs: ReadonlySet<string>;
  readonly zone: string;
}

function differingNames(said: PropertyLines, wanted: PropertyLines): Set<string> {
  const names = new Set([...said.keys(), ...wanted.keys()]);
  const text = (lines: PropertyLines, name: string) => (lines.get(name) ?? []).join("\n");
  return new Set([...names].filter((name) => text(said, name) !== text(wanted, name)));
}

/** Sets a group that differs; of other groups, restores what the client omitted. */
function layGroup(group: PropertyGroup, { patch, said, wanted, differs, zone }: Work): void {
  const { names, restated, ends } = group;
  const { object } = patch;
  const present = new Set(names.filter((name) => object.own.has(name)));
  const spoken = present.has("DURATION") ? new Set([...present, ...ends]) : present;
  const missing = names.filter((name) => wanted.has(name) && !spoken.has(name));
  const isTorn = ends.length > 0 && missing.length > 0;
  if (names.some((name) => differs.has(name)) || isTorn) {
    const lines = names.includes("CATEGORIES")
      ? mergedCategories(object, said, wanted)
      : keepingTimes(linesOf(wanted, names), { object, group, zone });
    if (lines) layLines(patch, { names, lines });
    layLines(patch, { names: restated, lines: [] });
  } else {
    layLines(patch, { names: missing, lines: linesOf(wanted, missing).filter(isSaying) });
  }
}

/**
 * The categories of an object with our changes: those added or removed since, in the client's order. Its others stay, as the
 * service cannot store those of events. If the past is unknown (`said` is null), an event's others stay and a to-do's are
 * removed. Null if the client's lines are right already.
 */
function mergedCategories(
  object: ObjectLines,
  said: PropertyLines | null,
  wanted: PropertyLines,
): readonly string[] | null {
  const theirs = positionsOf(object, ["CATEGORIES"]).flatMap((at) =>
    categoriesIn(object.lines[at]?.raw ?? ""),
  );
  const ours = linesOf(wanted, ["CATEGORIES"]).flatMap(categoriesIn);
  const before = said && categoryKeys(linesOf(said, ["CATEGORIES"]).flatMap(categoriesIn));
  const now = categoryKeys(ours);
  const isGone = (category: string): boolean => {
    if (now.has(nameKey(category))) return false;
    if (before) return before.has(nameKey(category));
    return object.component === "VTODO" || isMilestoneCategory(category);
  };
  const known = categoryKeys(theirs);
  const added = ours.filter((category) => !known.has(nameKey(category)));
  if (added.length === 0 && !theirs.some(isGone)) return null;
  const merged = [...theirs.filter((category) => !isGone(category)), ...added];
  return merged.length === 0 ? [] : [`CATEGORIES:${merged.map(escapeText).join(",")}`];
}

const categoryKeys = (categories: readonly string[]): ReadonlySet<string> =>
  new Set(categories.map(nameKey));

function categoriesIn(raw: string): readonly string[] {
  const line = readContentLine(raw, 0);
  return line.ok ? decodeList(line.value.value) : [];
}

const keepingTimes = (
  lines: readonly string[],
  about: { readonly object: ObjectLines; readonly group: PropertyGroup; readonly zone: string },
): readonly string[] => (about.group.names.includes("DUE") ? timedLines(lines, about) : lines);

/** A client that omitted the title is not given its replacement. */
const isSaying = (line: string): boolean => line !== `SUMMARY:${untitled}`;

/**
 * The base mark becomes ours, as the octets show our version from now on. SEQUENCE rises by as much as ours has since the
 * client's version.
 */
function layStamps(patch: ObjectPatch, { sequence, modifiedAt }: VersionStamp): void {
  const { object } = patch;
  const stamp = writeStamp(modifiedAt);
  const put = countOf(object, "SEQUENCE");
  const mark = countOf(object, baseMark);
  const stamps = {
    DTSTAMP: stamp,
    "LAST-MODIFIED": stamp,
    SEQUENCE: risenSequence({ put, mark, version: sequence }),
    [baseMark]: sequence,
  };
  for (const [name, value] of Object.entries(stamps)) {
    layLines(patch, { names: [name], lines: [`${name}:${value}`] });
  }
}

function countOf(object: ObjectLines, name: string): number {
  const [at] = positionsOf(object, [name]);
  const value = /:\s*(\d{1,9})\s*$/.exec(at === undefined ? "" : (object.lines[at]?.raw ?? ""));
  return Number(value?.[1] ?? 0);
}
