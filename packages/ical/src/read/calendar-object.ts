import { type IcsProblem, quotedValue } from "../ics-problem.ts";
import type { ContentLine } from "../lines/content-line.ts";
import { hasControls } from "../lines/octets.ts";
import {
  type CalendarTree,
  type Component,
  firstLine,
  itemLimits,
  readLenientTokens,
  readTokens,
  type TokenLimits,
  type TokenReading,
  textOf,
  wordOf,
} from "../lines/tokens.ts";
import { fail, ok, type Result } from "../result.ts";
import { type Sentence, sentence } from "../sentences.ts";
import type { ZoneOf } from "../time-values.ts";
import {
  createZoneBudget,
  floatingZone,
  type ZoneBudget,
  zonesOfFile,
} from "../zones/file-zones.ts";
import type { IncomingCalendar, IncomingItem } from "./incoming.ts";
import { readItem } from "./read-item.ts";
import type { FileContext } from "./read-span.ts";
import { readAgain } from "./second-reader.ts";

const methods: ReadonlySet<string> = new Set(["CANCEL", "PUBLISH", "REQUEST"]);

/** A parsed calendar file. */
export interface CalendarFile extends IncomingCalendar {
  /** Where it begins, 1-based. */
  readonly line: number;
  /** Its time zones as text, if an item repeats; else "". */
  readonly timeZones: string;
}

/**
 * Parses a calendar file of edits, which may contain several calendars. `zone` is the account's IANA time zone, used for
 * floating times. Fails with all problems found if the file as a whole cannot be trusted. A problem of one item is reported in
 * that item and anything else left out in `ignored`; both leave the other items usable.
 */
export function readCalendar(
  bytes: Uint8Array,
  options: { readonly zone: string },
): Result<CalendarFile, readonly IcsProblem[]> {
  const tokens = readLenientTokens(bytes);
  if (!tokens.ok) return tokens;
  const { calendars, faults, skipped } = tokens.value;
  const budget = createZoneBudget();
  const read = calendars.map((each) => readComponents(each, { ...options, faults, budget }));
  const files = read.flatMap((each) => (each.ok ? [each.value] : []));
  const failures = read.flatMap((each) => (each.ok ? [] : each.failure));
  const [first] = files;
  return first ? ok(joined(files, first, [...skipped, ...failures])) : fail(failures);
}

/** Merges the calendars of one file. If only some are cancellations, each item states it. */
function joined(
  files: readonly CalendarFile[],
  first: CalendarFile,
  ignored: readonly IcsProblem[],
): CalendarFile {
  const isOneMethod = files.every(({ method }) => method === first.method);
  const items = files.flatMap((file) =>
    isOneMethod || file.method !== "CANCEL"
      ? file.items
      : file.items.map((item) => ({ ...item, status: "CANCELLED" })),
  );
  return {
    line: first.line,
    timeZones: [...new Set(files.map(({ timeZones }) => timeZones))].join(""),
    method: isOneMethod ? first.method : null,
    items: withoutDoubles(items),
    ignored: [...ignored, ...files.flatMap((file) => file.ignored)],
  };
}

function readComponents(
  calendar: CalendarTree,
  options: {
    readonly zone: string;
    readonly faults: TokenReading["faults"];
    readonly budget: ZoneBudget;
  },
): Result<CalendarFile, readonly IcsProblem[]> {
  const headers = headerFaults(calendar);
  if (headers.length > 0) return fail(headers);

  const { faults } = options;
  const components = calendar.components.filter((one) => isItem(one) || !faults.has(one));
  const left = calendar.components
    .filter((one) => !isItem(one))
    .flatMap((one) => faults.get(one) ?? []);
  const context: FileContext = {
    zoneOf: zonesOfFile({ ...calendar, components }, options.zone, options.budget),
  };
  const overrides = new Set<IncomingItem>();
  const items = components.filter(isItem).map((component) => {
    const remarks = floatingRemarks(component, { calendar, zone: options.zone });
    const read = { ...withinLimits(readItem(component, context), component), remarks };
    const torn = faults.get(component);
    const item = torn ? { ...read, problems: [...torn, ...read.problems] } : read;
    if (firstLine(component, "RECURRENCE-ID")) overrides.add(item);
    return item;
  });
  return ok({
    line: calendar.line,
    timeZones: items.some(isRepeated) ? timeZonesOf(calendar) : "",
    method: wordOf(calendar, "METHOD") || null,
    items: withSecondReading(
      calendar,
      overrides.size === 0 ? items : markOverridden(items, overrides),
      context.zoneOf,
    ),
    ignored: [...left, ...components.filter(isStrange).map(ignoredProblem)],
  });
}

const isRepeated = ({ problems }: IncomingItem): boolean =>
  problems.some(({ code }) => code === "recurrence");

/** What determines the times of a calendar's items. */
function timeZonesOf({ lines, components, text }: CalendarTree): string {
  const floating = lines.filter(({ name }) => name === "X-WR-TIMEZONE").map(({ raw }) => raw);
  const defined = components
    .filter(({ name }) => name === "VTIMEZONE")
    .map(({ from, to }) => text.slice(from, to).trim());
  return [...floating, ...defined].map((part) => `${part}\r\n`).join("");
}

/** Remarks where X-WR-TIMEZONE determines the time. */
function floatingRemarks(
  component: Component,
  { calendar, zone }: { readonly calendar: Component; readonly zone: string },
): readonly IcsProblem[] {
  const named = floatingZone(calendar);
  const line = component.lines.find(isFloatingTime);
  if (named === null || named === zone || !line) return [];
  const uid = textOf(component, "UID") ?? null;
  const message = sentence("ical.floating", { name: line.name, zone: named });
  return [{ line: line.line, uid, code: "floating-zone", message }];
}

const isFloatingTime = ({ name, params, value }: ContentLine): boolean =>
  /^(?:DTSTART|DTEND|DUE)$/.test(name) && !params.has("TZID") && /T\d{6}\s*$/.test(value);

/** Rejects an item that another parser reads at another time, whichever is right. */
function withSecondReading(
  calendar: CalendarTree,
  items: readonly IncomingItem[],
  zoneOf: ZoneOf,
): readonly IncomingItem[] {
  const disputed = readAgain(calendar, {
    components: calendar.components.filter(isItem),
    items,
    zoneOf,
  });
  if (disputed.size === 0) return items;
  return items.map((item) => {
    const problems = disputed.get(item);
    return problems ? { ...item, problems } : item;
  });
}

function headerFaults(calendar: Component): readonly IcsProblem[] {
  const faults: IcsProblem[] = [];
  const refuse = (
    name: string,
    at: { readonly code: string; readonly id: "ical.version" | "ical.scale" | "ical.method" },
  ) => {
    const line = firstLine(calendar, name);
    if (!line) return;
    const message = sentence(at.id, { value: quotedValue(line.value) });
    faults.push({ line: line.line, uid: null, code: at.code, message });
  };
  const version = wordOf(calendar, "VERSION");
  const isOld = version !== undefined && version !== "2.0" && !version.endsWith(";2.0");
  if (isOld) refuse("VERSION", { code: "version", id: "ical.version" });

  const isOther = (wordOf(calendar, "CALSCALE") || "GREGORIAN") !== "GREGORIAN";
  if (isOther) refuse("CALSCALE", { code: "calendar-scale", id: "ical.scale" });

  const isReply = !methods.has(wordOf(calendar, "METHOD") || "PUBLISH");
  if (isReply) refuse("METHOD", { code: "method", id: "ical.method" });
  return faults;
}

function withinLimits(item: IncomingItem, component: Component): IncomingItem {
  const { components, lines } = sizeOf(component);
  if (components <= itemLimits.components && lines <= itemLimits.lines) return item;
  const message = sentence("ical.itemTooLong", { ...itemLimits });
  const problem = { line: item.line, uid: item.uid, code: "too-many-lines", message };
  return { ...item, problems: [problem, ...item.problems] };
}

function sizeOf({ lines, components }: Component): TokenLimits {
  return components.map(sizeOf).reduce(
    (all, one) => ({
      components: all.components + one.components,
      lines: all.lines + one.lines,
    }),
    { components: 1, lines: lines.length },
  );
}

const isItem = (component: Component): boolean =>
  component.name === "VEVENT" || component.name === "VTODO";

const isStrange = (component: Component): boolean =>
  !isItem(component) && component.name !== "VTIMEZONE";

function ignoredProblem(component: Component): IcsProblem {
  const uid = firstLine(component, "UID")?.value ?? null;
  const message = sentence("ical.ignored", { name: component.name });
  return { line: component.line, uid, code: "component", message };
}

/**
 * Of several items with one UID the newest is used, and equal ones count as one. If it is unclear which is newer, the UID is
 * rejected. Overrides of a series share its UID.
 */
function withoutDoubles(items: readonly IncomingItem[]): readonly IncomingItem[] {
  const byUid = new Map<string, IncomingItem>();
  const lost = new Set<IncomingItem>();
  const undecided = new Set<string>();
  for (const item of items) {
    const { uid } = item;
    if (uid === "" || isOverride(item)) continue;
    const earlier = byUid.get(uid);
    const order = earlier ? compareVersions(earlier, item) : -1;
    if (order === 0 && earlier && !saysSame(earlier, item)) undecided.add(uid);
    else if (order < 0) undecided.delete(uid);
    if (earlier) lost.add(order < 0 ? earlier : item);
    if (order < 0) byUid.set(uid, item);
  }
  if (lost.size === 0) return items;
  const doubled = new Set([...lost].map(({ uid }) => uid));
  return items
    .filter((item) => !lost.has(item))
    .map((item) => {
      if (isOverride(item) || !doubled.has(item.uid)) return item;
      return undecided.has(item.uid) ? withDouble(item) : withRemark(item);
    });
}

function withRemark(item: IncomingItem): IncomingItem {
  const message = sentence("ical.uidRepeated", { uid: quotedValue(item.uid) });
  const remark = { line: item.line, uid: item.uid, code: "duplicate-uid", message };
  return { ...item, remarks: [...item.remarks, remark] };
}

function withDouble(item: IncomingItem): IncomingItem {
  const message = sentence("ical.uidTwice", { uid: quotedValue(item.uid) });
  const problem = { line: item.line, uid: item.uid, code: "duplicate-uid", message };
  return { ...item, problems: [...item.problems, problem] };
}

const isOverride = ({ raw }: IncomingItem): boolean =>
  raw.some((line) => /^RECURRENCE-ID[;:]/i.test(line));

/** Negative if the second one is newer. Source: RFC 5546 2.1.5 (SEQUENCE, then DTSTAMP). */
function compareVersions(a: IncomingItem, b: IncomingItem): number {
  const bySequence = (a.sequence ?? 0) - (b.sequence ?? 0);
  if (bySequence !== 0) return bySequence;
  const [first, second] = [a.lastModified, b.lastModified];
  const byChange = first && second ? Temporal.Instant.compare(first, second) : 0;
  return byChange === 0 ? stampOf(a).localeCompare(stampOf(b)) : byChange;
}

/** In one format, so that later ones compare greater as text. */
const stampOf = ({ raw }: IncomingItem): string =>
  raw.find((line) => /^DTSTAMP[;:]/i.test(line))?.match(/\d{8}T\d{6}Z?\s*$/i)?.[0] ?? "";

const saysSame = (a: IncomingItem, b: IncomingItem): boolean =>
  a.raw.length === b.raw.length && a.raw.every((line, at) => line === b.raw[at]);

/** An item with an override is recurring, even if its own rule is missing. */
function markOverridden(
  items: readonly IncomingItem[],
  overrides: ReadonlySet<IncomingItem>,
): readonly IncomingItem[] {
  const uids = new Set([...overrides].map((item) => item.uid));
  return items.map((item) => {
    const isKnown = item.problems.some((problem) => problem.code === "recurrence");
    if (isKnown || item.uid === "" || !uids.has(item.uid)) return item;
    const message = sentence("ical.overridden");
    const problem = { line: item.line, uid: item.uid, code: "recurrence", message };
    return { ...item, problems: [...item.problems, problem] };
  });
}

/** The CalDAV precondition that a calendar object violates. Source: RFC 4791 5.3.2.1. */
export type ObjectPrecondition =
  | "supported-calendar-data"
  | "valid-calendar-data"
  | "valid-calendar-object-resource"
  | "supported-calendar-component"
  | "max-resource-size"
  | "max-instances";

/** The item of a calendar object. */
export interface IncomingObject extends IncomingItem {
  /** True if its bytes must be repaired (`mendOctets`) before they are stored. */
  readonly isMended: boolean;
}

/** Why bytes are not a calendar object. */
export interface ObjectFault {
  readonly precondition: ObjectPrecondition;
  /** 1-based; null without a position. */
  readonly line: number | null;
  readonly message: Sentence;
}

/**
 * Parses a CalDAV calendar object: one calendar with one item. The returned item has no problems. `zone` is the account's IANA
 * time zone, used for floating times. Fails for anything that is not iCalendar, that is not allowed in an object (a METHOD,
 * several items or none), and that the service cannot store: other components than events and to-dos, and recurring items.
 * Source: RFC 4791 4.1, 5.3.2.1; RFC 5545 3.6.
 */
export function readCalendarObject(
  bytes: Uint8Array,
  options: { readonly zone: string },
): Result<IncomingObject, ObjectFault> {
  const tree = readTokens(bytes, itemLimits);
  if (!tree.ok) return fail(faultOf(tree.failure));
  const calendar = tree.value;
  const shape = shapeFault(calendar);
  if (shape) return fail(shape);

  const incoming = readComponents(calendar, {
    ...options,
    faults: new Map(),
    budget: createZoneBudget(),
  });
  if (!incoming.ok) return fail(faultOf(incoming.failure));
  const [item, ...others] = incoming.value.items;
  if (!item || others.length > 0) throw new Error("a calendar of one item was read as another");
  const fault = itemFault(item, calendar);
  return fault ? fail(fault) : ok({ ...item, isMended: calendar.isMended || hasControls(bytes) });
}

const preconditions: ReadonlyMap<string, ObjectPrecondition> = new Map([
  ["too-large", "max-resource-size"],
  ["too-long", "max-resource-size"],
  ["version", "supported-calendar-data"],
  ["calendar-scale", "supported-calendar-data"],
  ["two-calendars", "valid-calendar-object-resource"],
  ["too-many-components", "valid-calendar-object-resource"],
  ["too-many-lines", "valid-calendar-object-resource"],
  ["too-many-zones", "valid-calendar-object-resource"],
  ["method", "valid-calendar-object-resource"],
  ["duplicate-uid", "valid-calendar-object-resource"],
  ["missing-uid", "valid-calendar-object-resource"],
  ["bad-uid", "valid-calendar-object-resource"],
  ["recurrence", "max-instances"],
]);

/** Only the first problem counts, because the response has one precondition. */
function faultOf(problems: readonly IcsProblem[]): ObjectFault {
  const [problem] = problems;
  if (!problem) throw new Error("a refusal names no problem");
  const { line, code, message } = problem;
  return { precondition: preconditions.get(code) ?? "valid-calendar-data", line, message };
}

/** Excludes components that are not items. */
const isObjectItem = (component: Component): boolean => component.name !== "VTIMEZONE";

function shapeFault(calendar: Component): ObjectFault | null {
  const method = firstLine(calendar, "METHOD");
  if (method) {
    const message = sentence("ical.objectMethod", { value: quotedValue(method.value) });
    return resourceFault(method.line, message);
  }
  const items = calendar.components.filter(isObjectItem);
  const [first] = items;
  if (!first) return resourceFault(calendar.line, sentence("ical.objectEmpty"));
  const stranger = items.find((item) => item.name !== first.name);
  if (stranger) {
    const message = sentence("ical.objectMixed", { name: first.name, other: stranger.name });
    return resourceFault(stranger.line, message);
  }
  if (first.name !== "VEVENT" && first.name !== "VTODO") {
    const message = sentence("ical.objectKind", { name: first.name });
    return { precondition: "supported-calendar-component", line: first.line, message };
  }
  return items.length === 1 ? null : severalFault(items);
}

/** Several components are one recurring item or several items. */
function severalFault(items: readonly Component[]): ObjectFault {
  const uids = items.map((item) => firstLine(item, "UID")?.value ?? "");
  const other = items.find((_item, at) => uids[at] !== uids[0]);
  if (other) return resourceFault(other.line, sentence("ical.objectSeveral"));
  const override = items.find((item) => firstLine(item, "RECURRENCE-ID"));
  if (!override) {
    const message = sentence("ical.objectRepeated", { uid: quotedValue(uids[0] ?? "") });
    return resourceFault(items.at(1)?.line ?? null, message);
  }
  const message = sentence("ical.repeats", { name: "RECURRENCE-ID" });
  return { precondition: "max-instances", line: override.line, message };
}

function itemFault(item: IncomingItem, calendar: Component): ObjectFault | null {
  // A recurring item is rejected as such, whatever else is wrong with it.
  const repeat = item.problems.filter(({ code }) => code === "recurrence");
  if (item.problems.length > 0) return faultOf([...repeat, ...item.problems]);
  if (item.component === "VTODO" || item.when) return null;
  const line = calendar.components.find(isObjectItem)?.line ?? null;
  return { precondition: "valid-calendar-data", line, message: sentence("ical.noStart") };
}

function resourceFault(line: number | null, message: Sentence): ObjectFault {
  return { precondition: "valid-calendar-object-resource", line, message };
}
